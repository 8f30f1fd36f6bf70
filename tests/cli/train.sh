# `elman train`: messages, output files, and all ways to name the pairs.

toy=$DATA/toy.zh-en.tsv
expect_note '^5 pairs$' train "$toy"
expect_stdout
expect_stderr_match '^source: space, vocabulary size 19, normalization nfkc-wide \(auto: Chinese characters, with spaces between words\)$'
expect_stderr_match '^target: words, vocabulary size 21, normalization nfc \(auto: Latin script\)$'
! grep -q -e '--preset small' "$results/stderr" || fail "advice for a large corpus, with five pairs"
expect_stderr_match '^epoch 1 of 400  loss [0-9.]+  [0-9]+ tokens/s$'
expect_stderr_match '^epoch 400 of 400  loss 0\.0'
expect_stderr_match '^wrote model.safetensors; use it with: elman translate TEXT$'
[ "$(grep -c '^epoch' "$results/stderr")" -le 22 ] || fail "more than 22 lines about epochs"
expect_files model.safetensors model.safetensors.checkpoint
expect_prints "$(cut -f2 "$toy")" translate -i <(cut -f1 "$toy")

# -q prints nothing, an old model is replaced, and the same seed gives the same bytes.
mv model.safetensors first
expect_exit 0 "$ELMAN" train -q --epochs 1 "$toy"
expect_exit 0 "$ELMAN" train -q -t 1 "$toy"
expect_no_stderr
cmp first model.safetensors || fail "the same options trained a different model"

# --epochs 0 writes the initial model.
expect_exit 0 "$ELMAN" train --epochs 0 --hidden-size 7 --embedding-size 5 -o initial "$toy"
expect_output '^hidden size +7$' inspect -m initial
expect_stdout_match '^embedding size +5$'

# The name of the file states the languages. The same pairs from standard input, from two files, in other columns, with CRLF and a byte order mark.
same() {
  expect_model expected -q --epochs 2 -o other --source-language zh --target-language en "$@"
}
expect_exit 0 "$ELMAN" train -q --epochs 2 -o expected "$toy"
same - <"$toy"
cut -f1 "$toy" >zh
cut -f2 "$toy" >en
same --source zh --target en
paste en zh >swapped
same --columns 2,1 swapped
{ printf '\xef\xbb\xbf'; sed 's/$/\r/' "$toy"; } >crlf
same crlf
head -n 2 "$toy" >a
tail -n 3 "$toy" >b
same a b

# About twenty lines, for any number of epochs: the first, the last, and regular ones between.
reported() { # reported EPOCHS: the epochs that get a line
  expect_exit 0 "$ELMAN" train --epochs "$1" --hidden-size 4 --embedding-size 4 -o reported "$toy"
  sed -n 's/^epoch \([0-9]*\) of .*/\1/p' "$results/stderr" | xargs
}
[ "$(reported 20)" = "$(seq 20 | xargs)" ] || fail "expected 20 lines for 20 epochs"
[ "$(reported 21)" = "$(echo 1 $(seq 2 2 20) 21)" ] || fail "expected every second of 21 epochs"
[ "$(reported 40)" = "$(echo 1 $(seq 2 2 40))" ] || fail "expected every second of 40 epochs"

# A terminal shows the progress: one update of two epochs is 50 %.
if command -v script >/dev/null; then
  TERM=xterm script -qefc "$ELMAN train --epochs 2 -o reported $toy" typescript >/dev/null </dev/null ||
    fail "training on a terminal failed"
  grep -aqF 'epoch 1 of 2  50 %' typescript || fail "expected 50 % after the first of two epochs"
  rm typescript
fi
rm reported

# A tokenization that the user has chosen is reported without a reason.
expect_note '^source: chars, vocabulary size [0-9]+, normalization nfc \(Chinese characters, without spaces between words\)$' train --epochs 0 -o chosen --source-tokens chars --subwords 5 \
  --normalization nfc "$toy"
expect_stderr_match '^target: bpe with 5 merge operations, vocabulary size [0-9]+, normalization nfc \(Latin script\)$'

# For more than 10,000 pairs, the defaults without dev pairs are not recommended.
for i in {1..10001}; do echo "我 爱 你	I love you"; done >large.tsv
large=(train --epochs 0 --force -o large)
expect_note '--preset small --dev PAIRS .*corpus split' "${large[@]}" large.tsv
for chosen in '--dev large.tsv' '--preset plain' '--cell gru'; do
  expect_no_note '--preset small' "${large[@]}" $chosen large.tsv
done
head -n 10000 large.tsv >limit.tsv
expect_no_note '--preset small' "${large[@]}" limit.tsv

# Words that occur once are noted, unless there are few words or subwords.
for i in {1..1000}; do echo "w$i the	v$((i % 800)) le"; done >rare.tsv
rare=(train --epochs 0 --force -o rare)
expect_note '^source: 1000 of 1001 words occur once; in other text, about 50\.0 % .* --source-tokens bpe splits' "${rare[@]}" \
  rare.tsv
! grep -q '^target: .*occur once' "$results/stderr" || fail "a note on few words"
expect_no_note 'occur once' "${rare[@]}" --subwords 10 rare.tsv

# A file that is given twice, also by another name, and a warm-up that is longer than the run are noted.
expect_note '^\./a is the same file as a, so its pairs count twice$' train --epochs 2 --warm-up 3 --force -o noted a b \
  ./a
expect_stderr_match '^the learning rate will not reach 0\.001: the run has 2 updates, fewer than --warm-up 3$'
expect_note '^a is given twice, so its pairs count twice$' train --epochs 2 --warm-up 2 --force -o noted a a
expect_exit 0 "$ELMAN" train --epochs 2 --warm-up 2 --force -o noted a b
! grep -q -e 'twice' -e 'will not reach' "$results/stderr" || fail "a note without a reason"
