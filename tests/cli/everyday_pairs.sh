# tools/everyday-pairs adds pairs in traditional characters and with Chinese names, and keeps the dev and test pairs out.

make=$DATA/../tools/everyday-pairs
command -v opencc >/dev/null || exit 77
mkdir folder
for i in $(seq 40); do
  printf '汤姆买了%d本书。\tTom bought %d books.\tCC-BY\n' $i $i
done >folder/train.tsv
printf '我们爱国。\tWe love our country.\n' >folder/dev.tsv
printf '再见！\tGoodbye!\n' >folder/test.tsv
printf '%s\n' $'這個很好。\tThis is good.' $'我們愛國！\tAnother side.' $'别的。\tgoodbye' $'这个很好。\tThis is good.' >folder/extra.tsv

"$make" folder >pairs || fail "everyday-pairs failed"
"$make" folder | cmp - pairs || fail "the pairs differ from run to run"
head -n 40 pairs | cmp - <(cut -f 1,2 folder/train.tsv) || fail "the training pairs do not come first"
[ "$(grep -c 'This is good' pairs)" -le 2 ] || fail "equal pairs are repeated"
grep -q $'^这个很好。\tThis is good.$' pairs || fail "further pairs are missing"
! grep -i -e 'Another side' -e goodbye pairs || fail "a pair shares a side with the dev or test pairs"
names=$(sed -n '42,$p' pairs | grep -c -v -e Tom)
{ [ "$names" -ge 10 ] && [ "$names" -le 60 ]; } || fail "$names pairs with Chinese names instead of about 25"
! sed -n '42,$p' pairs | grep -v Tom | grep -v $'\t[A-Z][^ ]* [A-Z][a-z]* bought [0-9]* books\\.$' | grep -v 'This is good' ||
  fail "a name is wrong"
grep -q '買了[0-9]*本書。' pairs || fail "no pair is in traditional characters"

# Copies with other places; a pair about the people of a country is not copied.
printf '%s\n' $'我住在波士顿。\tI live in Boston.' $'他是法国人。\tHe is from France.' $'我爱日本。\tI love Japan.' >>folder/train.tsv
"$make" --places folder >places || fail "--places failed"
[ "$(wc -l <places)" -eq 2 ] || fail "$(wc -l <places) places instead of 2"
grep -q -P '^我住在(?!波士顿).*。\tI live in (?!Boston).*\.$' places || fail "no other city"
grep -q -P '^我爱(?!日本).*。\tI love (?!Japan).*\.$' places || fail "no other country"

# Copies with other names: three of a short pair, and 20 of a pair that states a name. Then the
# short pairs.
printf '%s\n' $'汤姆累了。\tTom is tired.' $'我叫Jack。\tMy name is Jack.' $'汤姆和玛丽。\tTom and Mary.' >>folder/train.tsv
"$make" --names folder >names || fail "--names failed"
[ "$(grep -c -P '^[^汤]+累了。\t[A-Z]\S* [A-Z][a-z]+ is tired\.$' names)" -eq 3 ] || fail "no three names"
[ "$(grep -c -P '^我叫[^J]+。\tMy name is (?!Jack)[A-Z]\S* [A-Z][a-z]+\.$' names)" -eq 20 ] || fail "no 20 names"
! grep ' and ' names || fail "a pair with two names is copied"
"$make" --short folder >short || fail "--short failed"
grep -q $'^汤姆累了。\t' short || fail "a short pair is missing"
! grep $'^汤姆买了' short || fail "a long pair"

# Back-translation: only probable translations are used, and no dev and test sentences.
printf '%s\n' 'I see.' 'Goodbye!' 'It is late.' >folder/english.txt
for found in '我懂 -0.9' '再见 -0.1' '晚 -0.91'; do
  printf '{"text":"%s","target_tokens":["a","b"],"log_probability":%s}\n' $found
done >translations
"$make" --synthetic folder translations >synthetic || fail "--synthetic failed"
[ "$(cat synthetic)" = $'→ 我懂\tI see.' ] || fail "wrong synthetic pairs: $(cat synthetic)"
head -n 2 translations >fewer
! "$make" --synthetic folder fewer 2>problem || fail "fewer translations than sentences are accepted"
grep -q '^everyday-pairs: fewer has 2 lines, folder/english.txt 3; translate folder/english.txt again$' problem || fail "wrong message"
printf 'null\nnull\nx\n' >broken
! "$make" --synthetic folder broken 2>problem || fail "a file that is no JSON is accepted"
[ "$(wc -l <problem)" -eq 1 ] || fail "the problem is not one line"

printf '%s\n' 你好 再见 空 半 >sources
printf '%s\n' '{"text":"Hello.","ended":true}' null '{"text":"","ended":true}' '{"text":"Half","ended":false}' >translations
"$make" --distilled sources translations >distilled || fail "--distilled failed"
[ "$(cat distilled)" = $'你好\tHello.' ] || fail "wrong distilled pairs: $(cat distilled)"

rm folder/extra.tsv
"$make" folder >without || fail "extra.tsv is needed"
! grep 'This is good' without || fail "extra.tsv changes nothing"
for arguments in '' --help 'folder more' --places --names '--short a b' '--places --help' '--synthetic folder' '--synthetic folder a b' '--distilled sources'; do
  # shellcheck disable=SC2086 # words of a command
  ! "$make" $arguments 2>usage || fail "'$arguments' is accepted"
  grep -q '^usage: tools/everyday-pairs FOLDER' usage || fail "no usage"
done
printf '\xff\tx\n' >folder/train.tsv
for folder in nowhere folder; do
  ! "$make" $folder >output 2>problem || fail "$folder is accepted"
  [ "$(wc -l <problem)" -eq 1 ] || fail "the problem of $folder is not one line"
done
grep -q '^everyday-pairs: folder/train.tsv: is not UTF-8 text' problem || fail "the message lacks the file"
printf 'a\tb\n' >folder/train.tsv
! "$make" folder >/dev/full 2>problem || fail "a full disk is accepted"
grep -q '^everyday-pairs: .*No space left' problem || fail "no message for a full disk"
