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

# Copies with another number, date or amount of money on both sides. A pair with different ones is not copied.
printf '%s\n' $'我有三只猫。\tI have three cats.' $'我有两只狗。\tI have three dogs.' $'我5月4日走。\tI leave on May 4th.' \
  $'他二零零一年五月十日来。\tHe came on the tenth of May, 2001.' $'我6月走。\tI leave in July.' $'五月见。\tSee you in May.' \
  $'书是五元。\tThe book is $5.00.' $'一百元很多。\tA hundred dollars is a lot.' $'书是六元。\tThe book is $5.' >folder/train.tsv
rm folder/extra.tsv
for kind in numbers dates prices; do
  "$make" --$kind folder >$kind || fail "--$kind failed"
  "$make" --$kind folder | cmp - $kind || fail "--$kind differs from run to run"
done
expect_copies() { # expect_copies FILE NUMBER PATTERN: so many lines, which match
  [ "$(grep -c -P "$3" "$1")" -eq "$2" ] || fail "$1: not $2 lines like $3: $(cat "$1")"
}
expect_copies numbers 4 '^我有([0-9,]+)只猫。\tI have \1 cats\.$'
! grep dogs numbers || fail "a pair with different numbers is copied"
months='(January|February|March|April|May|June|July|August|September|October|November|December)'
expect_copies dates 32 "^我[0-9一二三四五六七八九十]+月[0-9一二三四五六七八九十]+日走。\\tI leave on ($months [0-9]+(st|nd|rd|th)?|[0-9]+ $months)\\.\$"
expect_copies dates 32 "^他([0-9]{4})年.*月.*日来。\\tHe came on ($months [0-9]+(st|nd|rd|th)?,|[0-9]+ $months) \\1\\.\$"
expect_copies dates 8 "^[0-9一二三四五六七八九十]+月见。\\tSee you in $months\\.\$"
! grep 'I leave in' dates || fail "a pair with different months is copied"
while IFS=$'\t' read -r chinese english; do # the month in digits is the one in words
  month=$(grep -o -P '[0-9]+(?=月)' <<<"$chinese") || continue
  grep -q "$(LC_ALL=C date -d "2000-$month-1" +%B)" <<<"$english" || fail "another month: $chinese $english"
done <dates
expect_copies prices 16 '^书是[^五六].*。\tThe book is ([$€£][0-9.]+|([0-9.]+|[A-Za-z-]+) (yuan|dollars|euros|pounds|yen))\.$'
expect_copies prices 16 '很多。\t([$€£][0-9.]+|([0-9.]+|[A-Za-z-]+) (yuan|dollars|euros|pounds|yen)) is a lot\.$'
printf '%s\n' '這個很好。	This is good.' >folder/extra.tsv

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
for arguments in '' --help 'folder more' --places --names --numbers --dates --prices '--short a b' '--places --help' '--synthetic folder' '--synthetic folder a b' '--distilled sources'; do
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
