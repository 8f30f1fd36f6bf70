# Test: emulated.
# `elman translate`: one output line per sentence.

toy_model
expect_exit 0 "$ELMAN" translate '我 爱 学习' '她 是 我 的 老师'
expect_stdout 'I love studying' 'She is my teacher'
expect_no_stderr

# Chinese without spaces is segmented with the vocabulary.
expect_prints 'I love studying' translate 我爱学习

# Empty lines give empty lines; CRLF, a byte order mark and a missing last line end are accepted.
printf '\xef\xbb\xbf我 爱 学习\r\n\n   \n我 爱 学习' >lines
expect_exit 0 "$ELMAN" translate <lines
expect_stdout 'I love studying' '' '' 'I love studying'
expect_exit 0 "$ELMAN" translate -i lines -o translated
expect_stdout
printf 'I love studying\n\n\nI love studying\n' | cmp - translated || fail "the file differs"
expect_exit 0 "$ELMAN" translate -i - -o - <lines
expect_stdout 'I love studying' '' '' 'I love studying'
expect_exit 0 "$ELMAN" translate </dev/null
expect_stdout

# A byte order mark is removed at the start of each line, because files may be joined.
printf '\xef\xbb\xbf我\n\xef\xbb\xbf我\n' >marks
expect_exit 0 "$ELMAN" translate --json -i marks
[ "$(grep -c '"source_tokens":\["我"\]' "$results/stdout")" -eq 2 ] || fail "a byte order mark is part of the text"

# A carriage return within a line is white space; only a file without LF is refused.
printf '我\r爱\r\n我\r爱\n' >returns
expect_lines 2 translate -i returns
expect_stderr_match "^returns:1: contains a carriage return \(CR\) within the line; .*tr '"
[ "$(grep -c 'carriage return' "$results/stderr")" -eq 1 ] || fail "expected one note"
printf '我\r爱\r' >old_mac
expect_error 65 '^elman: old_mac: has lines that end with CR alone' translate -i old_mac
expect_stdout
expect_error 65 '^elman: standard input: has lines that end with CR alone' translate < <(cat old_mac)

# A line that is not UTF-8 is reported with its number, and its output line is empty.
printf '我 爱 学习\n\xff\xfe\na\0b\n我 爱 学习\n' >bad
expect_exit 65 "$ELMAN" translate <bad
expect_stdout 'I love studying' '' '' 'I love studying'
expect_stderr_match '^elman: standard input:2: '
expect_stderr_match '^elman: standard input:3: '
expect_error 65 '^elman: bad:2: ' translate -i bad --json
[ "$(sed -n 2p "$results/stdout")" = null ] || fail "expected null for a bad line"
expect_error 65 '^elman: TEXT 1: ' translate $'\xff'

expect_exit 0 "$ELMAN" translate --json '我 " \'
expect_stderr_match '^not in the vocabulary: ", \\ \(2 of 3 words\)$' # the original spelling
expect_stdout_match '^\{"text":".*","source_tokens":\["我","“","\\\\"\],.*"target_tokens":\[".*"log_probability":-[0-9.e-]+,'

# A line that is too long is reported with its number; the other lines are translated.
printf '我 爱 学习\n%s\n\xef\xbb\xbf我 爱\r\n我 爱 学习\r\n%s' "$(printf '爱 %.0s' {1..500})" 我我我我我我我 >long
expect_exit 0 "$ELMAN" translate -q --max-bytes 0 -i long # no limit
expect_exit 65 "$ELMAN" translate -q --max-bytes 20 -i long
expect_stdout 'I love studying' '' "$("$ELMAN" translate -q $'\xef\xbb\xbf我 爱')" 'I love studying' ''
expect_stderr_match '^elman: long:2: the sentence is longer than the limit of 20 bytes; split it or raise the limit$'
expect_stderr_match '^elman: long:5: the sentence is longer than the limit of 20 bytes; '
[ "$(wc -l <"$results/stderr")" -eq 2 ] || fail "expected errors for two lines"
expect_exit 65 "$ELMAN" translate -q --json --max-bytes 20 -i long
[ "$(grep -n '^null$' "$results/stdout" | xargs)" = '2:null 5:null' ] || fail "expected null for a line that is too long"
expect_error 65 '^elman: TEXT 1: the sentence is longer than the limit of 13 bytes; ' translate -q --max-bytes 13 \
  '我 爱 学习'
expect_error 65 '^elman: TEXT 1: the sentence is longer than the limit of 1 byte; ' translate -q --max-bytes 1 我
# A line of the maximum length, with all that may surround a line, is accepted.
printf '\xef\xbb\xbf我 爱 学习\r\n我 爱 学习\n我 爱 学习\r' >longest
expect_exit 0 "$ELMAN" translate --max-bytes 14 -i longest
expect_stdout 'I love studying' 'I love studying' 'I love studying'

# Unknown words are reported.
expect_note '^not in the vocabulary: 猫 \(1 of 3 words\)$' translate '我 爱 猫'
expect_note '^not in the vocabulary: 猫, 狗, 鱼 \(6 of 8 words\)$' translate '猫 爱 狗' '狗 我 猫 鱼 狗'
expect_exit 0 "$ELMAN" translate -q '我 爱 猫'
expect_no_stderr

expect_prints 'I' translate --max-length 1 '我 爱 学习'

# Each line is translated before the next one is read.
coproc "$ELMAN" translate
for i in 1 2 3; do
  echo '我 爱 学习' >&"${COPROC[1]}"
  read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer to a line in a pipe"
  [ "$answer" = 'I love studying' ] || fail "answer: $answer"
done

# A line of 64 MB needs little more memory than the limit.
peak() { awk '/VmHWM/ { print $2 }' "/proc/$1/status"; }
coproc "$ELMAN" translate -q --max-bytes 100000 2>/dev/null
pid=$COPROC_PID
echo '我 爱 学习' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer before the long line"
before=$(peak "$pid")
head -c 64000000 /dev/zero | tr '\0' x >&"${COPROC[1]}"
printf '\n我 爱 学习\n' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}" || fail "no output line for the long line"
[ "$answer" = '' ] || fail "output for the long line: $answer"
read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer after the long line"
[ "$answer" = 'I love studying' ] || fail "answer: $answer"
[ $(($(peak "$pid") - before)) -lt 4000 ] || fail "the long line took $(($(peak "$pid") - before)) kB"

# Notes on input that is probably a mistake; the translations are printed nevertheless.
expect_note "^'lines' is treated as a sentence, but a file of this name exists; did you mean -i lines\?$" translate \
  lines 我
[ "$(wc -l <"$results/stdout")" -eq 2 ] || fail "expected two translations"
expect_note 'did you mean -i lines\?$' attention --format json lines
expect_exit 0 "$ELMAN" translate -q lines .
expect_no_stderr
printf '我 爱 学习\tI love studying\n我\tI\n' >columns
expect_exit 0 "$ELMAN" translate -i columns
[ "$(grep -c '^columns:1: contains a tab; the whole line' "$results/stderr")" -eq 1 ] ||
  fail "no note on columns"

# The first five bad lines are reported, the others counted; each has an output line.
yes $'\xff' | head -n 200 >bad
expect_exit 65 "$ELMAN" translate -i bad
[ "$(wc -l <"$results/stdout")" -eq 200 ] || fail "expected one output line per line"
[ "$(grep -c '^elman: bad:' "$results/stderr")" -eq 6 ] || fail "expected five errors and one line with the number of the others"
expect_stderr_match '^elman: bad: and 195 more lines with bad data$'

# Wrong input.
mkdir elsewhere && cd elsewhere || exit
expect_error 66 "'elman train' writes this file" translate 我

# The note for a model of characters counts characters.
expect_exit 0 "$ELMAN" train -q --epochs 1 --source-tokens chars -o chars.safetensors "$DATA/toy.zh-en.tsv"
expect_note '^not in the vocabulary: 猫 \(1 of 2 characters\)$' translate -m chars.safetensors 我猫
