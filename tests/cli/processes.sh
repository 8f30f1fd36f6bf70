# A program that cannot share its work refuses to run as one of several processes: `translate`, and
# a build without MPI.

toy=$DATA/toy.zh-en.tsv
refuse() { # refuse VARIABLE COMMAND...
  local variable=$1
  shift
  expect_exit 64 env "$variable=4" "$ELMAN" "$@"
  expect_stdout
  expect_stderr_match "^elman: started as one of 4 processes \($variable\), .* start a single process with 'env -u $variable elman \.\.\.'$"
}
refuse OMPI_COMM_WORLD_SIZE translate 我
expect_stderr_match 'translate runs as one process; .*; divide the input \(split -n l/4\) and translate each part by itself'
expect_exit 0 env OMPI_COMM_WORLD_SIZE=4 "$ELMAN" translate --help
if [ "$HAS_MPI" = ON ]; then exit 0; fi
refuse OMPI_COMM_WORLD_SIZE train -q "$toy"
refuse PMI_SIZE train -q "$toy"
refuse SLURM_STEP_NUM_TASKS evaluate "$toy"
expect_files

# A single process runs, whatever started it; commands without parallel work run, too.
expect_exit 0 env OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_NUM_TASKS=4 "$ELMAN" train -q --epochs 1 "$toy"
expect_exit 0 env PMI_SIZE=x "$ELMAN" translate -q 我
expect_exit 0 env OMPI_COMM_WORLD_SIZE=4 "$ELMAN" inspect

for command in train evaluate; do
  expect_refused "^elman: $command: --timeout needs several processes, but this elman was built without MPI" $command \
    --timeout 5 "$toy"
done
