# Stop and resume: the final model is, byte for byte, that of a run that never stopped.

train=$DATA/daily.train.zh-en.tsv
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(--epochs 20 --hidden-size 24 --embedding-size 16 --batch-size 64 --attention scaled
  --bidirectional --lr 0.02 --dropout 0.1 --label-smoothing 0.1 --average 0.9 --lr-schedule plateau
  --dev dev.tsv --validate-every 25)

# A short run that nothing interrupted keeps its checkpoint, from which it can be made longer: in any
# steps, with an end that was validated for itself (each epoch has 29 updates), and whatever --save-every is.
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "$train"
expect_files dev.tsv model.safetensors model.safetensors.checkpoint
mv model.safetensors expected
rm model.safetensors.checkpoint
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 0 "$train"
for epochs in 1 7 8 20; do
  expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs $epochs --save-every 0 --resume "$train"
  cp model.safetensors short
  expect_exit 0 last_wins "$ELMAN" train -t 1 "${settings[@]}" --epochs $epochs --resume "$train"
  expect_stderr_match '^nothing to do: this run is finished; raise --epochs to continue it$'
  cmp short model.safetensors || fail "nothing was to be done, and the model is another one"
done
cmp expected model.safetensors || fail "made longer in steps: another model"
expect_exit 64 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 30 --lr 0.01 --resume "$train"
cmp expected model.safetensors || fail "the model is lost"

# Without a checkpoint, and without a model, --resume starts from the beginning, and says so.
rm short model.safetensors model.safetensors.checkpoint
expect_exit 0 "$ELMAN" train -t 1 "${settings[@]}" --resume "$train"
expect_stderr_match '^no checkpoint found; training starts from the beginning$'
cmp expected model.safetensors || fail "--resume without a checkpoint gave another model"
# Nor is a model replaced by one that --resume began.
rm model.safetensors.checkpoint
expect_exit 66 "$ELMAN" train -q -t 1 "${settings[@]}" --resume "$train"
expect_stderr_match '^elman: model.safetensors.checkpoint: not found, so --resume cannot continue '
cmp expected model.safetensors || fail "the model is lost"
rm model.safetensors

# ---- signals ----

lines=0
ready() { [ -e log ] && [ "$(wc -l <log)" -gt $lines ]; }
expect_signal_exit INT 130 "$ELMAN" train -t 1 "${settings[@]}" --log log "$train"
expect_stderr_match '^stopped in epoch [0-9]+; the model so far is saved, and --resume continues the run$'
expect_files dev.tsv expected log model.safetensors model.safetensors.checkpoint
expect_exit 0 "$ELMAN" translate 我
cp model.safetensors stopped
cp model.safetensors.checkpoint checkpoint

# A checkpoint of an earlier version lacks options that are newer: it was trained with their defaults.
python3 - checkpoint model.safetensors.checkpoint <<'END'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
metadata = header["__metadata__"]
options = json.loads(metadata["elman.options"])
del metadata["elman.checksum"], options["shards"], options["orthogonal initial values"]
metadata["elman.options"] = json.dumps(options)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[2], "wb").write(struct.pack("<Q", len(text)) + text + data[8 + size:])
END
expect_exit 64 "$ELMAN" train -q -t 1 "${settings[@]}" --shards 2 --resume "$train"
expect_stderr_match 'belongs to another run: shards was 1 and is now 2; '
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" --resume "$train"
cmp expected model.safetensors || fail "resumed from a checkpoint of an earlier version: another model"
cp checkpoint model.safetensors.checkpoint

lines=$(($(wc -l <log) + 30)) # more than an epoch
expect_signal_exit TERM 143 "$ELMAN" train -t 2 "${settings[@]}" --resume --log log "$train"
expect_stderr_match '^resuming in epoch [0-9]+, after [0-9]+ of 29 updates$'
! grep -q 'from the beginning' "$results/stderr" || fail "there was a checkpoint"
# With fewer epochs than it has begun it is not at its end: it would be replaced as one that is.
cp model.safetensors later
cp model.safetensors.checkpoint later.checkpoint
for epochs in 0 1; do
  expect_exit 64 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs $epochs --resume "$train"
  expect_stderr_match "^elman: model.safetensors.checkpoint: [0-9]+ epochs have begun, but the limit is $epochs; raise the limit \\(--epochs\\)\$"
  cmp later model.safetensors || fail "the model is lost"
  cmp later.checkpoint model.safetensors.checkpoint || fail "the checkpoint is lost"
done
rm later later.checkpoint
expect_exit 0 "$ELMAN" train -t 1 "${settings[@]}" --resume --log log "$train"
expect_stderr_match '^resuming in epoch '
cmp expected model.safetensors || fail "stopped twice and resumed: another model"
# Every update is in the log once.
grep '"event":"update"' log | grep -oE '"update":[0-9]+' | cut -d : -f 2 | cmp - <(seq 580) ||
  fail "the log lacks updates or has them twice"
grep -c '"event":"validation"' log | grep -qx 24 || fail "not 24 validations in the log"

# A run that was resumed keeps its checkpoint. Once more there is nothing left to do; with more
# epochs it goes on.
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" --resume "$train"
cmp expected model.safetensors || fail "the end resumed: another model"
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 21 --resume "$train"
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 21 -o longer "$train"
cmp longer model.safetensors || fail "an epoch more: another model"
expect_exit 0 last_wins "$ELMAN" train -t 1 "${settings[@]}" --epochs 21 --resume "$train"
expect_stderr_match '^nothing to do: this run is finished; raise --epochs to continue it$'
expect_exit 64 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 20 --resume "$train"
expect_stderr_match ': 21 epochs have begun, but the limit is 20; '
cmp longer model.safetensors || fail "the model is lost"
rm longer longer.checkpoint log

# A finished checkpoint, too, belongs to its pairs and options alone.
cp model.safetensors finished
tac "$train" >other
for others in "--lr 0.01 $train" "--normalize nfc $train" other; do
  expect_exit 64 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 21 --resume $others
  expect_stderr_match '^elman: model.safetensors.checkpoint: the checkpoint belongs to another run: '
  cmp finished model.safetensors || fail "another training took the model's place"
done
rm finished other

# ---- another training ----

cp stopped model.safetensors
cp checkpoint model.safetensors.checkpoint
refused() { # refused CODE REGEX ARGUMENT...
  local code=$1 regex=$2
  shift 2
  expect_exit "$code" last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --resume "$@"
  expect_stdout
  expect_stderr_match "^elman: model.safetensors.checkpoint: .*$regex"
  cmp -s stopped model.safetensors || fail "the old model is lost"
}
belongs='the checkpoint belongs to another run: '
refused 64 "${belongs}learning rate was 0\.02 and is now 0\.01; " --lr 0.01 "$train"
refused 64 "${belongs}seed was 1 and is now 2; " --seed 2 "$train"
refused 64 "${belongs}batch size was 64 and is now 32; " --batch-size 32 "$train"
refused 64 "${belongs}dropout was 0\.1 and is now 0\.2; " --dropout 0.2 "$train"
refused 64 "${belongs}label smoothing was 0\.1 and is now 0(\.0)?; " --label-smoothing 0 "$train"
refused 64 "${belongs}moving average was 0\.9 and is now 0(\.0)?; " --average 0 "$train"
refused 64 "${belongs}clipping norm was 1(\.0)? and is now 2(\.0)?; " --clip-norm 2 "$train"
refused 64 "${belongs}warm-up was 0 and is now 9; " --warm-up 9 "$train"
refused 64 "${belongs}learning-rate schedule was \"plateau\" and is now \"constant\"; " \
  --lr-schedule constant "$train"
refused 64 "${belongs}validation interval was 25 and is now 0; " --validate-every 0 "$train"
refused 64 "${belongs}attention was \"scaled\" and is now \"dot\"; " --attention dot "$train"
refused 64 "${belongs}hidden size was 24 and is now 32; " --hidden-size 32 "$train"
refused 64 "${belongs}layers was 1 and is now 2; " --layers 2 "$train"
refused 64 "${belongs}attentional layer was false and is now true; " --attentional-layer "$train"
refused 64 "${belongs}orthogonal initialization was false and is now true; " --orthogonal "$train"
refused 64 "${belongs}minimum word count was 1 and is now 2; " --min-count 2 "$train"
refused 64 "${belongs}normalization was \"nfkc\" and is now \"nfc\"; " --normalize nfc "$train"
head -n 39 dev.tsv >other.dev
refused 64 "${belongs}dev pairs was dev.tsv and is now other.dev; " --dev other.dev "$train"
tac "$train" >other
refused 64 "${belongs}corpus was $train and is now other; " other
# Files whose names are the same, but not what they hold.
cp dev.tsv kept
cp other.dev dev.tsv
refused 64 "${belongs}dev pairs \(dev\.tsv\) changed; " "$train"
mv kept dev.tsv
# Other words in the same places.
sed 's/\<the\>/thee/g' "$train" >other
refused 64 "${belongs}words of the target changed; " other
rm other other.dev

# ---- a checkpoint that is none ----

expect_exit 65 "$ELMAN" translate -m checkpoint 我
expect_stderr_match "^elman: checkpoint: is the checkpoint of a training run, not its model; "

for bytes in 0 7 100 5000 $(($(stat -c %s checkpoint) - 1)); do
  head -c "$bytes" checkpoint >model.safetensors.checkpoint
  refused 65 '; delete it to start over$' "$train"
done
cp expected model.safetensors.checkpoint
refused 65 'not a usable checkpoint: .*; delete it to start over' "$train"
# Without --resume it is not replaced either.
cp expected model.safetensors
expect_exit 65 "$ELMAN" train -q -t 1 "${settings[@]}" "$train"
expect_stderr_match '^elman: model.safetensors.checkpoint: not a usable checkpoint: .*; delete it to start over$'
cmp expected model.safetensors.checkpoint || fail "the file is lost"
cp stopped model.safetensors
rm model.safetensors.checkpoint
mkdir model.safetensors.checkpoint
refused 66 '' "$train"
rmdir model.safetensors.checkpoint

# ---- an output behind a link: its checkpoint lies beside the file, whatever the name ----

mkdir links
(
  cd links || exit
  ln -s ../shelf/model alias
  mkdir ../shelf
  expect_exit 0 "$ELMAN" train -q --epochs 2 -o alias "$train"
  [ -L alias ] && [ -e ../shelf/model.checkpoint ] || fail "the checkpoint is not beside the file"
  # Another run by one name, continued by the other: the checkpoint is that of the model.
  expect_exit 0 "$ELMAN" train -q --epochs 3 --seed 2 -o ../shelf/model "$train"
  expect_exit 0 "$ELMAN" train -q --epochs 4 --seed 2 --resume -o alias "$train"
  expect_exit 0 "$ELMAN" train -q --epochs 4 --seed 2 -o whole "$train"
  cmp whole ../shelf/model || fail "the other run was continued"
  expect_refused 'is written beside --output' train -o alias --log ../shelf/model.checkpoint "$train"
) || exit 1
rm -r links shelf

# ---- kill -9 ----

rm -f model.safetensors
killed=0
for pause in 0.09 0.21 0.13 0.17 0.07 0.11 0.25 0.15 0.08 0.1 0.12 0.14; do
  code=0
  "$ELMAN" train -q -t 1 "${settings[@]}" --resume --save-every 0.05 --log log "$train" \
    2>"$results/stderr" &
  sleep $pause
  { kill -KILL $!; wait $! || code=$?; } 2>/dev/null # until it is dead, its lock holds
  expect_no_stderr
  if [ $code -eq 0 ]; then # the end was reached: once more from the start
    cmp expected model.safetensors || fail "killed $killed times and resumed: another model"
    rm model.safetensors model.safetensors.checkpoint log
  else
    [ $code -eq 137 ] || fail "exit code $code after a kill"
    killed=$((killed + 1))
  fi
done
[ $killed -gt 0 ] || fail "never killed: the case shows nothing"
expect_exit 0 "$ELMAN" train -q -t 2 "${settings[@]}" --resume --save-every 0.05 \
  --log log "$train"
cmp expected model.safetensors || fail "killed $killed times and resumed: another model"
# The log holds whole lines and every update, those after a checkpoint perhaps twice.
! grep -vE '^\{[^{]*\}$' log || fail "half a line in the log"
grep '"event":"update"' log | grep -oE '"update":[0-9]+' | cut -d : -f 2 | sort -nu |
  cmp - <(seq 580) || fail "the log has a gap"
