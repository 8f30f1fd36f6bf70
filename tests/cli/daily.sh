# Test: slow.
# A larger task with reordering: after training, the model translates the test part and attends to the right words.
# The case takes seconds in the release build, minutes with sanitizers.

expect_exit 0 "$ELMAN" train -q --attention scaled --epochs 40 --seed 1 "$DATA/daily.train.zh-en.tsv"
expect_output '^\{.*"sentences":200,' evaluate -q --alignments 3 --json "$DATA/daily.test.zh-en.tsv"

# score NAME: a number from the JSON on stdout.
score() {
  grep -oE "\"$1\":[0-9.e+-]+" "$results/stdout" | cut -d : -f 2
}

# at_least NAME LIMIT
at_least() {
  awk -v found="$(score "$1")" -v limit="$2" 'BEGIN { exit !(found != "" && found >= limit) }' ||
    fail "$1 is $(score "$1"), not at least $2"
}

at_least exact_match 0.98
at_least alignment_agreement 0.90
