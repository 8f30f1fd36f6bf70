# A checkpoint that cannot be written costs the checkpoint, not the training.

train=$DATA/daily.train.zh-en.tsv
settings=(-t 1 --hidden-size 24 --embedding-size 16 --batch-size 64)
expect_exit 0 "$ELMAN" train -q --epochs 12 "${settings[@]}" -o expected "$train"
rm expected.checkpoint

# blocked_train EPOCHS ARGUMENT...: trains from a pipe; when the training has looked for a checkpoint, and
# before it begins, a directory takes the checkpoint's place.
blocked_train() {
  mkfifo pipe
  "$ELMAN" train "${settings[@]}" -o m --epochs "$@" pipe >"$results/stdout" 2>"$results/stderr" &
  trained=$!
  exec 3>pipe # waits until the training reads
  mkdir m.checkpoint
  cat "$train" >&3
  exec 3>&-
  rm pipe
}
# ends_with CODE: the training that was begun.
ends_with() {
  local code=0
  wait $trained || code=$?
  [ $code -eq "$1" ] || fail "exit code $code instead of $1"
}
untold='^skipped this checkpoint; training continues$'

blocked_train 12 --save-every 0.01
ends_with 73
cmp expected m || fail "the training was lost, or is another one"
expect_stderr_match '^elman: m.checkpoint: is a directory; name a file$'
expect_stderr_match "$untold"
[ "$(grep -c m.checkpoint "$results/stderr")" -eq 1 ] || fail "told more than once"
expect_stderr_match '^wrote m;'
rmdir m.checkpoint
expect_files expected m
rm m

blocked_train 12 --save-every 0.01 -q
ends_with 73
cmp expected m || fail "the training was lost, or is another one"
[ "$(wc -l <"$results/stderr")" -eq 1 ] || fail "more than the error is told"
rmdir m.checkpoint
rm m

# What can be written later is.
blocked_train 1000000 --save-every 0.01
await grep -q "$untold" "$results/stderr"
rmdir m.checkpoint
await grep -q '^the checkpoint could be written again$' "$results/stderr"
kill -TERM $trained
ends_with 143
expect_stderr_match '^stopped in epoch [0-9]+; .* and --resume continues the run$'
expect_files expected m m.checkpoint
rm m m.checkpoint

# A training that is stopped and cannot save where it stands says so.
blocked_train 1000000 --save-every 0
await grep -q '^epoch 1 ' "$results/stderr"
kill -TERM $trained
ends_with 73
expect_stderr_match '^elman: m.checkpoint: is a directory; name a file$'
expect_stderr_match '^stopped in epoch [0-9]+; .* but without a checkpoint, --resume is not possible$'
expect_exit 0 "$ELMAN" translate -m m 我

# What is nobody else's business stays so: the checkpoint has the permissions of the model.
rmdir m.checkpoint
chmod 600 m
expect_exit 0 "$ELMAN" train -q --epochs 12 "${settings[@]}" --save-every 0.000001 -o m "$train"
[ "$(stat -c %a m m.checkpoint | xargs)" = '600 600' ] || fail "modes $(stat -c %a m m.checkpoint | xargs)"
