# Where memory is limited the program starts itself anew, without OpenBLAS's threads.
limited() {
  (ulimit -v 8000000 && exec "$@")
}
limited "$ELMAN" help >/dev/null 2>&1 || exit 77 # as a sanitizer has it
unset OPENBLAS_NUM_THREADS

: >"$results/stderr"
(ulimit -v 8000000 && exec "$ELMAN" train --epochs 1000000 "$DATA/toy.zh-en.tsv") \
  >/dev/null 2>"$results/stderr" &
pid=$! tries=0
until grep -q '^epoch 1 ' "$results/stderr"; do
  [ $((tries += 1)) -lt 600 ] || { kill "$pid"; fail "the training did not begin"; }
  sleep 0.05
done
[ "$(cat "/proc/$pid/comm")" = elman ] || fail "the training has another name"
tr '\0' '\n' <"/proc/$pid/environ" | grep '^OPENBLAS_NUM_THREADS=' >"$results/stdout"
kill "$pid"
wait "$pid"
rm -f model.safetensors model.safetensors.checkpoint
expect_stdout OPENBLAS_NUM_THREADS=1

# Whatever it was given is still there: a closed stream, standard input.
expect_exit 0 limited "$ELMAN" train -q --epochs 1 - <"$DATA/toy.zh-en.tsv"
expect_exit 0 limited "$ELMAN" train -q --epochs 1 "$DATA/toy.zh-en.tsv" <&-
expect_files model.safetensors model.safetensors.checkpoint

# A program that was replaced while it ran goes on as it is.
cp "$ELMAN" program
exec 8<program
rm program
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/other" >program
cp program 'program (deleted)'
chmod +x program 'program (deleted)'
expect_exit 0 limited /proc/self/fd/8 train -q --epochs 1 "$DATA/toy.zh-en.tsv"
exec 8<&-
[ ! -e other ] || fail "another program was run"
[ -e model.safetensors ] || fail "there is no model"
