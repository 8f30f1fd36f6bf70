# Text as users type it: spaces between Chinese characters (Han), and output without token marks.

# ---- spaces ----

paste <(printf '%s\n' 你喜欢雨吗？ 我喜欢雨。 你喝茶吗？ 我不喝茶。) \
  <(printf '%s\n' 'Do you like rain?' 'I like rain.' 'Do you drink tea?' 'I do not drink tea.') >chars.tsv
expect_note '^source: chars,' train --epochs 100 --hidden-size 16 --embedding-size 16 chars.tsv
expect_exit 0 "$ELMAN" translate 你喜欢雨吗？
expect_no_stderr
without=$(cat "$results/stdout")
expect_exit 0 "$ELMAN" translate '你 喜欢  雨 吗 ？'
expect_no_stderr # no unknown words
expect_stdout "$without"
expect_output '"source_tokens":\["你","喜","欢","雨","吗","？"\]' translate --json '你 喜欢 雨 吗 ？'
expect_output '"source_spans":\[\[0,3\],\[4,7\],\[7,10\],\[11,14\]\]' attention --format json '你 喜欢 雨'

# Training on text with spaces gives the same model.
sed 's/喜欢/ 喜欢 /; s/喝/ 喝 /; s/ ？/？/' chars.tsv >spaced.tsv
expect_model model.safetensors -q --epochs 100 --hidden-size 16 --embedding-size 16 --source-tokens chars -o spaced \
  spaced.tsv

# An exact match does not depend on spaces.
awk -F'\t' '{print $2 "\t" $1}' chars.tsv >en-zh.tsv
awk -F'\t' '{print $2 "\t" $1}' spaced.tsv >en-zh-spaced.tsv
expect_exit 0 "$ELMAN" train -q --epochs 1000 --hidden-size 16 --embedding-size 16 -o en-zh en-zh.tsv
expect_output '^exact match +100.00 %' evaluate -m en-zh en-zh-spaced.tsv

# ---- width and punctuation ----

expect_output '^source text +nfkc-wide$' inspect
expect_stdout_match '^target text +nfc$'
for typed in '你喜欢雨吗?' '你 喜欢 雨 吗 ?' '你喜欢雨吗﹖'; do
  expect_prints "$without" translate "$typed"
  expect_no_stderr
done
expect_output '"source":"你喜欢雨吗\?".*"source_tokens":\["你","喜","欢","雨","吗","？"\]' attention --format json '你喜欢雨吗?'
expect_stdout_match '"source_spans":\[\[0,3\],\[3,6\],\[6,9\],\[9,12\],\[12,15\],\[15,16\]\]'
# With nfkc, Chinese output is full-width and English output is ASCII, however the pairs were typed.
printf '%s\n' $'Does Tom’s dog say “I”?\tＴom的狗说"我"吗?' $'It´s 3.5–4 o’clock.\t现在是3.5-4点.' >signs.tsv
expect_exit 0 "$ELMAN" train -q --epochs 1000 --normalization nfkc --hidden-size 16 --embedding-size 16 -o signs signs.tsv
expect_exit 0 "$ELMAN" translate -m signs 'Does Tom'"'"'s dog say "I"?' "It's 3.5-4 o'clock."
expect_no_stderr
expect_stdout Tom的狗说“我”吗？ 现在是3.5-4点。
expect_output '^exact match +100.00 %' evaluate -m signs signs.tsv
expect_exit 0 "$ELMAN" train -q --epochs 1000 --normalization nfkc --columns 2,1 --hidden-size 16 --embedding-size 16 -o back \
  signs.tsv
expect_exit 0 "$ELMAN" translate -m back Tom的狗说“我”吗？ 现在是3.5-4点。
expect_no_stderr
expect_stdout 'Does Tom'"'"'s dog say "I"?' "It's 3.5-4 o'clock."

# By default, the source may have any signs, and translations have those of the training data.
cat >quotes.tsv <<'END'
"Hello", he said - 'now'.	„Hallo“, sagte er – ‚jetzt‘.
We have 2³ dogs…	Nous avons 2³ chiens… « ici »
x² isn't y	x² n’est pas y
Three	เรียนน้ำ և ＡＢ！
END
expect_exit 0 "$ELMAN" train -q --epochs 1000 --hidden-size 16 --embedding-size 16 -o quotes quotes.tsv
expect_exit 0 "$ELMAN" translate -m quotes '“Hello”, he said – ‘now’.' 'We have 2³ dogs...' 'x2 isn’t y' Ｔhree
expect_no_stderr
expect_stdout '„Hallo“, sagte er – ‚jetzt‘.' 'Nous avons 2³ chiens… « ici »' 'x² n’est pas y' 'เรียนน้ำ և ＡＢ！'
expect_output '^BLEU +100.00$' evaluate -m quotes quotes.tsv

expect_exit 0 "$ELMAN" train -q --epochs 0 --normalization none -o none signs.tsv
expect_output '^source text +none$' inspect -m none
expect_exit 0 "$ELMAN" train -q --epochs 0 --normalization nfc -o nfc signs.tsv
expect_output '^source text +nfc$' inspect -m nfc
expect_output $'\t“$' inspect -m nfc --vocabulary source

# With auto-lower, capital letters of the source make no difference. Words that are copied keep theirs.
printf '%s\t%s\n' 'Where is my Dog?' 'Wo ist mein Hund?' 'Where is my Dog?' 'Wo ist mein Hund?' 'I saw Ann.' 'Ich sah Ann.' \
  'I saw Bob.' 'Ich sah Bob.' >case.tsv
expect_exit 0 "$ELMAN" train -q --epochs 400 --min-count 2 --normalization auto-lower --hidden-size 16 --embedding-size 16 -o lower case.tsv
expect_exit 0 "$ELMAN" translate -m lower 'WHERE IS MY DOG?' 'where is my dog?' 'Where Is My Dog?'
expect_no_stderr
expect_stdout 'Wo ist mein Hund?' 'Wo ist mein Hund?' 'Wo ist mein Hund?'
expect_output '^source text +nfkc-lower$' inspect -m lower
expect_stdout_match '^target text +nfc$'
expect_output '"source_tokens":\["where","is","my","dog","\?"\]' attention -m lower --format json 'WHERE IS MY DOG?'
expect_stdout_match '"source_spans":\[\[0,5\],\[6,8\],\[9,11\],\[12,15\],\[15,16\]\]'
expect_prints 'Ich sah Tom.' translate -q -m lower --replace-unknown 'I SAW Tom.'
# A side that is written with full-width marks keeps its form.
expect_exit 0 "$ELMAN" train -q --epochs 0 --normalization auto-lower -o wide chars.tsv
expect_output '^source text +nfkc-wide$' inspect -m wide

# ---- token mode auto ----

for i in {1..300}; do printf '我喜欢%s雨。\tI like rain %s.\n' "$i" "$i"; done >unspaced.tsv
for i in {1..400}; do printf '我 喜欢 %s 雨 。\tI like rain %s.\n' "$i" "$i"; done >segmented.tsv
tiny=(--epochs 0 --hidden-size 2 --embedding-size 2)
expect_note '^source: chars, vocabulary size 16, normalization nfkc-wide \(auto: Chinese characters, without spaces between words\)$' train "${tiny[@]}" \
  unspaced.tsv
! grep -q 'sampled lines' "$results/stderr" || fail "a note on mixed lines for an unspaced corpus"
expect_note '^source: space,' train "${tiny[@]}" segmented.tsv
! grep -q 'sampled lines' "$results/stderr" || fail "a note on mixed lines for a segmented corpus"

cat unspaced.tsv segmented.tsv >mixed.tsv
expect_note '^source: chars, vocabulary size 16, normalization nfkc-wide \(auto: Chinese characters, without spaces between words\)$' train "${tiny[@]}" \
  mixed.tsv
expect_stderr_match '^source: 400 of 700 sampled lines have spaces between words, the others few or none; every line is split into characters'
! grep -q '^target: .*sampled lines' "$results/stderr" || fail "a note on mixed lines for English"
expect_note '^source: 300 of 700 sampled lines .* --source-tokens chars splits every line into characters$' train \
  "${tiny[@]}" --source-tokens space mixed.tsv
expect_exit 0 "$ELMAN" train -q "${tiny[@]}" mixed.tsv
expect_no_stderr

# ---- marks ----

expect_exit 0 "$ELMAN" train -q --epochs 1 --source-tokens chars --target-tokens words chars.tsv
typed='a b'
for show in 'translate' 'translate --json' 'translate --replace-unknown' 'trace' 'trace --json' \
  'attention' 'attention --format tsv' 'attention --format json' 'attention --format svg' \
  'attention --format html' 'attention --format pharaoh'; do
  if [ "${show%% *}" = trace ]; then set -- "$typed" 'tea , "rain" a - b'; else set -- "$typed"; fi
  # shellcheck disable=SC2086 # words of a command
  expect_exit 0 "$ELMAN" $show "$@"
  ! grep -q '[▁￭]' "$results/stdout" "$results/stderr" || fail "$show prints a mark"
done
expect_exit 0 "$ELMAN" inspect --vocabulary target
! grep -q '[▁￭]' "$results/stdout" || fail "the vocabulary is printed with a mark"
expect_exit 0 "$ELMAN" train -q --epochs 0 --target-tokens chars chars.tsv
expect_output $'\tt\tafter a space$' inspect --vocabulary target
expect_exit 0 "$ELMAN" attention --format tsv --reference 'tea , "rain" a - b' "$typed"
! grep -q '[▁￭]' "$results/stdout" || fail "a reference is printed with a mark"
