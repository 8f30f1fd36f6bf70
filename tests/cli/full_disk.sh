# A disk of one megabyte: files that do not fit are reported, and existing files are unchanged.
# Needs a file system that the test may mount in a namespace of its own.

if [ -z "${ON_SMALL_DISK:-}" ]; then
  unshare -rm mount -t tmpfs -o size=1m none "$PWD" 2>/dev/null || exit 77
  TMPDIR=$PWD ON_SMALL_DISK=1 unshare -rm "$(dirname "$case_file")/run" "$ELMAN" "$case_file"
  exit
fi
mount -t tmpfs -o size=1m none "$PWD" && cd "$PWD" || fail "mount failed"
toy=$DATA/toy.zh-en.tsv
train() { "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 100 --embedding-size 100 "$@" "$toy"; }

# The model fits, its checkpoint does not: the checkpoint is reported and the model is written.
train -o "$HOME/expected" || fail "training failed"
head -c 600000 /dev/zero >filling
expect_exit 74 train --save-every 1e-9
expect_stderr_match '^elman: .*model.safetensors.checkpoint: cannot write the file: No space left on device'
cmp "$HOME/expected" model.safetensors || fail "the model differs"
expect_files filling model.safetensors

# The disk is full: the old model and the old text are unchanged.
"$ELMAN" translate -o text 我 || fail "translate failed"
cp model.safetensors text "$HOME"
cat /dev/zero >rest 2>/dev/null
expect_exit 74 train --seed 2
expect_stderr_match 'model.safetensors: cannot write the file: No space left on device'
cmp model.safetensors "$HOME/model.safetensors" || fail "the old model changed"
expect_exit 74 "$ELMAN" translate -f -o text -i "$DATA/toy.zh-en.tsv"
cmp text "$HOME/text" || fail "the old text changed"
expect_exit 74 "$ELMAN" attention --format html -o page.html 我
expect_exit 74 "$ELMAN" corpus split -o part --dev 1 --test 1 "$toy"
expect_files filling model.safetensors rest text

cd .. && umount "$OLDPWD"
