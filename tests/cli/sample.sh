# Sampling and tags, for back-translation.

expect_exit 0 "$ELMAN" train -q -t 1 --epochs 20 --hidden-size 16 --embedding-size 8 "$DATA/daily.train.zh-en.tsv"
cut -f 1 "$DATA/daily.test.zh-en.tsv" >lines
head -n 1 lines >one
for i in 1 2 3 4 5 6 7 8 9 10; do cat one; done >ten

# The same seed gives the same samples, whatever other lines there are; equal lines give different samples.
output_to third translate --sample --seed 3 -i lines
expect_same third translate --sample --seed 3 -i lines
head -n 7 lines >seven
expect_exit 0 "$ELMAN" translate --sample --seed 3 -i seven
head -n 7 third | cmp - "$results/stdout" || fail "fewer lines give other samples"
expect_exit 0 taskset -c 0 "$ELMAN" translate --sample --seed 3 -i lines
cmp third "$results/stdout" || fail "one processor gives another sample"
expect_exit 0 "$ELMAN" translate --sample -i ten
[ "$(sort -u "$results/stdout" | wc -l)" -gt 1 ] || fail "ten equal lines give one sample"

# Sampling from the most probable token equals greedy decoding.
output_to greedy translate -i lines
expect_same greedy translate --sample --top-k 1 -i lines

# A tag precedes each translation, but not an empty line.
{ head -n 2 lines; echo; } >gap
expect_exit 0 "$ELMAN" translate -i gap
sed 's/^\(.\)/<BT> \1/' "$results/stdout" >tagged
expect_same tagged translate --tag '<BT>' -i gap

for tag in '' $'a\tb' $'a\nb' $'\xff' $'a\xe6\x88' $'\xed\xa0\x80'; do
  expect_refused --tag translate --tag "$tag" 我
done
