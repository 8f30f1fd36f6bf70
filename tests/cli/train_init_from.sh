# --init-from: training starts from the parameters of a model.

command -v python3 >/dev/null || exit 77
toy=$DATA/toy.zh-en.tsv
toy_model
mv model.safetensors M

# Without an epoch, the output equals the input.
expect_exit 0 "$ELMAN" train -q --epochs 0 --init-from M "$toy"
expect_no_stderr
cmp M model.safetensors || fail "the model changed"
# Shape and vocabularies are those of the model, whatever the pairs.
printf '我 爱 你\tI love you\n' >other
cmp M model.safetensors || fail "the model changed"
expect_note '^source: space, vocabulary size 19, normalization nfkc-wide .*$' train --epochs 0 --init-from M --seed 5 other
cmp M model.safetensors || fail "the model changed"

# Words that the model lacks cannot be added, whatever the options.
printf '猫 狗 鸟\tcats dogs birds\n' >strange
expect_note '^100 % of the source tokens .*; train without --init-from to build a vocabulary from these pairs$' train \
  --epochs 1 --init-from M -o next strange
! grep -q -- --min-count "$results/stderr" || fail "the note suggests --min-count, which --init-from excludes"
rm strange

# Training continues from the model, and is reproducible.
expect_note '^epoch 1 of 1  loss 0\.0' train --epochs 1 --init-from M -o next "$toy"
expect_model next -q -t 1 --epochs 1 --init-from M -o again "$toy"
! cmp -s M next || fail "the model did not change"
expect_exit 0 "$ELMAN" train -q --epochs 0 -o initial "$toy"
expect_model M -q --epochs 400 --init-from initial "$toy"

# A resumed run continues with the model it started from. tests/unit/validation.c resumes where a stopped run has replaced it.
stop=(--epochs 100000 --hours 0.000001)
whole() { "$ELMAN" train -q -t 1 --epochs 30 "$@" "$toy"; }
expect_exit 0 whole --init-from M -o whole
expect_exit 0 "$ELMAN" train -q -t 1 "${stop[@]}" --init-from M -o part "$toy"
cp part.checkpoint stopped.checkpoint
expect_exit 64 whole --resume --init-from initial -o part
expect_stderr_match 'belongs to another run: it was initialized from a trained model, and this run is initialized from another model; use the original'
expect_message 64 'from a trained model, and this run is initialized from random weights' whole --resume -o part
cmp part.checkpoint stopped.checkpoint || fail "a checkpoint that was refused changed"
expect_exit 0 whole --resume --init-from M -o part
cmp whole part || fail "the model differs after --resume with --init-from"
expect_exit 0 "$ELMAN" train -q -t 1 "${stop[@]}" -o new "$toy"
expect_message 64 'from random weights, and this run is initialized from a trained model' whole --resume --init-from M -o new
rm whole part part.checkpoint stopped.checkpoint new new.checkpoint

# The output may be the initial model; after an error that file is unchanged.
cp M here
expect_model next -q --epochs 1 --init-from here -o here "$toy"
head -c 1000 M >broken
expect_error 65 '^elman: broken: ' train --init-from broken -o here "$toy"
cmp next here || fail "the old model changed"
rm ./*.checkpoint
expect_files M again broken here initial model.safetensors next other
