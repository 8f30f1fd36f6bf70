# `elman average`: the mean of models.

train() { # train FILE OPTION...
  expect_exit 0 "$ELMAN" train -q -t 1 -o "$@" "$DATA/toy.zh-en.tsv"
}
small=(--hidden-size 3 --embedding-size 2)
train start "${small[@]}" --epochs 2
train one --epochs 1 --init-from start
train two --epochs 3 --init-from start

expect_note '^wrote mean, the mean of 2 models$' average -o mean one two
expect_stdout
expect_exit 0 "$ELMAN" translate -m mean -q '我 爱 学习'

# The mean of equal models equals them. The output is written completely or not at all.
expect_exit 0 "$ELMAN" average -q -o same one one one
expect_no_stderr
cmp one same || fail "the mean of a model with itself differs from it"
expect_exit 0 "$ELMAN" average -q -f -o same one
cmp one same || fail "the mean of one model differs from it"

# Runs that continue the same model may differ in the seed. Models with different initial parameters are refused.
train seeded --epochs 3 --init-from start --seed 2
expect_exit 0 "$ELMAN" average -q -f -o mean one seeded
expect_no_stderr
for seed in 1 2; do train apart$seed --seed $seed --epochs 20; done
cp mean before
for order in 'apart1 apart2' 'apart2 apart1' 'apart1 apart1 apart2'; do
  # shellcheck disable=SC2086
  expect_exit 65 "$ELMAN" average -q -f -o mean $order
  expect_stderr_match "^elman: apart[12]: initial weights differ from those of apart[12] \(seed [12] there, [12] here\), so the average would be useless; use an ensemble instead: elman translate -m apart[12] -m apart[12]$"
  cmp before mean || fail "the output changed although the models were refused"
done

expect_refused 'no MODEL given' average -o mean
expect_refused 'no output file given' average one two
