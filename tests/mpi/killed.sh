# One process is killed at any moment: all processes end, and after --resume the model equals that of an
# uninterrupted run.
. "$(dirname "$case_file")/start.sh"

head -n 600 "$DATA/daily.train.zh-en.tsv" >pairs
train=("$ELMAN" train -q -t 1 --shards 3 --epochs 400 --batch-size 30 --hidden-size 32 --embedding-size 16
  --learning-rate 0.02 --dropout 0.1 --average 0.9)
expect_exit 0 "${train[@]}" -o expected pairs
rm expected.checkpoint

more_lines() { [ "$(wc -l <log)" -ge "$1" ]; }
: >log
for kill in {1..12}; do
  lines=$(($(wc -l <log) + 3 + RANDOM % 40))
  code=0
  "${mpirun[@]}" -n $((2 + kill % 2)) "${train[@]}" --resume --save-every 0.02 --log log pairs \
    >"$results/stdout" 2>"$results/stderr" &
  run=$!
  await more_lines $lines
  kill -KILL "$(process_of $run $((kill % 2)))" 2>/dev/null || fail "the run ended before the kill"
  wait $run || code=$?
  [ $code -ne 0 ] || fail "exit code 0 after a process was killed"
  [ ! -e model.safetensors ] || fail "a model was written"
done
expect_exit 0 processes 3 "${train[@]}" --resume --log log pairs
cmp expected model.safetensors || fail "the model differs after kill and --resume"
expect_files expected log model.safetensors model.safetensors.checkpoint pairs
