# Test: slow.
# tools/make-everyday trains its three models, and continues after an interruption. This test gives
# it few pairs and small networks.

make=$DATA/../tools/make-everyday
command -v opencc >/dev/null || exit 77
export ELMAN
mkdir folder models
for part in 'train 1 40' 'dev 41 46' 'test 47 50'; do
  read -r name first last <<<"$part"
  for i in $(seq "$first" "$last"); do
    printf '汤姆在波士顿买了%d本书。\tTom bought %d books in Boston.\n' "$i" "$i"
  done >"folder/$name.tsv"
done
printf '谢谢。\tThanks.\n' >>folder/train.tsv
printf '%s\n' 'Tom bought a book.' 'I bought two books.' >folder/english.txt

expect_exit 66 "$make" nowhere
expect_stderr_match '^make-everyday: cannot read nowhere/train.tsv'
expect_exit 66 "$make" folder nowhere
expect_stderr_match '^make-everyday: nowhere: no such folder'
expect_exit 64 "$make" --help

expect_exit 0 "$make" --trial folder models
for model in models/{everyday.zh-en,everyday.en-zh,playground.zh-en}.safetensors; do
  expect_output '^number type +float32, int8$' inspect -m "$model"
  expect_stdout_match '^arithmetic +portable$'
  expect_stdout_match '^hidden size +32$'
done
"$ELMAN" translate -q -m models/everyday.en-zh.safetensors 'Tom bought 7 books in Boston.' >/dev/null ||
  fail "the second model does not translate English"
[ "$(wc -l <folder/everyday/english.json)" -eq 2 ] || fail "the English sentences are not translated"
cut -f 1 folder/everyday/{pairs,places,names}.tsv | sort -u | cmp - <(sort folder/everyday/sources.txt) ||
  fail "the large model does not translate every source once"

# A second run has nothing left to do, and the models stay the same. A run that continues after an
# interruption gives the same models, too.
cp -r models before
expect_exit 0 "$make" --trial folder models
diff -r models before || fail "a model differs"
rm -r folder/everyday/{zh-en,playground}* folder/everyday/{english,sources}.json
expect_exit 0 "$make" --trial folder models
diff -r models before || fail "a model differs after an interruption"
