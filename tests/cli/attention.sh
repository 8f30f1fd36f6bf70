# Test: emulated.
# `elman attention` writes matrices in every format.

toy_model
expect_output '^ +我 +爱 +学习' attention '我 爱 学习'
expect_no_stderr
expect_stdout_match '^studying '
! grep -q $'\e' "$results/stdout" || fail "escape sequences without a terminal"

expect_exit 0 "$ELMAN" attention --format tsv '我 爱 学习'
[ "$(cut -f1 "$results/stdout" | tr '\n' ' ')" = ' I love studying </s> ' ] || fail "the rows differ"
cp "$results/stdout" expected.tsv

expect_lines 2 attention --format json '我 爱 学习' '她 是 我 的 老师'
expect_stdout_match '"target_tokens":\["I","love","studying","\\u003c/s\\u003e"\],.*"ended":true,"forced":false,'

# The suffix of an output file determines the format unless --format is given.
expect_exit 0 "$ELMAN" attention -o matrix.tsv '我 爱 学习'
expect_stdout
cmp expected.tsv matrix.tsv || fail "the file differs"
expect_exit 0 "$ELMAN" attention -o matrix.npy '我 爱 学习'
[ "$(head -c 6 matrix.npy | tail -c 5)" = NUMPY ] || fail "not an npy file"
expect_exit 0 "$ELMAN" attention --format tsv -o matrix '我 爱 学习'
cmp expected.tsv matrix || fail "the file differs"

expect_output '"target_tokens":\["We","go","\\u003c/s\\u003e"\],.*"ended":true,"forced":true,' attention --format json \
  --reference 'We go' '我 爱 学习'

# An unknown suffix is refused; a file without a suffix is text.
expect_refused '^elman: matrix.gif: ' attention -o matrix.gif '我 爱 学习'
expect_exit 0 "$ELMAN" attention -o .hidden '我 爱 学习'
cmp .hidden <("$ELMAN" attention '我 爱 学习') || fail ".hidden is not text"

# A line that is not UTF-8 is reported; its output line remains, without a translation.
printf '我 爱 学习\n\xff\n我 爱 学习\n' >lines
expect_error 65 '^elman: lines:2: ' attention --format json -i lines
[ "$(wc -l <"$results/stdout")" -eq 3 ] || fail "expected three objects"
printf '我 爱 学习\n%s\n我 爱 学习\n' '我 爱 学习 我 爱 学习' >lines
expect_error 65 '^elman: lines:2: the sentence is longer than the limit of 20 bytes; ' attention --format json \
  --max-bytes 20 -i lines
[ "$(wc -l <"$results/stdout")" -eq 3 ] || fail "expected three objects"
expect_refused --format attention --format gif 我
