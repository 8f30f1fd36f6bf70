# A disk of one megabyte: files that do not fit are reported, and existing files are unchanged.
# Needs a file system that the test may mount in a namespace of its own.

if [ -z "${ON_SMALL_DISK:-}" ]; then
  unshare -rm mount -t tmpfs -o size=8m none "$PWD" 2>/dev/null || exit 77
  TMPDIR=$PWD ON_SMALL_DISK=1 unshare -rm "$(dirname "$case_file")/run" "$ELMAN" "$case_file"
  exit
fi
mount -t tmpfs -o size=1m none "$PWD" && cd "$PWD" || fail "mount failed"
toy=$DATA/toy.zh-en.tsv
train() { last_wins "$ELMAN" train -q -t 1 --epochs 2 --save-every 0 --hidden-size 100 --embedding-size 100 "$@" "$toy"; }

# The model fits, its checkpoint does not: the run does not begin, and nothing is left.
train -o "$HOME/expected" || fail "training failed"
head -c 600000 /dev/zero >filling
expect_exit 74 train
expect_stderr_match '^elman: model.safetensors.checkpoint: cannot write the file, which needs about [0-9]+ bytes: No space left on device; make room, or name a file on another disk$'
expect_files filling
# A file system that cannot allocate reports its free space.
if strace -o /dev/null true 2>/dev/null; then
  for limit in unlimited 100; do
    [ $limit = unlimited ] || rm filling
    code=0
    (ulimit -f $limit; ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o "$HOME/trace" -e trace=fallocate \
      -e inject=fallocate:error=EOPNOTSUPP "$ELMAN" train -q -t 1 --hidden-size 100 --embedding-size 100 "$toy") \
      2>"$results/stderr" || code=$?
    [ $code -eq 74 ] || fail "exit code $code with the limit $limit"
    expect_stderr_match 'cannot write the file, which needs about [0-9]+ bytes: (No space left on device|File too large);'
    [ -z "$(ls | grep model)" ] || fail "files remain"
  done
  head -c 600000 /dev/zero >filling
fi
# A limit of the process is noticed, too; also for the log, whose old content stays.
printf '{"event":"start","version":"1"}\n' >old.jsonl
cp old.jsonl "$HOME"
for limit in 'ulimit -f 100;--log new.jsonl' 'cat /dev/zero >rest 2>/dev/null;--log old.jsonl'; do
  (eval "${limit%%;*}"; cd "$HOME" && "$ELMAN" train -q --epochs 100000 --hidden-size 2 --embedding-size 2 -o small \
    --log "$OLDPWD/${limit##* }" "$toy") 2>"$results/stderr"
  [ $? -eq 74 ] || fail "a log without room: another exit code"
  expect_stderr_match '/(old|new).jsonl: cannot write the file, which needs about 10[0-9]+ bytes: '
done
cmp old.jsonl "$HOME/old.jsonl" || fail "the old log changed"
rm -f rest old.jsonl
# A run that may write a second checkpoint needs room for it beside the first.
rm filling
expect_exit 74 train --save-every 600
expect_stderr_match '^elman: model.safetensors.checkpoint: cannot write the file, which needs about [0-9]+ bytes: No space left on device;'
expect_exit 0 train
rm model.safetensors*
# The disk is full at the end: the model is written elsewhere.
mkfifo log
train --epochs 400 --log log 2>"$results/stderr" &
run=$!
exec 3<log
read -r <&3
cat /dev/zero >rest 2>/dev/null
cat <&3 >/dev/null &
exec 3<&-
code=0
wait $run || code=$?
[ $code -eq 74 ] || fail "exit code $code although the model cannot be written"
expect_stderr_match '^elman: model.safetensors: cannot write the file: No space left on device; an existing file is unchanged$'
rescued=$(sed -n 's/^elman: wrote the model to \(.*\) instead; .*/\1/p' "$results/stderr")
case $rescued in
  "${TMPDIR:-/tmp}"/elman-*/model.safetensors) ;;
  *) fail "no name of a file in the temporary folder: '$rescued'" ;;
esac
expect_exit 0 train --epochs 400 -o "$HOME/long"
cmp "$HOME/long" "$rescued" || fail "the model differs"
[ "$(stat -c %a "$(dirname "$rescued")")" = 700 ] || fail "other users can read the model"
rm -r "$(dirname "$rescued")" rest log
# If no temporary folder is writable, either, the checkpoint still contains the model.
if strace -o /dev/null true 2>/dev/null; then
  mkdir "$HOME/other"
  pushd "$HOME/other" >/dev/null
  mkfifo log
  (ASAN_OPTIONS=detect_leaks=0 exec strace -qq -o /dev/null -e trace=mkdir -e inject=mkdir:error=EACCES "$ELMAN" train \
    -q -t 1 --epochs 400 --save-every 0 --hidden-size 100 --embedding-size 100 --log log "$toy") 2>"$results/stderr" &
  run=$!
  exec 3<log
  read -r <&3
  mkdir model.safetensors
  cat <&3 >/dev/null &
  exec 3<&-
  code=0
  wait $run || code=$?
  [ $code -eq 73 ] || fail "exit code $code although the model cannot be written"
  expect_stderr_match '^elman: the model could not be written to a temporary folder either; the checkpoint contains it: run the command again with --resume$'
  rmdir model.safetensors
  expect_exit 0 train --epochs 400 --resume
  cmp "$HOME/long" model.safetensors || fail "the model differs"
  popd >/dev/null
  rm -r "$HOME/other"
fi
expect_exit 0 train -o model.safetensors
rm model.safetensors.checkpoint
head -c 600000 /dev/zero >filling

# The disk is full: the old model and the old text are unchanged.
"$ELMAN" translate -o text 我 || fail "translate failed"
cp model.safetensors text "$HOME"
cat /dev/zero >rest 2>/dev/null
expect_exit 74 train --seed 2
expect_stderr_match '^elman: model.safetensors: cannot write the file, which needs about [0-9]+ bytes: No space left on device'
cmp model.safetensors "$HOME/model.safetensors" || fail "the old model changed"
expect_exit 74 "$ELMAN" average -f -o model.safetensors "$HOME/expected" "$HOME/expected"
expect_stderr_match '^elman: model.safetensors: cannot write the file, which needs about [0-9]+ bytes: No space left on device'
expect_exit 74 "$ELMAN" translate -f -o text -i "$DATA/toy.zh-en.tsv"
cmp text "$HOME/text" || fail "the old text changed"
expect_exit 74 "$ELMAN" attention --format html -o page.html 我
expect_exit 74 "$ELMAN" corpus split -o part --dev 1 --test 1 "$toy"
expect_files filling model.safetensors rest text

cd .. && umount "$OLDPWD"
