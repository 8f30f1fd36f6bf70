# Stop and resume: the final model equals, byte for byte, that of an uninterrupted run.

train=$DATA/daily.train.zh-en.tsv
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(--epochs 20 --hidden-size 24 --embedding-size 16 --batch-size 64 --attention scaled
  --bidirectional --learning-rate 0.02 --dropout 0.1 --label-smoothing 0.1 --average 0.9 --schedule plateau
  --dev dev.tsv --validate-every 25)

# An uninterrupted run keeps its checkpoint, and --resume with more epochs continues it: in any steps, with a
# validation at the end (each epoch has 29 updates), and with any --save-every.
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "$train"
expect_files dev.tsv model.safetensors model.safetensors.checkpoint
mv model.safetensors expected
rm model.safetensors.checkpoint
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 0 "$train"
for epochs in 1 7 8 20; do
  expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs $epochs --save-every 0 --resume "$train"
  cp model.safetensors short
  expect_message 0 '^nothing to do: this run is finished; raise --epochs to continue it$' last_wins "$ELMAN" train -t \
    1 "${settings[@]}" --epochs $epochs --resume "$train"
  cmp short model.safetensors || fail "the model changed although the run was finished"
done
cmp expected model.safetensors || fail "the model differs after continuing in steps"
expect_exit 64 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 30 --learning-rate 0.01 --resume "$train"
cmp expected model.safetensors || fail "the model changed"

expect_message 64 'maximum length was 200 and is now 7' last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 30 \
  --max-length 7 --resume "$train"

rm short model.safetensors model.safetensors.checkpoint

# ---- a schedule that depends on the number of epochs ----

linear=(-t 1 --epochs 4 --hidden-size 8 --embedding-size 4 --learning-rate 0.02 --schedule linear --warm-up 10 --subwords 60
  --subword-dropout 0.3)
expect_exit 0 "$ELMAN" train -q "${linear[@]}" -o straight "$train"
expect_exit 0 "$ELMAN" train -q "${linear[@]}" --hours 1e-10 -o stopped "$train"
for ((stops = 0; stops < 3; stops++)); do
  expect_exit 0 "$ELMAN" train -q "${linear[@]}" --hours 1e-10 --resume -o stopped "$train"
done
cmp -s straight stopped && fail "the run was not stopped"
expect_model straight -q "${linear[@]}" --resume -o stopped "$train"
rm straight* stopped*

# Muon moves its matrices at every second update; the corpus has an odd number of batches, so stops fall on both.
muon=("${linear[@]}" --optimizer muon --average 0.9 --batch-size 64)
expect_exit 0 "$ELMAN" train -q "${muon[@]}" -o straight "$train"
expect_exit 0 "$ELMAN" train -q "${muon[@]}" --hours 1e-10 -o stopped "$train"
for ((stops = 0; stops < 5; stops++)); do
  expect_exit 0 "$ELMAN" train -q "${muon[@]}" --hours 1e-10 --resume -o stopped "$train"
done
cmp -s straight stopped && fail "the run was not stopped"
expect_message 64 'optimizer was "muon" and is now "adam"' "$ELMAN" train -q "${linear[@]}" --average 0.9 --batch-size 64 \
  --resume -o stopped "$train"
expect_model straight -q "${muon[@]}" --resume -o stopped "$train"
rm straight* stopped*

# The first two thirds with late-linear do not depend on the number of epochs.
late=(-t 1 --batch-size 2 --hidden-size 8 --embedding-size 4 --learning-rate 0.02 --schedule late-linear)
expect_exit 0 "$ELMAN" train -q "${late[@]}" --epochs 6 -o straight "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" train -q "${late[@]}" --epochs 12 -o long "$DATA/toy.zh-en.tsv"
cmp -s straight long && fail "the number of epochs has no effect"
expect_exit 0 "$ELMAN" train -q "${late[@]}" --epochs 12 --hours 1e-10 -o stopped "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" train -q "${late[@]}" --epochs 12 --hours 1e-10 --resume -o stopped "$DATA/toy.zh-en.tsv"
expect_model straight -q "${late[@]}" --epochs 6 --resume -o stopped "$DATA/toy.zh-en.tsv"
rm straight* stopped* long*

# ---- signals ----

lines=0
ready() { [ -e log ] && [ "$(wc -l <log)" -gt $lines ]; }
expect_signal_exit INT 130 "$ELMAN" train -t 1 "${settings[@]}" --log log "$train"
expect_stderr_match '^stopped in epoch [0-9]+; the model so far is saved, and --resume continues the run$'
expect_files dev.tsv expected log model.safetensors model.safetensors.checkpoint
expect_exit 0 "$ELMAN" translate 我
cp model.safetensors stopped
cp model.safetensors.checkpoint checkpoint

lines=$(($(wc -l <log) + 30)) # the log of more than an epoch
expect_signal_exit TERM 143 "$ELMAN" train -t 2 "${settings[@]}" --resume --log log "$train"
expect_stderr_match '^resuming in epoch [0-9]+, after [0-9]+ of 29 updates$'
! grep -q 'from the beginning' "$results/stderr" || fail "the checkpoint was not used"
expect_note '^resuming in epoch ' train -t 1 "${settings[@]}" --resume --log log "$train"
cmp expected model.safetensors || fail "the model differs after two stops"
# The log contains every update once.
grep '"event":"update"' log | grep -oE '"update":[0-9]+' | cut -d : -f 2 | cmp - <(seq 580) ||
  fail "updates are missing or repeated in the log"
grep -c '"event":"validation"' log | grep -qx 24 || fail "expected 24 validations in the log"

# A resumed run keeps its checkpoint: a second --resume does nothing, and one with more epochs
# continues the run.
expect_model expected -q -t 1 "${settings[@]}" --resume "$train"
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 21 --resume "$train"
expect_exit 0 last_wins "$ELMAN" train -q -t 1 "${settings[@]}" --epochs 21 -o longer "$train"
cmp longer model.safetensors || fail "the model differs after --resume with one more epoch"
expect_message 0 '^nothing to do: this run is finished; raise --epochs to continue it$' last_wins "$ELMAN" train -t 1 \
  "${settings[@]}" --epochs 21 --resume "$train"
expect_message 64 ': epoch 21 has begun, but the limit is 20; ' last_wins "$ELMAN" train -q -t 1 "${settings[@]}" \
  --epochs 20 --resume "$train"
cmp longer model.safetensors || fail "the model changed"
rm longer longer.checkpoint log

# ---- options or pairs of another run: tests/unit/validation.c changes the options of training ----

cp stopped model.safetensors
cp checkpoint model.safetensors.checkpoint
refused() { # refused CODE REGEX ARGUMENT...
  expect_message "$1" "^elman: model.safetensors.checkpoint: .*$2" last_wins "$ELMAN" train -q -t 1 "${settings[@]}" \
    --resume "${@:3}"
  expect_stdout
  cmp -s stopped model.safetensors || fail "the old model changed"
}
belongs='the checkpoint belongs to another run: '
refused 64 "${belongs}learning rate was 0\.02 and is now 0\.01; " --learning-rate 0.01 "$train"
refused 64 "${belongs}attention was \"scaled\" and is now \"dot\"; " --attention dot "$train"
refused 64 "${belongs}orthogonal initialization was false and is now true; " --orthogonal "$train"
refused 64 "${belongs}minimum word count was 1 and is now 2; " --min-count 2 "$train"
refused 64 "${belongs}normalization was \"auto\" and is now \"nfc\"; " --normalization nfc "$train"
head -n 39 dev.tsv >other.dev
refused 64 "${belongs}dev file was dev.tsv and is now other.dev; " --dev other.dev "$train"
tac "$train" >other.zh-en.tsv
refused 64 "${belongs}corpus was $train and is now other.zh-en.tsv; " other.zh-en.tsv
cp other.zh-en.tsv other
refused 64 "${belongs}source language was \"zh\" and is now \"\"; " other
# A dev file that is new or missing.
for dev in '' '--dev dev.tsv'; do
  # shellcheck disable=SC2086
  expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 $dev -o dev_or_not "$train"
  other=$([ -n "$dev" ] || echo '--dev dev.tsv')
  # shellcheck disable=SC2086
  expect_exit 64 "$ELMAN" train -q -t 1 --epochs 2 --resume $other -o dev_or_not "$train"
  expect_stderr_match "${belongs}dev file was ($([ -n "$dev" ] && echo 'dev.tsv and is now none' || echo 'none and is now dev.tsv')); "
  rm dev_or_not*
done
# Files with equal names and other contents.
cp dev.tsv kept
cp other.dev dev.tsv
refused 64 "${belongs}dev file \(dev\.tsv\) changed; " "$train"
mv kept dev.tsv
# Other words in the same places.
sed 's/\<the\>/thee/g' "$train" >other.zh-en.tsv
refused 64 "${belongs}target vocabulary changed; " other.zh-en.tsv
rm other other.zh-en.tsv other.dev

# ---- files that are not checkpoints ----

expect_error 65 "^elman: checkpoint: is the checkpoint of a training run, not its model; " translate -m checkpoint 我

for bytes in 0 7 100 5000 $(($(stat -c %s checkpoint) - 1)); do
  head -c "$bytes" checkpoint >model.safetensors.checkpoint
  refused 65 '; rename or delete it to start over$' "$train"
done
cp expected model.safetensors.checkpoint
refused 65 'not a usable checkpoint: .*; rename or delete it to start over' "$train"
# Without --resume the file is not overwritten, either.
cp expected model.safetensors
expect_exit 65 "$ELMAN" train -q -t 1 "${settings[@]}" "$train"
expect_stderr_match '^elman: model.safetensors.checkpoint: not a usable checkpoint: .*; rename or delete it to start over$'
cmp expected model.safetensors.checkpoint || fail "the file changed"
cp stopped model.safetensors
rm model.safetensors.checkpoint
mkdir model.safetensors.checkpoint
refused 66 '' "$train"
rmdir model.safetensors.checkpoint

# ---- output through a link: the checkpoint is beside the target, for every name of the output ----

mkdir links
(
  cd links || exit
  ln -s ../shelf/model alias
  mkdir ../shelf
  expect_exit 0 "$ELMAN" train -q --epochs 2 -o alias "$train"
  [ -L alias ] && [ -e ../shelf/model.checkpoint ] || fail "the checkpoint is not beside the target"
  # A new run by one name, continued by the other: both names have one checkpoint.
  expect_exit 0 "$ELMAN" train -q --epochs 3 --seed 2 -o ../shelf/model "$train"
  expect_exit 0 "$ELMAN" train -q --epochs 4 --seed 2 --resume -o alias "$train"
  expect_model ../shelf/model -q --epochs 4 --seed 2 -o whole "$train"
  expect_refused --output train -o alias --log ../shelf/model.checkpoint "$train"
) || exit 1
rm -r links shelf
