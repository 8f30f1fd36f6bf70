# Beam search, n-best lists and their options.

toy_model
expect_exit 0 "$ELMAN" translate --beam 5 '我 爱 学习' '她 是 我 的 老师'
expect_stdout 'I love studying' 'She is my teacher'
expect_no_stderr
expect_output '"exact_match":1,' evaluate --json --beam 3 --length-penalty 0.6 --max-ratio 3 "$DATA/toy.zh-en.tsv"

# Each line gets its list, numbered as in Moses; a line that is not valid text gets none.
printf '我 爱 学习\n\n\xff\n她 是 我 的 老师\n' >lines
expect_error 65 '^elman: standard input:3: ' translate --n-best 2 <lines
[ "$(cut -d ' ' -f 1 "$results/stdout" | xargs)" = '0 0 1 3 3' ] || fail "the numbers differ"
expect_stdout_match '^0 \|\|\| I love studying \|\|\| logprob= -0\.[0-9e-]+ \|\|\| -0\.[0-9e-]+$'
expect_stdout_match '^1 \|\|\|  \|\|\| logprob= 0 \|\|\| 0$'
expect_stdout_match '^3 \|\|\| She is my teacher \|\|\| '
expect_output '^0 \|\|\| I love studying \|\|\| ' translate --n-best 1 '我 爱 学习'

# With subwords, the beam contains many tokenizations of a text. A list has each text once and no empty
# alternative, its scores fall, and its first translation is that of the same beam.
everyday=$DATA/everyday.zh-en.safetensors
{ printf '我爱你。\n你好。\n我昨天买了三个苹果。\n他是学生。\n。\n'; cut -f 1 "$DATA/daily.test.zh-en.tsv" | head -n 8; } >lines
for n in 2 5 12; do
  for options in '' '--precision int8' '--max-length 4' "-m $everyday" '--coverage-penalty 0.2 --length-penalty 0.6'; do
    expect_exit 0 "$ELMAN" translate -t 2 -m "$everyday" $options --beam $n --n-best $n -i lines
    awk -F ' [|][|][|] ' -v n=$n '
      $1 != line { if (NR > 1 && count != n) exit_code = 1; line = $1; count = 0; split("", seen) }
      { count++; if ($2 in seen || ($2 == "" && count > 1) || (count > 1 && $4 > score)) exit_code = 1
        seen[$2]; score = $4 + 0 }
      END { exit exit_code || count != n }' "$results/stdout" || fail "$options: a text twice, too few, or a wrong order"
    awk -F ' [|][|][|] ' 'NR == 1 || $1 != line { print $2 } { line = $1 }' "$results/stdout" >first
    expect_same first translate -t 1 -m "$everyday" $options --beam $n -i lines
  done
done
expect_exit 0 "$ELMAN" attention -m "$everyday" --format json --n-best 5 '我爱你。'
[ "$(sed 's/.*"text":"\([^"]*\)".*/\1/' "$results/stdout" | sort -u | wc -l)" -eq 5 ] ||
  fail "matrices of equal texts"

expect_exit 0 "$ELMAN" translate --json --beam 4 --n-best 3 '我 爱 学习'
expect_stdout_match '^\{"text":"I love studying",.*,"translations":\[\{"text":"I love studying","target_tokens":\["I","love","studying","</s>"\],.*"score":-[0-9.e-]+,[^{]*\}(,\{[^{]*\}){2}\]\}$'
# A line contains the log-probability, then the score: with a penalty of 1, the mean over four tokens.
expect_exit 0 "$ELMAN" translate --n-best 1 --length-penalty 1 '我 爱 学习'
awk '{ exit !($(NF - 2) < 0 && ($(NF - 2) / $NF - 4) ^ 2 < 1e-6) }' "$results/stdout" ||
  fail "the score is not the log-probability divided by the length"
expect_exit 0 "$ELMAN" translate --json --beam 4 '我 爱 学习'
! grep -q n_best "$results/stdout" || fail "an n-best list without --n-best"

# The penalties change the score.
expect_exit 0 "$ELMAN" translate --n-best 1 --length-norm wu '我 爱 学习'
awk '{ exit !($(NF - 2) < 0 && ($(NF - 2) / $NF - 1.5) ^ 2 < 1e-6) }' "$results/stdout" ||
  fail "the score is not the log-probability divided by (5 + T) / 6"

# One matrix per translation.
expect_lines 3 attention --format json --n-best 3 '我 爱 学习'
echo '我 爱 学习' >line
expect_lines 2 repl --n-best 2 <line

# --replace-unknown replaces an unknown word by a word of the source.
printf 'o p q\tx y a\no p r\tx y b\no p s\tx y c\n' >rare
expect_exit 0 "$ELMAN" train -q -t 1 --min-count 2 --epochs 200 -o rare.safetensors rare
expect_prints 'x y <unk>' translate -q -m rare.safetensors 'o p t'
expect_output '^x y (o|p|t)$' translate -q -m rare.safetensors --replace-unknown 'o p t'
# The replacement is the source word with the largest weight in the row.
word=$(sed 's/^x y //' "$results/stdout")
expect_exit 0 "$ELMAN" attention -m rare.safetensors --format tsv --replace-unknown 'o p t'
sed -n '1p;4p' "$results/stdout" | awk -F '\t' -v word="$word" '
  NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i }
  NR == 2 { best = 2; for (i = 3; i <= NF; i++) if ($i > $best) best = i
            exit !($1 == word && name[best] == word) }' || fail "not the word with the largest attention weight"

# The replacement is separated by spaces, also from Chinese text.
printf '左 上 一\tthe a is\n左 上 二\tthe b is\n左 上 三\tthe c is\n' >rare
expect_exit 0 "$ELMAN" train -q -t 1 --min-count 2 --epochs 200 -o rare.safetensors rare
expect_output '^the (左|上|四) is$' translate -q -m rare.safetensors --replace-unknown '左 上 四'
expect_output '"target_tokens":\["the","(左|上|四)","is","</s>"\]' translate -q -m rare.safetensors --replace-unknown --json \
  '左 上 四'

# A file of many lines gives the lines' own translations, in order.
for i in {1..150}; do
  printf '我 爱 学习\n她 是 我 的 老师\n\n我们 去 学校\n'
done >many
for beam in 1 4; do
  output_to from_file translate --beam $beam -i many
  [ "$(wc -l <from_file)" -eq 600 ] || fail "lines are missing"
  [ "$(sort from_file | uniq -c | awk '{ print $1 }' | xargs)" = '150 150 150 150' ] ||
    fail "equal lines have different translations"
  expect_exit 0 "$ELMAN" translate --beam $beam <<<"$(head -n 4 many)"
  cmp <(head -n 4 from_file) "$results/stdout" || fail "a file and a pipe give different results"
  cmp <(head -n 4 from_file) <(tail -n 4 from_file) || fail "the order of the lines differs"
done

# With a slow writer, complete lines are translated while the next line is incomplete.
coproc "$ELMAN" translate --beam 3
printf '我 爱 学习\n她 是' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer while the next line is incomplete"
[ "$answer" = 'I love studying' ] || fail "answer: $answer"
printf ' 我 的 老师\n' >&"${COPROC[1]}"
read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer to a line that was written in two pieces"
[ "$answer" = 'She is my teacher' ] || fail "answer: $answer"

# Every command checks the values; tests/options/run has all wrong ones.
for command in translate repl attention "evaluate $DATA/toy.zh-en.tsv"; do
  expect_refused '--beam must be' $command --beam 0
done
