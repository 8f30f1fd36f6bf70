# --hours ends training as the last epoch does; --keep-last keeps snapshots beside the output.

train=$DATA/daily.train.zh-en.tsv
toy=$DATA/toy.zh-en.tsv
head -n 400 "$train" >pairs.tsv
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(-t 1 --hidden-size 16 --embedding-size 8 --batch-size 40 --average 0.9 --dropout 0.1)

# ---- --hours ----

# If the time is much too short, the run writes a model and a checkpoint, and prints how to continue.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 60 pairs.tsv
mv model.safetensors expected
expect_note '^time limit \(--hours\) reached in epoch [0-9]+; --resume continues the run$' train "${settings[@]}" \
  --epochs 100000 --hours 0.00001 pairs.tsv
expect_stderr_match '^wrote model.safetensors; '
expect_files dev.tsv expected model.safetensors model.safetensors.checkpoint pairs.tsv
expect_exit 0 "$ELMAN" translate 我
expect_error 73 'is the checkpoint of an unfinished run; add --resume to continue it' train "${settings[@]}" --epochs \
  60 pairs.tsv

# A run that the time limit stopped and --resume continued equals an uninterrupted one.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 60 --resume --hours 0.00001 pairs.tsv
expect_model expected "${settings[@]}" --epochs 60 --resume --hours 1 pairs.tsv
grep -q 'time limit' "$results/stderr" && fail "the time limit of one hour was reached"
rm model.safetensors*

# With dev pairs, also before the first validation.
expect_note '^no validation ran; kept the last model; a smaller --validate-every validates earlier$' train "${settings[@]}" \
  --epochs 100000 --hours 0.00001 --dev dev.tsv --validate-every 1000000 pairs.tsv
rm model.safetensors*
expect_note '^kept the model of epoch [0-9]+, update [0-9]+: it has the best BLEU' train "${settings[@]}" --epochs \
  100000 --hours 0.0003 --dev dev.tsv --validate-every 1 --patience 1000000 pairs.tsv
grep -q 'stopped early' "$results/stderr" && fail "the time limit is reported as the end of patience"
rm model.safetensors*

expect_refused --hours train --hours=-1 "$toy"

# ---- --keep-last ----

# Snapshots of the last epochs. tests/unit/validation.c compares each with the model of a run of this length.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 5 --keep-last 3 pairs.tsv
expect_stderr_match "^model.safetensors.update\*: kept 3 snapshots, one per epoch; 'elman average' averages several into one model$"
expect_files dev.tsv expected model.safetensors{,.checkpoint} model.safetensors.update{30,40,50} pairs.tsv
expect_exit 0 "$ELMAN" average -o mean model.safetensors.update*
expect_exit 0 "$ELMAN" translate -m mean 我

# Another run with the same output deletes them; without --keep-last they stay.
expect_note '^model\.safetensors\.update\*: 3 snapshots of an earlier run remain$' train "${settings[@]}" --epochs 1 \
  pairs.tsv
expect_files dev.tsv expected mean model.safetensors{,.checkpoint} model.safetensors.update{30,40,50} pairs.tsv
expect_note '^model.safetensors.update\*: deleted 3 snapshots of an earlier run$' train "${settings[@]}" --epochs 1 \
  --keep-last 3 pairs.tsv
expect_files dev.tsv expected mean model.safetensors{,.checkpoint} model.safetensors.update10 pairs.tsv

# The message counts the existing snapshots, including those of earlier parts of the run.
expect_stderr_match "^model.safetensors.update\\*: kept 1 snapshot, one per epoch; 'elman average' averages several into one model\$"
expect_note "^model.safetensors.update\\*: kept 2 snapshots, one per epoch; " train "${settings[@]}" --epochs 2 \
  --keep-last 3 --resume pairs.tsv
expect_note "^model.safetensors.update\\*: kept 3 snapshots, one per epoch; " train "${settings[@]}" --epochs 5 \
  --keep-last 3 --resume pairs.tsv
rm model.safetensors*

# With dev pairs, snapshots of validations, also after stop and resume.
mkdir -m 700 whole part
kept=("${settings[@]}" --dev dev.tsv --validate-every 15 --keep-last 2 pairs.tsv)
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o whole/m
rm whole/m.checkpoint
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o part/m --hours 0.00003
expect_exit 0 "$ELMAN" train -q --epochs 40 "${kept[@]}" -o part/m --resume
rm -f part/m.checkpoint
diff -r whole part || fail "the snapshots differ after stop and resume"
(cd whole && expect_files m m.update400 m.update390)

mkdir own
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 3 --keep-last 1 -o own/m pairs.tsv
[ -e own/m.update30 ] && [ ! -e own/m.update20 ] || fail "the run does not delete its own snapshots"

# The initial model of a run is not deleted as a snapshot: a resumed run needs it again.
expect_exit 73 "$ELMAN" train -q -t 1 --epochs 1 --force --keep-last 1 --init-from own/m.update30 -o own/m pairs.tsv
expect_stderr_match '^elman: own/m.update30: is a snapshot of the output, which --keep-last would delete; copy it to another name, '
[ -e own/m.update30 ] || fail "the initial model was deleted"
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --keep-last 1 --init-from own/m.update30 -o own/other pairs.tsv

# No file can be written beside a device: options that need one are refused; everything else works.
mkdir device
ln -s /dev/null device/m
for option in '--keep-last 2' --resume '--save-every 1'; do
  # shellcheck disable=SC2086
  expect_refused "^elman: train: ${option% *} needs files next to the model, but 'device/m' is not a regular file; " \
    train "${settings[@]}" $option -o device/m pairs.tsv
done
expect_note '^device/m is not a regular file: no checkpoint will be written, and --resume will not be possible$' train \
  "${settings[@]}" --epochs 100000 --hours 0.00001 -o device/m pairs.tsv
expect_stderr_match '^time limit \(--hours\) reached in epoch [0-9]+; without a checkpoint, --resume is not possible$'
[ "$(ls device)" = m ] || fail "files beside a device: $(ls device)"
[ -c device/m ] || fail "the device was replaced"

# If a snapshot cannot be written, a note is printed and training continues.
if [ "$(id -u)" -ne 0 ]; then
  chmod a-w whole
  expect_exit 73 "$ELMAN" train --epochs 1 "${kept[@]}" -o whole/m
fi
mkdir m.update10
expect_error 73 'm.update10: exists, but this run did not write it; the snapshot is skipped; ' train "${settings[@]}" \
  --epochs 1 --keep-last 1 -o m pairs.tsv
expect_stderr_match '^could not write or delete a snapshot; training continues$'
expect_stderr_match '^wrote m;'
