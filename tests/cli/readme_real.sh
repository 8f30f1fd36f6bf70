# Runs the README's commands from download to model, in order, with pairs that are already present and a network
# that is not trained, in the paths of the README.

mkdir tatoeba
head -n 120 "$DATA/daily.train.zh-en.tsv" >tatoeba/train.tsv
sed -n 121,140p "$DATA/daily.train.zh-en.tsv" >tatoeba/dev.tsv
sed -n 141,160p "$DATA/daily.train.zh-en.tsv" >tatoeba/test.tsv
ln -s "$DATA/../tools" tools
mkdir bin
ln -s "$ELMAN" bin/elman
PATH=$PWD/bin:$PATH

sed -n '/^## From a download to a model/,/^## /s/^    //p' "$DATA/../README.md" >commands
[ "$(wc -l <commands)" -ge 5 ] || fail "the README lacks the commands for real pairs"
grep -q '^tools/fetch-tatoeba ' commands || fail "the commands lack the download"
[ -x tools/fetch-tatoeba ] || fail "tools/fetch-tatoeba is missing"
while IFS= read -r command; do
  case $command in
    tools/fetch-tatoeba*) continue ;;
    'elman plot'*) command -v rsvg-convert >/dev/null || continue ;;
    *'--preset strong'*) command=${command/--preset strong/--preset strong --epochs 1 --hidden-size 8 --embedding-size 8} ;;
  esac
  expect_exit 0 bash -c "$command"
done <commands
[ -s model.safetensors ] || fail "no model was written"
