# After a signal, training ends with the current update, and the model is written.

ready() { grep -q '^epoch 1 ' "$results/stderr"; }

stop() { # stop SIGNAL CODE
  expect_signal_exit "$1" "$2" "$ELMAN" train -t 1 --epochs 1000000 "$DATA/toy.zh-en.tsv"
  expect_stderr_match '^stopped in epoch [0-9]+; the model so far is saved, and --resume continues the run$'
  expect_stderr_match '^wrote model.safetensors;'
  expect_exit 0 "$ELMAN" translate 我
  expect_files model.safetensors model.safetensors.checkpoint
  # Only --resume may continue to write this output.
  expect_error 73 'model.safetensors.checkpoint: is the checkpoint of an unfinished run; add --resume' train \
    "$DATA/toy.zh-en.tsv"
  rm model.safetensors model.safetensors.checkpoint
}
stop INT 130
stop TERM 143
stop XCPU 152

# At the limit of processor time the kernel sends a signal every second.
code=0
(ulimit -S -t 1 && exec "$ELMAN" train -q -t 1 --epochs 1000000 "$DATA/toy.zh-en.tsv") || code=$?
[ $code -eq 152 ] || fail "exit code $code instead of 152 at the limit of processor time"
expect_files model.safetensors model.safetensors.checkpoint
rm model.safetensors model.safetensors.checkpoint

# timeout sends its signal to the program and then to its process group; the second signal must not end the program at once.
for signal in INT TERM; do
  expect_exit 124 timeout -s $signal 1 "$ELMAN" train -q -t 1 --epochs 1000000 "$DATA/toy.zh-en.tsv"
  expect_files model.safetensors model.safetensors.checkpoint
  rm model.safetensors model.safetensors.checkpoint
done

# If stderr is closed, training continues.
"$ELMAN" train -t 1 --epochs 300 "$DATA/toy.zh-en.tsv" 2> >(head -n 1 >/dev/null)
[ $? -eq 0 ] || fail "training failed with a closed stderr"
expect_files model.safetensors model.safetensors.checkpoint

# SIGUSR1 writes a checkpoint, and training continues. After a kill, the run continues from it.
rm -f model.safetensors*
"$ELMAN" train -t 1 --epochs 1000000 --save-every 0 "$DATA/toy.zh-en.tsv" 2>"$results/stderr" &
run=$!
await ready
[ ! -e model.safetensors.checkpoint ] || fail "a checkpoint without a signal"
for count in 1 2; do
  kill -USR1 $run
  await eval "[ \$(grep -c '^wrote the checkpoint in epoch [0-9]* (SIGUSR1); training continues$' '$results/stderr') -eq $count ]"
done
kill -0 $run || fail "the signal ended the run"
kill -KILL $run
wait $run
epochs=$(sed -n 's/^wrote the checkpoint in epoch \([0-9]*\) .*/\1/p' "$results/stderr" | tail -n 1)
expect_note "^resuming in epoch ($epochs|$((epochs + 1))), " train -t 1 --epochs "$((epochs + 1))" --resume \
  "$DATA/toy.zh-en.tsv"
# SIGUSR1 does not end a run without a checkpoint either, such as one whose output is a device. This holds
# from the start, before the pairs are read.
mkfifo pairs
"$ELMAN" train -t 1 --epochs 1000000 -o /dev/null pairs 2>"$results/stderr" &
run=$!
exec 3>pairs
kill -USR1 $run
cat "$DATA/toy.zh-en.tsv" >&3
exec 3>&-
await grep -q '^/dev/null is not a regular file: no checkpoint is written$' "$results/stderr"
kill -TERM $run
wait $run
[ $? -eq 143 ] || fail "another exit code"
