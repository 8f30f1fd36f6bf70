# Only one run at a time may use an output.

toy=$DATA/toy.zh-en.tsv
begin() { # begin ARGUMENT...: start an endless run in the background and wait until it trains
  rm -f first
  "$ELMAN" train -t 1 --epochs 1000000 "$@" "$toy" 2>first &
  first=$!
  await grep -sqE '^(epoch 1 |resuming in epoch)' first
}
refused() { # refused ARGUMENT...
  expect_error 73 "^elman: .*: process $first is writing it; wait until that process ends, or name another file$" \
    train -t 1 "$@" "$toy"
  expect_stdout
  [ "$(wc -l <"$results/stderr")" -eq 1 ] || fail "expected one line, the error"
}

begin --save-every 0.01
await [ -e model.safetensors.checkpoint ]
[ -e model.safetensors.lock ] || fail "the lock file is missing"
refused
refused -o ./model.safetensors
refused --epochs 1000000 --resume
ln -s model.safetensors alias
refused -o alias
expect_exit 0 "$ELMAN" train -q --epochs 1 -o other "$toy"
# Other commands cannot write to the output, either.
expect_exit 73 "$ELMAN" average -q -o model.safetensors other other
expect_stderr_match "^elman: model.safetensors: process $first is writing it; wait until that process ends, or name another file\$"
kill -TERM $first
wait $first
[ $? -eq 143 ] || fail "the first run was disturbed"
expect_files alias first model.safetensors model.safetensors.checkpoint other other.checkpoint

# The log is locked, too, under any name.
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
[ $? -eq 143 ] || fail "the first run was disturbed"
! grep -vE '^\{[^{]*\}$' log || fail "an incomplete line in the log"
grep -o '"update":[0-9]*' log | cut -d : -f 2 | cmp - <(seq "$(grep -c '"update":' log)") ||
  fail "another run wrote to the log"
rm linked log third third.checkpoint

# The lock of a killed process has no effect, and its files are removed.
begin --resume --save-every 0.01
kill -KILL $first
wait $first 2>/dev/null
[ -e model.safetensors.lock ] || fail "no lock file is left: the test proves nothing"
begin --resume --save-every 0.01
kill -TERM $first
wait $first
expect_files alias first model.safetensors model.safetensors.checkpoint other other.checkpoint
rm alias first model.safetensors model.safetensors.checkpoint other other.checkpoint

# A file with the name of the lock that is not a lock is kept.
echo '{}' >model.safetensors.lock
expect_error 73 '^elman: model.safetensors.lock: is not a lock file of elman; remove it, or name another output$' \
  train "$toy"
[ "$(cat model.safetensors.lock)" = '{}' ] || fail "the file changed"
rm model.safetensors.lock

# ---- several runs at once ----

# Several runs with one output start at once and are killed at any moment: only one trains at a time, and
# the final model equals that of a single run.
head -n 3 "$toy" >dev.tsv
settings=(train -q -t 1 --epochs 2000 --hidden-size 16 --embedding-size 16 --dev dev.tsv
  --validate-every 7 --average 0.9 --dropout 0.1)
expect_exit 0 "$ELMAN" "${settings[@]}" -o expected "$toy"
rm expected.checkpoint

killed=0 refused=0
# rivals PAUSE: start three runs at once; after the pause, unless it is empty, kill all.
rivals() {
  local i code rivals=()
  for i in 1 2 3; do
    "$ELMAN" "${settings[@]}" --resume --save-every 0.005 --log log "$toy" 2>"$results/rival.$i" &
    rivals+=($!)
  done
  [ -z "$1" ] || { sleep "$1"; kill -KILL "${rivals[@]}" 2>/dev/null; }
  for i in 1 2 3; do
    code=0
    wait "${rivals[i - 1]}" 2>/dev/null || code=$?
    case $code in
      0) ;;
      73) refused=$((refused + 1)) ;;
      137) killed=$((killed + 1)) ;;
      *) fail "exit code $code: $(cat "$results/rival.$i")" ;;
    esac
  done
}
# On a busy machine a run may finish during the first pause.
for _ in 1 2 3 4 5 6 7 8; do
  rm -f model.safetensors* log
  for pause in 0.05 0.02 0.09 0.04 0.07 0.03 0.06 0.08; do rivals $pause; done
  [ $killed -eq 0 ] || break
done
[ $killed -gt 0 ] || fail "no run was killed: the test proves nothing"
rivals ''
[ $refused -gt 0 ] || fail "no run was refused: the test proves nothing"

expect_exit 0 "$ELMAN" "${settings[@]}" --resume --log log "$toy"
cmp expected model.safetensors || fail "the model differs"
expect_files dev.tsv expected log model.safetensors model.safetensors.checkpoint
# The log contains every update; updates after a checkpoint may be repeated. No two runs wrote one line: only a kill in the
# middle of a write leaves a line without an end, which the next run completes (train_log.sh).
! grep -vE '^\{[^{}]*\}?$' log || fail "two objects in a line of the log"
[ "$(grep -c '[^}]$' log)" -le "$killed" ] || fail "an incomplete line that no kill explains"
grep -E '"event":"update".*\}$' log | grep -oE '"update":[0-9]+' | cut -d : -f 2 | sort -nu | cmp - <(seq 2000) ||
  fail "an update is missing in the log"
