# --init-from: training starts from a model.

command -v python3 >/dev/null || exit 77
toy=$DATA/toy.zh-en.tsv
toy_model
mv model.safetensors M

# Without an epoch the same bytes come out.
expect_exit 0 "$ELMAN" train -q --epochs 0 --init-from M "$toy"
expect_no_stderr
cmp M model.safetensors || fail "the model changed"
# Shape and vocabularies are the model's, whatever the pairs would give; options that would give others
# are refused.
printf '我 爱 你\tI love you\n' >other
for flag in '--hidden-size 7' '--attention local' --bidirectional '--min-count 2' '--source-tokens chars' \
  '--preset base'; do
  # shellcheck disable=SC2086
  expect_exit 64 "$ELMAN" train --epochs 0 --init-from M $flag other
  expect_stderr_match "${flag%% *} has no effect with --init-from"
done
cmp M model.safetensors || fail "the model changed"
expect_exit 0 "$ELMAN" train --epochs 0 --init-from M --seed 5 other
expect_stderr_match '^source: space, vocabulary size 19$'
cmp M model.safetensors || fail "the model changed"

# Words that the model lacks cannot be counted in, whatever the options are.
printf '猫 狗 鸟\tcats dogs birds\n' >strange
expect_exit 0 "$ELMAN" train --epochs 1 --init-from M -o next strange
expect_stderr_match '^100 % of the source tokens .*; train without --init-from to build a vocabulary from these pairs$'
! grep -q -- --min-count "$results/stderr" || fail "the advice is refused with --init-from"
rm strange

# It goes on learning from there, and the seed gives the same bytes again.
expect_exit 0 "$ELMAN" train --epochs 1 --init-from M -o next "$toy"
expect_stderr_match '^epoch 1 of 1  loss 0\.0'
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --init-from M -o again "$toy"
cmp next again || fail "the same fine-tuning gave another model"
! cmp -s M next || fail "nothing was learnt"
expect_exit 0 "$ELMAN" train -q --epochs 0 -o initial "$toy"
expect_exit 0 "$ELMAN" train -q --epochs 400 --init-from initial "$toy"
cmp M model.safetensors || fail "the initial model as a file gave another result"

# What goes on goes on from the model that it began from, whose training counts in the history, also where a run
# that was stopped has replaced it.
stop=(--epochs 100000 --hours 0.000001)
whole() { "$ELMAN" train -q -t 1 --epochs 30 "$@" "$toy"; }
expect_exit 0 whole --init-from M -o whole
expect_exit 0 "$ELMAN" train -q -t 1 "${stop[@]}" --init-from M -o part "$toy"
cp part.checkpoint stopped.checkpoint
expect_exit 64 whole --resume --init-from initial -o part
expect_stderr_match 'belongs to another run, initialized from a model \(--init-from\); this run is initialized from another model; use the original'
expect_exit 64 whole --resume -o part
expect_stderr_match 'initialized from a model \(--init-from\); this run is initialized from random weights; '
cmp part.checkpoint stopped.checkpoint || fail "a checkpoint that was refused is changed"
expect_exit 0 whole --resume --init-from M -o part
cmp whole part || fail "resumed with --init-from: another model"
cp M part
rm part.checkpoint
for i in 1 2 3; do
  expect_exit 0 "$ELMAN" train -q -t 1 "${stop[@]}" --resume --init-from part -o part "$toy"
done
expect_exit 0 whole --resume --init-from part -o part
cmp whole part || fail "in place, stopped and resumed: another model"
expect_exit 0 "$ELMAN" train -q -t 1 "${stop[@]}" -o new "$toy"
expect_exit 64 whole --resume --init-from M -o new
expect_stderr_match 'initialized from random weights; this run is initialized from a model \(--init-from\); '
# A checkpoint of an earlier version does not tell.
python3 - stopped.checkpoint part.checkpoint <<'END'
import json, sys
data = open(sys.argv[1], "rb").read()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8:8 + size])
del header["__metadata__"]["elman.checksum"], header["__metadata__"]["elman.start"]
text = json.dumps(header).encode()
open(sys.argv[2], "wb").write(len(text).to_bytes(8, "little") + text + data[8 + size:])
END
expect_exit 0 whole --resume --init-from M -o part
cmp whole part || fail "resumed from a checkpoint of an earlier version: another model"
rm whole part part.checkpoint stopped.checkpoint new new.checkpoint

# A model may be trained in place; of a wrong one the old file survives.
cp M here
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from here -o here "$toy"
cmp next here || fail "in place gave another model"
head -c 1000 M >broken
expect_exit 65 "$ELMAN" train --init-from broken -o here "$toy"
expect_stderr_match '^elman: broken: '
expect_exit 66 "$ELMAN" train --init-from nowhere -o here "$toy"
expect_stderr_match '^elman: nowhere: '
cmp next here || fail "the old model is lost"
rm ./*.checkpoint
expect_files M again broken here initial model.safetensors next other
