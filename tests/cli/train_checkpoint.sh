# If a checkpoint cannot be written, training continues without it.

train=$DATA/daily.train.zh-en.tsv
settings=(-t 1 --hidden-size 24 --embedding-size 16 --batch-size 64)
expect_exit 0 "$ELMAN" train -q --epochs 24 "${settings[@]}" -o expected "$train"
rm expected.checkpoint

# blocked_train EPOCHS ARGUMENT...: train; after the first update, create a directory with the checkpoint's name. The
# pipe of the log is full before the run ends, so the run waits for that.
blocked_train() {
  mkfifo pipe
  "$ELMAN" train "${settings[@]}" -o m --log pipe --epochs "$@" "$train" >"$results/stdout" 2>"$results/stderr" &
  trained=$!
  exec 3<pipe
  read -r <&3
  until mkdir m.checkpoint 2>/dev/null; do rm -f m.checkpoint; done
  cat <&3 >/dev/null &
  exec 3<&-
  rm pipe
}
# ends_with PATTERN: wait for the run and check its exit code. It is 74 if the directory appeared during the last step of
# writing a checkpoint.
ends_with() {
  local code=0
  wait $trained || code=$?
  [[ $code == $1 ]] || fail "exit code $code instead of $1"
}
untold='^skipped this checkpoint; training continues$'

blocked_train 24 --save-every 0.01
ends_with '7[34]'
cmp expected m || fail "the model is missing or differs"
expect_stderr_match '^elman: m.checkpoint: (is a directory; name a file|cannot write the file: Is a directory; an existing file is unchanged)$'
expect_stderr_match "$untold"
[ "$(grep -c m.checkpoint "$results/stderr")" -eq 1 ] || fail "the error is printed more than once"
expect_stderr_match '^wrote m;'
rmdir m.checkpoint
expect_files expected m
rm m

blocked_train 24 --save-every 0.01 -q
ends_with '7[34]'
cmp expected m || fail "the model is missing or differs"
[ "$(wc -l <"$results/stderr")" -eq 1 ] || fail "expected one line, the error"
rmdir m.checkpoint
rm m

# A checkpoint that can be written later is written.
blocked_train 1000000 --save-every 0.01
await grep -q "$untold" "$results/stderr"
rmdir m.checkpoint
await grep -q '^checkpoints can be written again$' "$results/stderr"
kill -TERM $trained
ends_with 143
expect_stderr_match '^stopped in epoch [0-9]+; .* and --resume continues the run$'
expect_files expected m m.checkpoint
rm m m.checkpoint

# A run that is stopped and cannot write its checkpoint reports an error.
blocked_train 1000000 --save-every 0
await grep -q '^epoch 1 ' "$results/stderr"
kill -TERM $trained
ends_with '7[34]'
expect_stderr_match '^elman: m.checkpoint: (is a directory; name a file|cannot write the file: Is a directory; an existing file is unchanged)$'
expect_stderr_match '^stopped in epoch [0-9]+; .* but without a checkpoint, --resume is not possible$'
expect_exit 0 "$ELMAN" translate -m m 我

# The checkpoint has the permissions of the model.
rmdir m.checkpoint
chmod 600 m
expect_exit 0 "$ELMAN" train -q --epochs 24 "${settings[@]}" --save-every 0.000001 -o m "$train"
[ "$(stat -c %a m m.checkpoint | xargs)" = '600 600' ] || fail "wrong modes: $(stat -c %a m m.checkpoint | xargs)"
