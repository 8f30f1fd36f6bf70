# --override changes attention during decoding.

toy_model
sentence='我 爱 学习'

output_to plain attention --format json "$sentence"
expect_no_stderr
expect_exit 0 "$ELMAN" attention --format tsv --override uniform "$sentence"
[ "$(grep -c $'\t0.333333\t0.333333\t0.333333$' "$results/stdout")" -eq \
  "$(tail -n +2 "$results/stdout" | grep -c .)" ] || fail "the weights are not uniform"
expect_stderr_match '^with unmodified attention, [01] of 1 translation is the same; the override changes the log-probability by [+-][0-9]'

expect_exit 0 "$ELMAN" attention --format tsv --override position=2 "$sentence"
! tail -n +2 "$results/stdout" | grep -v $'\t0.000000\t1.000000\t0.000000$' | grep -q . ||
  fail "a weight outside position 2"
expect_output $'\t0\\.000000\t0\\.000000\t1\\.000000$' attention --format tsv --override position=9 "$sentence"
expect_exit 0 "$ELMAN" attention --format tsv --override 1:3=0.5 --reference 'I love studying' "$sentence"
[ "$(sed -n 2p "$results/stdout" | cut -f4)" = 0.500000 ] || fail "1:3=0.5 did not set the cell"
expect_stderr_match '1 of 1 translation is the same'

# A cell that is outside every matrix is an error; a cell that is outside some matrices applies to the others.
expect_refused --override attention --override 9:9=1 "$sentence"
expect_exit 64 "$ELMAN" attention --override 1:4=1 -o cells.tsv "$sentence"
[ ! -e cells.tsv ] || fail "an output file was written although the cell does not exist"
expect_exit 0 "$ELMAN" attention --override 1:4=1 "$sentence" '她 是 我 的 老师'

# The same seed shuffles in the same way, alone and in a batch.
output_to shuffled attention --format json --override shuffle "$sentence"
expect_same shuffled attention --format json --override shuffle "$sentence"

# --summary reports measures of a whole file and the effect of the override.
cut -f1 "$DATA/toy.zh-en.tsv" >sources
expect_output '^  of the maximum +100\.00 %' attention --summary --override uniform -i sources
expect_stderr_match ' of 5 translations are the same'
expect_exit 0 "$ELMAN" evaluate -q --override shuffle --seed 2 "$DATA/toy.zh-en.tsv"
expect_output '^exact match' evaluate -q --override position=1 "$DATA/toy.zh-en.tsv"

# A cell that is outside every matrix is an error; a cell of a single sentence applies to it.
expect_refused \
  '^elman: override: no matrix has target token 90 and source token 1: there are at most [0-9]+ target tokens, </s> included, and 5 source tokens$' \
  evaluate -q --override 90:1=1 "$DATA/toy.zh-en.tsv"
expect_exit 64 "$ELMAN" evaluate -q --override uniform --override 1:6=1 "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" evaluate -q --override 1:5=1 "$DATA/toy.zh-en.tsv"

for wrong in even position= position=0 position=-1 1:2 1:2= 0:1=0.5 1:0=0.5 1:2=1.5 1:2=x 1:2=-0.1 \
  1:2=0.5x 1:2=0..5 uniform,shuffle; do
  expect_refused --override attention --override "$wrong" "$sentence"
done
