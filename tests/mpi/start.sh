# Common functions of the cases in this folder: several processes on one machine, also as root, in a container,
# and with more processes than processors.
command -v mpirun >/dev/null || { echo "mpirun is missing" >&2; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=sh
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

mpirun=(mpirun --oversubscribe --bind-to none)

# processes N COMMAND...
processes() {
  "${mpirun[@]}" -n "$@"
}

# process_of MPIRUN RANK: print the process id of a rank.
process_of() {
  local process
  for process in $(cat "/proc/$1"/task/*/children); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$2" || continue
    echo "$process"
    return
  done
  return 1
}

# without_times LOG: print the log without the values that depend on the number of processes and threads.
without_times() {
  sed -E 's/"(tokens_per_second|seconds|time)":[^,}]*,?//g' "$1"
}

# on_process RANK: write ./differ, which runs its arguments as a command. The argument "@" becomes "other" in
# process RANK and "pairs" in all others.
on_process() {
  cat >differ <<END
#!/bin/bash
[ "\$OMPI_COMM_WORLD_RANK" = $1 ] && file=other || file=pairs
exec "\${@/%@/\$file}"
END
  chmod +x differ
}
