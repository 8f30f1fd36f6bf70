# If memory is limited, the program restarts itself without the threads of OpenBLAS.
limited() {
  (ulimit -v 8000000 && exec "$@")
}
limited "$ELMAN" help >/dev/null 2>&1 || exit 77 # as with a sanitizer
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
expect_exit 0 limited "$ELMAN" train -q --epochs 1 - <"$DATA/toy.zh-en.tsv"
expect_exit 0 limited "$ELMAN" train -q --epochs 1 "$DATA/toy.zh-en.tsv" <&-
expect_files model.safetensors model.safetensors.checkpoint

# If the program file is replaced while the program runs, it continues without a restart.
cp "$ELMAN" program
exec 8<program
rm program
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/other" >program
cp program 'program (deleted)'
chmod +x program 'program (deleted)'
expect_exit 0 limited /proc/self/fd/8 train -q --epochs 1 "$DATA/toy.zh-en.tsv"
exec 8<&-
[ ! -e other ] || fail "another program was started"
[ -e model.safetensors ] || fail "no model was written"
