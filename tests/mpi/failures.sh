# If one process fails, all end with one message and one exit code.
. "$(dirname "$case_file")/start.sh"

# mpirun prints messages of its own if the exit code is not 0; count only those of elman.
expect_messages() { # expect_messages COUNT
  local count
  count=$(grep -c '^elman: ' "$results/stderr")
  [ "$count" -eq "$1" ] || fail "expected $1 messages, got $count"
}
refuse() { # refuse CODE REGEX COMMAND...
  local code=$1 regex=$2
  shift 2
  expect_exit "$code" "$@"
  expect_stderr_match "$regex"
  expect_messages 1
  expect_stdout
}
head -n 400 "$DATA/daily.train.zh-en.tsv" >pairs
small=(--shards 3 --epochs 2 --embedding-size 16 --batch-size 40)

refuse 64 "^elman: train: unknown option '--frob'" processes 3 "$ELMAN" train --frob pairs
refuse 64 '^elman: train: --shards 3 allows at most 3 processes, but 4 were started; ' processes 4 "$ELMAN" train "${small[@]}" pairs
refuse 64 "^elman: train: standard input \('-'\) reaches only one process" \
  processes 2 "$ELMAN" train "${small[@]}" - <pairs
refuse 64 "^elman: evaluate: standard input" processes 2 "$ELMAN" evaluate - <pairs
refuse 66 '^elman: nowhere: cannot open the file' processes 2 "$ELMAN" train "${small[@]}" nowhere
refuse 73 '^elman: no/such: cannot create' processes 2 "$ELMAN" train "${small[@]}" -o no/such pairs
expect_exit 0 processes 2 "$ELMAN" train --help
expect_no_stderr
[ "$(grep -c '^Usage' "$results/stdout")" -eq 1 ] || fail "more than one process printed the help"

# A file that is missing or has other pairs in one process.
for rank in 0 1 2; do
  on_process $rank
  [ $rank -eq 0 ] && process= || process="process $rank: "
  refuse 66 "^elman: ${process}other: cannot open the file" \
    processes 3 ./differ "$ELMAN" train -q "${small[@]}" @
done
sed '7s/./&&/' pairs >other
for rank in 0 2; do
  on_process $rank
  refuse 64 '^elman: process [12]: .*; all processes of a run need the same program, files and options$' \
    processes 3 ./differ "$ELMAN" train -q "${small[@]}" @
done
rm other
expect_files differ pairs

# An option that only some processes have, and a file that one process lacks.
for rank in 0 1; do
  tune=('' '')
  tune[rank]=--tune-search
  refuse 64 '^elman: process 1: train: give --tune-search to all processes or to none$' \
    "${mpirun[@]}" -n 1 "$ELMAN" train "${small[@]}" --dev pairs ${tune[0]} pairs : \
    -n 1 "$ELMAN" train "${small[@]}" --dev pairs ${tune[1]} pairs
done
on_process 1
refuse 66 '^elman: process 1: other: cannot open the file' processes 3 ./differ "$ELMAN" train "${small[@]}" --dev @ pairs
expect_files differ pairs

# evaluate with a model that is missing in one process.
"$ELMAN" train -q -t 1 --epochs 1 -o pairs.model pairs || fail "training failed"
on_process 1
ln -s pairs.model model
ln -s nowhere other
sed -i 's/=pairs$/=model/' differ
refuse 66 '^elman: process 1: other: ' processes 2 ./differ "$ELMAN" evaluate -m @ pairs

# Another model in one process.
"$ELMAN" train -q -t 1 --epochs 1 --seed 2 -o other.model pairs || fail "training failed"
ln -sf other.model other
refuse 64 '^elman: process 1: the model, program, kernels or options differ from those of process 0; ' \
  processes 2 ./differ "$ELMAN" evaluate -m @ pairs
rm differ model other other.model pairs.model *.checkpoint

# Signals: to process 0, as without mpirun; to mpirun, which forwards them.
endless=(--shards 3 --epochs 1000000 --hidden-size 16 --embedding-size 16 --log log -o m)
begun() { [ -e log ] && [ "$(wc -l <log)" -gt 5 ]; }
start() { # start PROCESSES OPTION...: start training; $run is the process id of mpirun
  local count=$1
  shift
  rm -f log
  "${mpirun[@]}" -n "$count" "$ELMAN" train -t 1 "${endless[@]}" "$@" pairs >"$results/stdout" 2>"$results/stderr" &
  run=$!
  await begun
}
end() { # end CODE: wait for the run and check its exit code
  local code=0
  wait $run || code=$?
  [ "$1" = any ] || [ "$code" -eq "$1" ] || fail "exit code $code instead of $1"
  [ "$code" -ne 0 ] || fail "exit code 0"
}
start 3
kill -TERM $run
end any
expect_stderr_match '^stopped in epoch [0-9]+; the model so far is saved, and --resume continues the run$'
expect_files log m m.checkpoint pairs
rm m m.checkpoint
start 2
kill -INT "$(process_of $run 0)"
end 130
expect_files log m m.checkpoint pairs
expect_messages 0
rm m m.checkpoint

# Only process 0 reads the clock; the time limit ends all processes.
cat >hours <<'END'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" != 0 ] || set -- "$@" --hours 0.0003
exec "$@"
END
chmod +x hours
expect_exit 0 processes 2 ./hours "$ELMAN" train -q -t 1 "${endless[@]}" pairs
expect_messages 0
expect_exit 0 "$ELMAN" inspect -m m
rm -f hours log m m.*

# A process that does not respond.
start 3 --timeout 2
kill -STOP "$(process_of $run 1)"
end 74
expect_stderr_match '^elman: (process [02]: )?process 1: no response for 2 seconds \(--timeout\)$'
# Process 0 writes what has been trained so far and removes its locks, if MPI leaves it time.
[ ! -e m ] || expect_exit 0 "$ELMAN" inspect -m m
rm -f m m.* log.lock
expect_files log pairs

# A full disk in process 0.
mkdir disk
small_disk() {
  unshare -rm bash -c 'mount -t tmpfs -o size=100k none disk && exec "$@"' - "$@"
}
if unshare -rm mount -t tmpfs -o size=100k none disk 2>/dev/null; then
  expect_message 74 '^elman: disk/m: cannot write the file, which needs about [0-9]+ bytes: No space left on device' \
    small_disk mpirun --oversubscribe --bind-to none -n 3 "$ELMAN" train -q -t 1 "${small[@]}" -o disk/m pairs
  expect_messages 1
fi
