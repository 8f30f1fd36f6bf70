# `elman attention --each-model`: attention of several models, such as the snapshots of a run.

expect_exit 0 "$ELMAN" train -q -t 1 --epochs 12 --hidden-size 16 --keep-last 4 "$DATA/toy.zh-en.tsv"
cp model.safetensors other
touch model.safetensors.update0 model.safetensors.update010 model.safetensors.update18446744073709551616
touch model.safetensors.update model.safetensors.updateX model.safetensors.update9.part
expect_exit 0 "$ELMAN" attention --each-model --format json --reference 'I love studying' '我 爱 学习'
sed 's/.*"model":"\([^"]*\)".*/\1/' "$results/stdout" >models
diff - models >&2 <<'END' || fail "the list of models or its order differs"
model.safetensors.update9
model.safetensors.update10
model.safetensors.update11
model.safetensors.update12
model.safetensors
END
# Each model gives the same result as alone.
while read -r model; do
  expect_exit 0 "$ELMAN" attention -m "$model" --format json --reference 'I love studying' '我 爱 学习'
  cat "$results/stdout"
done <models >alone
expect_exit 0 "$ELMAN" attention --each-model --format json --reference 'I love studying' '我 爱 学习'
sed 's/"model":"[^"]*",//' "$results/stdout" | cmp - alone || fail "the result differs from that of a single model"
[ "$(sort -u alone | wc -l)" -gt 1 ] || fail "all models give the same result: the test proves nothing"

# Every model processes all lines of a file; words that are not in the vocabulary are reported once.
printf '我 爱 鱼\n\xff\n她 是\n' >lines
expect_exit 65 "$ELMAN" attention --each-model -m other -m model.safetensors -i lines -o play.html
[ "$(grep -c '^{"sentence":' play.html)" -eq $((3 * 6)) ] || fail "expected three sentences for each of six models"
[ "$(grep -c '"error":"byte 1' play.html)" -eq 6 ] || fail "expected one sentence without a translation per model"
[ "$(grep -c '^not in the vocabulary' "$results/stderr")" -eq 1 ] || fail "unknown words are reported more than once"

# Snapshots of another run are not shown. Copies under another name are shown if they may belong to the run.
cp model.safetensors.update12 third.update12
cp model.safetensors.update9 third.update3
expect_exit 0 "$ELMAN" train -t 1 --epochs 10 --hidden-size 16 -o third "$DATA/toy.zh-en.tsv"
expect_note '^third\.update12 is left out: it is a snapshot of another run$' attention --each-model -m third --format \
  json '我'
[ "$(wc -l <"$results/stdout")" -eq 2 ] || fail "expected the snapshot with 9 updates and the model"
head -c 1000 model.safetensors.update9 >third.update9
expect_exit 65 "$ELMAN" attention --each-model -m third --format json '我'
rm third.update9
touch third.update12
expect_lines 3 attention --each-model -m third --format json '我'
"$ELMAN" train -q -t 1 --epochs 12 --subwords 20 -o third "$DATA/toy.zh-en.tsv" || fail "training failed"
expect_exit 64 "$ELMAN" attention --each-model -m third --format json '我'

rm -f model.safetensors.*
expect_refused --each-model attention --each-model --format json '我'
expect_refused --each-model attention --each-model -m other -m model.safetensors '我'
expect_refused 'reads the sentences once per model' attention --each-model -m other -m model.safetensors --format json \
  </dev/null
expect_exit 66 "$ELMAN" attention --each-model -m other -m nowhere -f -o play.html '我'
head -c 1000 other >damaged
expect_exit 65 "$ELMAN" attention --each-model -m other -m damaged -f -o play.html '我'
[ "$(grep -c '^{"sentence":' play.html)" -eq 18 ] || fail "the old page is lost"
