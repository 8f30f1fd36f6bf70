# --init-from: training starts from a model.

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
expect_stderr_match '^source: split into space, vocabulary of 19$'
cmp M model.safetensors || fail "the model changed"

# Words that the model lacks cannot be counted in, whatever the options are.
printf '猫 狗 鸟\tcats dogs birds\n' >strange
expect_exit 0 "$ELMAN" train --epochs 1 --init-from M -o next strange
expect_stderr_match '^100 % of the source.s tokens .*; a training without --init-from counts these pairs. own words$'
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
expect_files M again broken here initial model.safetensors next other
