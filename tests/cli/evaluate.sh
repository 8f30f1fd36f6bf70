# Scores, for people and for programs.

toy_model
toy=$DATA/toy.zh-en.tsv
expect_exit 0 "$ELMAN" evaluate "$toy"
expect_stdout_match '^sentences +5$'
expect_stdout_match '^exact match +100\.00 %$'

expect_exit 0 "$ELMAN" evaluate -q --json "$toy"
expect_no_stderr
expect_stdout_match '^\{"loss":0\.[0-9e-]+,"perplexity":1\.[0-9]+,"tokens":25,"sentences":5,"exact_match":1,"unknown_source":0,"unknown_target":0\}$'

# A sentence that is too long to be translated is not silently missing.
{ cat "$toy"; printf '我%.0s ' {1..5001}; printf '\tI\n'; } >long
expect_exit 0 "$ELMAN" evaluate long
expect_stdout_match '^sentences +5$'
expect_stderr_match '^1 pairs left out: a side has more tokens than can be translated$'

# Unknown words and wrong translations count.
printf '我 爱 猫\tI love cats\n' >other
expect_exit 0 "$ELMAN" evaluate -q --json other
expect_stdout_match '"exact_match":0,"unknown_source":1,"unknown_target":1'

# Gold alignments in a third column.
printf '我 爱 学习\tI love studying\t0-0 1-1 2-2\n' >aligned
expect_exit 0 "$ELMAN" evaluate -q --json --alignments 3 aligned
expect_stdout_match '"aligned_words":3,"alignment_agreement":(0|0\.[0-9]+|1)\}$'
expect_exit 0 "$ELMAN" evaluate -q --alignments 3 aligned
expect_stdout_match '^alignment agreement +[0-9.]+ %$'
printf '我 爱 学习\tI love studying\t0-0 7-7\n' >misaligned
expect_exit 65 "$ELMAN" evaluate -q --strict --alignments 3 misaligned
expect_stdout

expect_exit 66 "$ELMAN" evaluate nowhere
expect_exit 66 "$ELMAN" evaluate -m nowhere "$toy"
: >empty
expect_exit 65 "$ELMAN" evaluate empty
