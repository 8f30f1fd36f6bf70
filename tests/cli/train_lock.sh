# One training at a time for an output.

toy=$DATA/toy.zh-en.tsv
begin() { # begin ARGUMENT...: a training that does not end, in the background, under way
  rm -f first
  "$ELMAN" train -t 1 --epochs 1000000 "$@" "$toy" 2>first &
  first=$!
  await grep -sqE '^(epoch 1 |resuming in epoch)' first
}
refused() { # refused ARGUMENT...
  expect_exit 73 "$ELMAN" train -t 1 "$@" "$toy"
  expect_stdout
  expect_stderr_match "^elman: .*: process $first is writing it; wait until that process ends, or name another file$"
  [ "$(wc -l <"$results/stderr")" -eq 1 ] || fail "more was done than refused"
}

begin --save-every 0.01
await [ -e model.safetensors.checkpoint ]
[ -e model.safetensors.lock ] || fail "no lock"
refused
refused -o ./model.safetensors
refused --epochs 1000000 --resume
ln -s model.safetensors alias
refused -o alias
expect_exit 0 "$ELMAN" train -q --epochs 1 -o other "$toy"
# Nor does anything else write there.
expect_exit 73 "$ELMAN" average -q -o model.safetensors other other
expect_stderr_match "^elman: model.safetensors: process $first is writing it; wait until that process ends, or name another file\$"
kill -TERM $first
wait $first
[ $? -eq 143 ] || fail "the first training was disturbed"
expect_files alias first model.safetensors model.safetensors.checkpoint other other.checkpoint

# The log is claimed, too, by whatever name.
begin -o third --log log --save-every 0.01
await [ -s log ]
ln -s log linked
for log in log ./log linked; do
  refused -o other --log $log
  refused -o other --log $log --force
  refused -o other --log $log --resume
done
kill -TERM $first
wait $first
[ $? -eq 143 ] || fail "the first training was disturbed"
! grep -vE '^\{[^{]*\}$' log || fail "half a line in the log"
grep -o '"update":[0-9]*' log | cut -d : -f 2 | cmp - <(seq "$(grep -c '"update":' log)") ||
  fail "another training wrote to the log"
rm linked log third third.checkpoint

# A process that was killed stands in nobody's way, and what it left is cleared away.
begin --resume --save-every 0.01
kill -KILL $first
wait $first 2>/dev/null
[ -e model.safetensors.lock ] || fail "no lock is left: the case shows nothing"
begin --resume --save-every 0.01
kill -TERM $first
wait $first
expect_files alias first model.safetensors model.safetensors.checkpoint other other.checkpoint
rm alias first model.safetensors model.safetensors.checkpoint other other.checkpoint

# What has the lock's name and is none is kept.
echo '{}' >model.safetensors.lock
expect_exit 73 "$ELMAN" train "$toy"
expect_stderr_match '^elman: model.safetensors.lock: is not a lock file of elman; remove it, or name another output$'
[ "$(cat model.safetensors.lock)" = '{}' ] || fail "the file is lost"
rm model.safetensors.lock

# A device needs none.
for device in /dev/null /dev/full; do
  code=0
  "$ELMAN" train -q --epochs 1 -o $device "$toy" 2>"$results/stderr" || code=$?
  [ $code -eq $([ $device = /dev/null ] && echo 0 || echo 74) ] || fail "exit code $code for $device"
  [ ! -e $device.lock ] || fail "a lock beside $device"
done
expect_stderr_match '^elman: /dev/full: cannot write the file: No space left on device$'
expect_files
