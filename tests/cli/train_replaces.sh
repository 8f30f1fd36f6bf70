# Training announces what it overwrites, and needs --force for the result of a long run.

command -v python3 >/dev/null || exit 77
toy=$DATA/toy.zh-en.tsv
train() { last_wins "$ELMAN" train -t 1 --epochs 3 "$@" "$toy"; }

expect_exit 0 train
! grep -q 'overwritten' "$results/stderr" || fail "a note although no file was overwritten"
expect_message 0 '^model.safetensors will be overwritten; it contains a model trained for 3 epochs, 3 updates$' train
expect_exit 0 train -q
expect_no_stderr
expect_exit 0 train --epochs 0
expect_message 0 '^model.safetensors will be overwritten; it contains a model$' train

# A model that another program has changed may have taken long. It has no checksum.
alter model.safetensors other ''
cp other before
expect_exit 73 train -o other
expect_stderr_match '^elman: other: contains a model of another program; add --force to overwrite it, or name another file with --output$'
cmp -s before other || fail "the file changed"
expect_exit 0 train -q --force -o other
expect_exit 0 train -o other
rm before other other.checkpoint

# A model that was trained for minutes, or for longer.
for model in playground.zh-en everyday.en-zh; do
  cp "$DATA/$model.safetensors" long
  expect_exit 73 train -o long
  expect_stderr_match '^elman: long: contains a model trained for [0-9]+ epochs, [0-9]+ updates; add --force to overwrite it, or name another'
  cmp -s "$DATA/$model.safetensors" long || fail "the file changed"
done
rm long

# A file that is not a readable model needs --force to be overwritten; an empty file does not.
: >other
expect_exit 0 train -o other
! grep -q 'overwritten' "$results/stderr" || fail "a note on an empty file"
cp model.safetensors model
no_model() { # no_model REGEX: model.safetensors is not a model, and is kept
  local regex=$1 option
  cp model.safetensors before
  for option in --learning-rate=0.1 -q --resume --init-from=model --keep-last=2; do
    expect_exit 73 train $option
    expect_stderr_match "^elman: model.safetensors: is not a readable model and would be overwritten: $regex; add --force to overwrite it, or name another file with --output\$"
    cmp -s before model.safetensors || fail "the file changed"
  done
  # The error precedes all reading of data.
  expect_exit 73 "$ELMAN" train nowhere.tsv
  expect_exit 73 "$ELMAN" average -q -o model.safetensors model
  expect_stderr_match "^elman: model.safetensors: already exists( and is a model or checkpoint)?; add --force to overwrite it, or name another file\$"
  cmp -s before model.safetensors || fail "the file changed"
}
printf '我\tme\n' >model.safetensors
no_model 'not a valid safetensors file: .*'
alter model model.safetensors 'metadata["elman.config"] = metadata["elman.config"].replace("\"dot\"", "\"later\"")'
no_model 'not a usable elman model: elman.config has a wrong value of "attention".*'
expect_message 0 '^model.safetensors will be overwritten; it is not a model$' train --force
expect_exit 0 "$ELMAN" inspect
# The same with a checkpoint beside the file.
expect_exit 0 train --save-every 0.000001
echo notes >model.safetensors
expect_exit 73 train --resume --epochs 4
[ "$(cat model.safetensors)" = notes ] || fail "the file changed"
expect_exit 0 train --resume --epochs 4 --force
rm before model model.safetensors.checkpoint
expect_exit 0 train
# Pipes and devices are never overwritten.
expect_exit 0 train -o /dev/null

# The training time of the initial model counts, too.
expect_exit 0 train --init-from model.safetensors --batch-size 2
expect_message 0 'model trained for 6 epochs, 12 updates$' train

# learn FILE TOKENS: change the history of a model, and its checksum.
learn() {
  alter "$1" "$1" '
history = json.loads(metadata["elman.training"])
assert history["epochs"] == history["updates"] == 3 and history["tokens"] == 3 * 25, history
metadata["elman.training"] = json.dumps({**history, "tokens": int(arguments[0])})' "$2"
  alter "$1" "$1" 'metadata["elman.checksum"] = arguments[0]' "$("$DATA/../tests/checksum" "$1" | cut -d' ' -f1)"
}
learn model.safetensors 1000000000
cp model.safetensors long
refused() { # refused ARGUMENT...
  expect_exit 73 train "$@"
  expect_stderr_match '^elman: model.safetensors: contains a model trained for 3 epochs, 3 updates; add --force to overwrite it, or name another file with --output$'
  cmp long model.safetensors || fail "the model changed"
}
refused
refused -q
refused --init-from other

# --resume without a checkpoint does not replace a model, however short its training.
rm model.safetensors.checkpoint
cp other short
for model in model.safetensors short; do
  for option in --learning-rate=0.1 -q --force --init-from=other; do
    cp $model before
    expect_exit 66 train --resume $option -o $model
    expect_stderr_match "^elman: $model.checkpoint: not found, so --resume cannot continue $model; remove --resume to train a new model, or train further from that model with --init-from $model\$"
    cmp -s before $model || fail "the model changed"
  done
done
# The initial model may be overwritten. Without a model, --resume starts a new run.
expect_message 0 '^no checkpoint found; training starts from the beginning$' train --resume --init-from short -o short
rm before short*
expect_message 0 '^no checkpoint found; training starts from the beginning$' train --resume -o short
rm short*
expect_exit 0 train --init-from model.safetensors
cp long model.safetensors
expect_message 0 '^model.safetensors will be overwritten; it contains a model trained for 3 epochs' train --force
! cmp -s long model.safetensors || fail "the model was not replaced"
expect_exit 0 train --save-every 0.000001
learn model.safetensors 1000000000
expect_exit 0 train -q --epochs 4 --resume
expect_no_stderr
rm other.checkpoint
expect_files long model.safetensors model.safetensors.checkpoint other

# Snapshots of another run are deleted with its model, but not those of a long run.
rm model.safetensors*
expect_exit 0 train --keep-last 2
rm model.safetensors model.safetensors.checkpoint
learn model.safetensors.update3 1000000000
kept=(model.safetensors.update{2,3})
expect_exit 73 train --keep-last 2
expect_stderr_match '^elman: model.safetensors: --keep-last would delete 2 snapshots of an earlier run \(model.safetensors.update\*\), among them a model trained for 3 epochs, 3 updates; add --force'
expect_files long other "${kept[@]}"
expect_exit 0 train
expect_files long model.safetensors{,.checkpoint} other "${kept[@]}"
expect_message 0 '^model.safetensors.update\*: deleted 2 snapshots of an earlier run$' train --epochs 1 --keep-last 2 \
  --force
expect_files long model.safetensors{,.checkpoint} model.safetensors.update1 other
rm model.safetensors.update1

# A later run does not keep an earlier checkpoint, since --resume would continue from it.
expect_exit 0 train
expect_exit 0 train --epochs 1
expect_stderr_match '^model.safetensors.checkpoint is the checkpoint of a finished run and will be overwritten; --resume would continue that run$'
expect_exit 0 train --epochs 2 --resume
expect_exit 0 train --epochs 2 -o two
cmp two model.safetensors || fail "a run continued from the checkpoint of another run"
rm two

# If the name is too long for the files beside the output, training is refused at once, and no file is created.
mkdir long-names
for length in 255 251 250 243 240; do
  name=long-names/$(printf '%*s' $length '' | tr ' ' x)
  for options in '' --keep-last=2; do
    expect_exit 73 "$ELMAN" train $options -o "$name" nowhere.tsv
    expect_stderr_match '^elman: long-names/x+[^:]*: the name is too long together with the suffix of a temporary file or lock; choose a shorter name$'
  done
done
name=long-names/$(printf '%*s' 225 '' | tr ' ' x)
expect_exit 73 "$ELMAN" train --keep-last 2 -o "$name" nowhere.tsv
expect_error 73 '^elman: long-names/x+: the name is too long' train -o m --log \
  "long-names/$(printf '%*s' 252 '' | tr ' ' x)" nowhere.tsv
[ -z "$(ls long-names)" ] || fail "files were created: $(ls long-names)"
expect_exit 0 "$ELMAN" train -q --epochs 1 -o "$name" "$toy"
rm -r long-names

# A refused run does not announce an overwrite.
expect_exit 64 train --attention-heads 3
! grep -q 'will be overwritten' "$results/stderr" || fail "a refused run announces an overwrite"
