# --precision: every command that translates uses the rounded weights, and refuses other precisions.

pairs=$DATA/daily.test.zh-en.tsv
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 16 --embedding-size 8 -o model \
  "$DATA/daily.train.zh-en.tsv"
cut -f 1 "$pairs" | head -n 20 >sources

# Scores differ from those of floats, but little. float32 is the default.
for precision in float32 int8; do
  expect_exit 0 "$ELMAN" score -m model --precision $precision -o score.$precision "$pairs"
done
expect_exit 0 "$ELMAN" score -m model -o score.default "$pairs"
cmp score.default score.float32 || fail "float32 is not the default"
cmp -s score.int8 score.float32 && fail "score ignores --precision"
paste score.int8 score.float32 | awk -F '\t' '{ off = $1 - $4; if (off > 0.5 || off < -0.5) exit 1 }' ||
  fail "the scores of int8 are far from those of float32"

# The loss of evaluate is that of score, and translate and score agree.
loss=$(awk -F '\t' '{ sum += $1; count += $2 } END { printf "%.3f", -sum / count }' score.int8)
expect_exit 0 "$ELMAN" evaluate -q -m model --precision int8 "$pairs"
found=$(awk '$1 == "loss" { printf "%.3f", $2 }' "$results/stdout")
awk -v a="$loss" -v b="$found" 'BEGIN { exit !(a - b <= 0.002 && b - a <= 0.002) }' ||
  fail "the loss $found differs from $loss"
expect_exit 0 "$ELMAN" translate -m model --precision int8 --beam 3 --n-best 1 -i sources
sed 's/.*logprob= \(.*\) |||.*/\1/' "$results/stdout" >found
sed 's/^[0-9]* ||| \(.*\) ||| logprob=.*/\1/' "$results/stdout" | paste sources - >again
expect_exit 0 "$ELMAN" score -m model --precision int8 again
cut -f 1 "$results/stdout" | paste found - |
  awk '{ if ($1 - $2 > 1e-3 || $2 - $1 > 1e-3) exit 1 }' || fail "translate and score differ"

# The result depends on neither threads nor batches.
expect_exit 0 "$ELMAN" translate -m model --precision int8 --beam 3 --json -t 3 -i sources -o three
head -n 1 sources >one
expect_exit 0 "$ELMAN" translate -m model --precision int8 --beam 3 --json -t 1 -i one -o single
head -n 1 three | cmp - single || fail "a batch or threads change the result"

# Attention and a session.
expect_exit 0 "$ELMAN" attention -m model --precision int8 -i one -o int8.json
expect_exit 0 "$ELMAN" attention -m model -i one -o float32.json
cmp -s int8.json float32.json && fail "attention ignores --precision"
expect_exit 0 "$ELMAN" translate -m model --precision int8 -i sources -o translations
expect_same translations repl -m model --precision int8 <sources

# Other precisions.
for command in translate evaluate score repl; do
  expect_exit 64 "$ELMAN" $command -m model --precision bfloat16 </dev/null
  grep -q -- "--precision: bfloat16 is a precision of training; translate with float32 or int8" \
    "$results/stderr" || fail "$command: the message does not say why"
done
expect_exit 64 "$ELMAN" translate -m model --precision half </dev/null
grep -q "'half' is not one of: float32, int8" "$results/stderr" || fail "the precisions are not listed"
