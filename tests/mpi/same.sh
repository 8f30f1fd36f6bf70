# Model and log are equal, byte for byte, for any number of processes and threads.
. "$(dirname "$case_file")/start.sh"

head -n 600 "$DATA/daily.train.zh-en.tsv" | sed 's/三/33/; s/three/33/' >pairs
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev
base=(--shards 4 --batch-size 30 --hidden-size 24 --embedding-size 16 --learning-rate 0.02)
rich=(--dropout 0.2 --label-smoothing 0.1 --average 0.9 --attention multihead --bidirectional --dev dev
  --validate-every 13 --schedule plateau)

compare() { # compare NAME OPTION...
  local name=$1 processes threads
  shift
  expect_exit 0 "$ELMAN" train -q -f -t 1 --epochs 3 --log log "$@" pairs
  mv model.safetensors "expected_$name"
  without_times log >expected_log
  for processes in 1 2 3 4; do
    for threads in 1 2; do
      expect_exit 0 processes $processes "$ELMAN" train -q -f -t $threads --epochs 3 --log log "$@" pairs
      cmp "expected_$name" model.safetensors ||
        fail "$name: the model differs with $processes processes, $threads threads"
      without_times log | cmp expected_log - ||
        fail "$name: the log differs with $processes processes, $threads threads"
    done
  done
}
compare base "${base[@]}"
compare rich "${base[@]}" "${rich[@]}"
compare tied "${base[@]/16/24}" --attentional-layer --tie-embeddings
compare bfloat16 "${base[@]}" --precision bfloat16
compare muon "${base[@]}" "${rich[@]}" --optimizer muon
compare augmented "${base[@]}" --subwords 60 --merge 0.3 --copy-noise 0.3 --copy-numbers 0.5 --typos 0.2 --upper-case 0.1 --title-case 0.1
compare r-drop "${base[@]}" --r-drop 3 --dropout 0.2
compare tuned "${base[@]}" --dev dev --tune-search

# The number of shards changes the order of sums, and so the last bits of the model.
expect_exit 0 last_wins "$ELMAN" train -q -f -t 1 --epochs 3 "${base[@]}" --shards 1 pairs
! cmp -s expected_base model.safetensors || fail "--shards has no effect on the model"

# The volume that each process sends is printed.
expect_message 0 '^3 processes; process 0 sent [1-9][0-9]* bytes per update$' processes 3 "$ELMAN" train -f -t 1 \
  --epochs 3 "${base[@]}" pairs
expect_stderr_match '^epoch 1 of 3 '
[ "$(grep -c '^epoch 1 of 3 ' "$results/stderr")" -eq 1 ] || fail "more than one process printed messages"

# The volume is (93) of docs/cluster.md, plus one number at the end of each epoch, which has one update here. The
# pairs lack <unk> on both sides and </s> as an input, and the last bias is padded from 21 to 32.
numbers=$((76565 - 3 * 128 + 11)) output=$((21 * (2 * 128 + 1) + 11))
for split in 2:2 2:4 3:4 4:4; do
  count=${split%:*} shards=${split#*:}
  slice=$((output / count + (numbers - output) / count)) own=$((shards / count))
  sent=$((4 * (numbers - slice + (count - 1) * slice) + (count - 1) * (24 * own + 4 + 4)))
  expect_message 0 '^76565 parameters, ' processes $count "$ELMAN" train -f -t 1 --epochs 5 --shards $shards \
    "$DATA/toy.zh-en.tsv"
  expect_stderr_match "^$count processes; process 0 sent $sent bytes per update\$"
done

# Stop, and resume with another number of processes.
train=("$ELMAN" train -t 1 "${base[@]}" --log stopped "${rich[@]}" --epochs 120)
"${train[@]}" -q pairs || fail "training failed"
mv model.safetensors expected
rm log model.safetensors.checkpoint
: >stopped
more_lines() { [ "$(wc -l <stopped)" -gt "$1" ]; }
stop() { # stop PROCESSES
  local code=0 lines
  lines=$(wc -l <stopped)
  "${mpirun[@]}" -n "$1" "${train[@]}" --resume pairs >"$results/stdout" 2>"$results/stderr" &
  await more_lines $((lines + 20))
  kill -TERM "$(process_of $! 0)"
  wait $! || code=$?
  [ $code -eq 143 ] || fail "exit code $code instead of 143"
  expect_stderr_match '^stopped in epoch [0-9]+; the model so far is saved, and --resume continues the run$'
}
stop 3
stop 1
stop 4
stop 2
expect_exit 0 processes 3 "${train[@]}" -q --resume pairs
cmp expected model.safetensors || fail "the model differs after --resume with another number of processes"
