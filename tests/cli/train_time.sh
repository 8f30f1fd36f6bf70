# --hours ends a training like its last epoch, and --keep-last leaves models beside the output.

train=$DATA/daily.train.zh-en.tsv
toy=$DATA/toy.zh-en.tsv
head -n 400 "$train" >pairs.tsv
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(-t 1 --hidden-size 16 --embedding-size 8 --batch-size 40 --average 0.9 --dropout 0.1)

# ---- --hours ----

# Far too little time for so many epochs: a model, a checkpoint, and the way to go on.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 60 pairs.tsv
mv model.safetensors expected
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 100000 --hours 0.00001 pairs.tsv
expect_stderr_match '^time limit \(--hours\) reached in epoch [0-9]+; --resume continues the run$'
expect_stderr_match '^wrote model.safetensors; '
expect_files dev.tsv expected model.safetensors model.safetensors.checkpoint pairs.tsv
expect_exit 0 "$ELMAN" translate 我
expect_exit 73 "$ELMAN" train "${settings[@]}" --epochs 60 pairs.tsv
expect_stderr_match 'is the checkpoint of an unfinished run; add --resume to continue it'

# Stopped by time and resumed is as never stopped.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 60 --resume --hours 0.00001 pairs.tsv
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 60 --resume --hours 1 pairs.tsv
cmp expected model.safetensors || fail "a training that --hours ended, and --resume, make another model"
grep -q 'time limit' "$results/stderr" && fail "the time is over after an hour"
rm model.safetensors*

# With dev pairs, also before the first validation.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 100000 --hours 0.00001 --dev dev.tsv \
  --validate-every 1000000 pairs.tsv
expect_stderr_match '^no validation ran; '
rm model.safetensors*
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 100000 --hours 0.0003 --dev dev.tsv \
  --validate-every 1 --patience 1000000 pairs.tsv
expect_stderr_match '^kept the model of epoch [0-9]+, update [0-9]+: it has the best BLEU'
grep -q 'stopped early' "$results/stderr" && fail "the time is told as patience"
rm model.safetensors*

expect_exit 64 "$ELMAN" train --hours=-1 "$toy"
expect_stderr_match "--hours: '-1' is not a number from 0 to 1e\+06"

# ---- --keep-last ----

# Those of the last epochs; one of them is what a training so long leaves.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 4 pairs.tsv
mv model.safetensors fourth
rm model.safetensors.checkpoint
touch model.safetensors.update7x model.safetensors.update07 model.safetensors.updates
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 5 --keep-last 3 pairs.tsv
expect_stderr_match "^model.safetensors.update\*: kept 3 snapshots, one per epoch; 'elman average' averages several into one model$"
expect_files dev.tsv expected fourth model.safetensors{,.checkpoint} model.safetensors.update{07,30,40,50,7x,s} pairs.tsv
rm model.safetensors.update{07,7x,s}
cmp model.safetensors model.safetensors.update50 || fail "the last one is not the model"
cmp fourth model.safetensors.update40 || fail "the one before is not that of a shorter training"
expect_exit 0 "$ELMAN" average -o mean model.safetensors.update*
expect_exit 0 "$ELMAN" translate -m mean 我

# Another training to the same output removes them; without the option it leaves them alone.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 pairs.tsv
expect_files dev.tsv expected fourth mean model.safetensors{,.checkpoint} model.safetensors.update{30,40,50} pairs.tsv
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --keep-last 3 pairs.tsv
expect_stderr_match '^model.safetensors.update\*: deleted 3 snapshots of an earlier run$'
expect_files dev.tsv expected fourth mean model.safetensors{,.checkpoint} model.safetensors.update10 pairs.tsv

# The message counts the models that are there, of earlier runs of the training, too.
expect_stderr_match "^model.safetensors.update\\*: kept 1 snapshot, one per epoch; 'elman average' averages several into one model\$"
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --keep-last 3 --resume pairs.tsv
expect_stderr_match "^model.safetensors.update\\*: kept 2 snapshots, one per epoch; "
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 5 --keep-last 3 --resume pairs.tsv
expect_stderr_match "^model.safetensors.update\\*: kept 3 snapshots, one per epoch; "
rm model.safetensors*

# With dev pairs those of validations, also where training was stopped and goes on.
mkdir -m 700 whole part
kept=("${settings[@]}" --dev dev.tsv --validate-every 15 --keep-last 2 pairs.tsv)
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o whole/m
rm whole/m.checkpoint
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o part/m --hours 0.00003
cp part/m.checkpoint early
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o part/m --resume
rm -f part/m.checkpoint
diff -r whole part || fail "other models stay after a stop"
(cd whole && expect_files m m.update400 m.update390)

# Where the checkpoint is older than the models, as after a crash, those that it will make again stay until then;
# those of another training stay, and push none out.
cp early part/m.checkpoint
mkdir other
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" --seed 2 -o other/m
cp other/m.update390 part/m.update389
cp other/m.update400 part/m.update376
expect_exit 0 "$ELMAN" train --epochs 40 "${kept[@]}" -o part/m --resume --hours 0.00001
expect_stderr_match "^part/m.update\*: kept 2 snapshots of an earlier run; --keep-last does not count them$"
for update in 390 400; do
  cmp {whole,part}/m.update$update || fail "a model of update $update is lost as training goes on"
done
expect_exit 0 "$ELMAN" train --epochs 40 "${kept[@]}" -o part/m --resume
cmp other/m.update390 part/m.update389 || fail "a model of another training is lost"
rm -f part/m.checkpoint part/m.update389 part/m.update376
diff -r whole part || fail "other models stay after a crash"

# Nothing can stand beside a device: what needs a file there is refused, and all else does without.
mkdir device
ln -s /dev/null device/m
for option in '--keep-last 2' --resume '--save-every 1'; do
  # shellcheck disable=SC2086
  expect_exit 64 "$ELMAN" train "${settings[@]}" $option -o device/m pairs.tsv
  expect_stderr_match "^elman: train: ${option% *} needs files next to the model, but 'device/m' is not a regular file; "
done
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 100000 --hours 0.00001 -o device/m pairs.tsv
expect_stderr_match '^device/m is not a regular file: no checkpoint will be written, and --resume will not be possible$'
expect_stderr_match '^time limit \(--hours\) reached in epoch [0-9]+; without a checkpoint, --resume is not possible$'
[ "$(ls device)" = m ] || fail "files beside a device: $(ls device)"
[ -c device/m ] || fail "the device is replaced"

# What cannot be kept is told, and the training goes on.
if [ "$(id -u)" -ne 0 ]; then
  chmod a-w whole
  expect_exit 73 "$ELMAN" train --epochs 1 "${kept[@]}" -o whole/m
fi
mkdir m.update10
expect_exit 73 "$ELMAN" train "${settings[@]}" --epochs 1 --keep-last 1 -o m pairs.tsv
expect_stderr_match 'm.update10: exists, but this run did not write it; the snapshot is skipped; '
expect_stderr_match '^could not write or delete a snapshot; training continues$'
expect_stderr_match '^wrote m;'
