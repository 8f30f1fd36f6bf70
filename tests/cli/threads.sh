# Test: threads.
# A model that is large enough for threads gives the same bytes for any number of them.
head -n 192 "$DATA/daily.zh-en.tsv" >pairs
cut -f 1 pairs | head -n 130 >lines
settings=(-q --epochs 1 --hidden-size 256 --dropout 0.1 --average 0.9 --dev pairs)
for threads in 1 2 5; do
  expect_model model.1 -t $threads "${settings[@]}" -o model.$threads pairs
  expect_model muon.1 -t $threads "${settings[@]}" --optimizer muon --shards 2 --batch-size 16 -o muon.$threads pairs
done
cmp -s model.1 muon.1 && fail "--optimizer has no effect"

# alone COMMAND...: run the command on one processor, and so with one thread.
alone() {
  taskset -c "$(taskset -cp $$ | grep -oE '[0-9]+' | tail -n 1)" "$@"
}
for command in "translate -q -i lines" "translate -q --beam 4 -i lines" "translate -q --beam 4 --json 我爱学习" \
  "attention --format json 我爱学习" "score pairs" "repl -q" "evaluate --json pairs"; do
  # shellcheck disable=SC2086 # words of a command
  alone "$ELMAN" ${command%% *} -m model.1 ${command#* } <lines >one 2>/dev/null || fail "alone on one processor: $command"
  # shellcheck disable=SC2086
  expect_same one ${command%% *} -m model.1 ${command#* } <lines
  for threads in 1 2 5; do
    # shellcheck disable=SC2086
    expect_same one ${command%% *} -t $threads -m model.1 ${command#* } <lines
  done
done

# --threads sets the number of threads that a waiting program has. ThreadSanitizer adds one of its own, so two
# runs are compared.
mkfifo ask answer
for threads in 1 2; do
  count=0
  "$ELMAN" repl -q -t $threads -m model.1 <ask >answer &
  exec 3>ask 4<answer
  cat lines >&3
  while read -r -t 60 line <&4 && [ $((count += 1)) -lt 130 ]; do :; done
  running=$(ls "/proc/$!/task" | wc -l)
  exec 3>&- 4<&-
  wait $! || fail "exit code of an ended REPL"
  [ $threads -gt 1 ] || single=$running
  [ $((running - single)) -lt $threads ] || fail "$running threads with -t $threads, $single with -t 1"
  [ "$(nproc)" -lt $threads ] || [ $((running - single)) -eq $((threads - 1)) ] ||
    fail "$running threads with -t $threads"
done
