# Limits that are too low for OpenBLAS give a message and exit code 71. Without the check, OpenBLAS would hang,
# even at the end of the process, or crash. `timeout` ends a process that hangs.

# limited LIMIT COMMAND...: run the command with ulimit LIMIT.
limited() {
  local limit=$1
  shift
  # shellcheck disable=SC2086 # two words
  (ulimit $limit && exec timeout -s KILL 60 "$@")
}
limited '-v 8000000' "$ELMAN" help >/dev/null 2>&1 || exit 77 # a sanitizer, for example, needs more address space
toy_model
for ((i = 0; i < 300; i++)); do echo '我 爱 学习'; done >lines

# With each limit the program either fails to load, or reports that products are impossible (71), or works.
for limit in 60000 80000 100000 120000 140000 160000 180000 220000 300000; do
  for command in help "translate -q -i lines" "translate -q 我" "train -q --epochs 1 -o other $DATA/toy.zh-en.tsv" \
    "train -q -t 2 --epochs 0 --hidden-size 256 -o other $DATA/toy.zh-en.tsv"; do
    code=0
    # shellcheck disable=SC2086 # words of a command
    limited "-v $limit" "$ELMAN" $command >"$results/stdout" 2>"$results/stderr" || code=$?
    case $code in
    0 | 127) ;;
    71) expect_stderr_match '^elman: .*memory' ;;
    *) fail "exit code $code with $limit kB: $command" ;;
    esac
  done
done
expect_exit 71 limited '-d 60000' "$ELMAN" translate 我
expect_stderr_match '^elman: out of memory: matrix products need 129 MB of address space per thread, too much for ([0-9]+ threads; use fewer threads, or|1 thread;) raise the limit'
expect_exit 0 limited '-v 2000000' "$ELMAN" translate -q '我 爱 学习'
expect_stdout 'I love studying'

expect_message 71 '^elman: the stack limit of 64 kB is too small; set it to 1024 kB or more' limited '-s 64' "$ELMAN" \
  gradcheck '我 爱 学习' 'I love studying'
expect_exit 0 limited '-s 1024' "$ELMAN" gradcheck '我 爱 学习' 'I love studying'

# ---- a restart without threads of OpenBLAS ----

fresh
# If memory is limited, the program restarts itself without the threads of OpenBLAS.
unset OPENBLAS_NUM_THREADS

: >"$results/stderr"
(ulimit -v 8000000 && exec "$ELMAN" train --epochs 1000000 "$DATA/toy.zh-en.tsv") \
  >/dev/null 2>"$results/stderr" &
pid=$! tries=0
until grep -q '^epoch 1 ' "$results/stderr"; do
  [ $((tries += 1)) -lt 600 ] || { kill "$pid"; fail "training did not start"; }
  sleep 0.05
done
[ "$(cat "/proc/$pid/comm")" = elman ] || fail "the process has another name"
tr '\0' '\n' <"/proc/$pid/environ" | grep '^OPENBLAS_NUM_THREADS=' >"$results/stdout"
kill "$pid"
wait "$pid"
rm -f model.safetensors model.safetensors.checkpoint
expect_stdout OPENBLAS_NUM_THREADS=1

# The restarted program has the original streams: a closed one, and standard input.
expect_exit 0 limited '-v 8000000' "$ELMAN" train -q --epochs 1 - <"$DATA/toy.zh-en.tsv"
expect_exit 0 limited '-v 8000000' "$ELMAN" train -q --epochs 1 "$DATA/toy.zh-en.tsv" <&-
expect_files model.safetensors model.safetensors.checkpoint

# If the program file is replaced while the program runs, it continues without a restart.
cp "$ELMAN" program
exec 8<program
rm program
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/other" >program
cp program 'program (deleted)'
chmod +x program 'program (deleted)'
expect_exit 0 limited '-v 8000000' /proc/self/fd/8 train -q --epochs 1 "$DATA/toy.zh-en.tsv"
exec 8<&-
[ ! -e other ] || fail "another program was started"
[ -e model.safetensors ] || fail "no model was written"
