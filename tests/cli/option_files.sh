# No command overwrites a file that it reads, by any pair of options, by default, on the command line
# or in a file of options, under one name or two.
toy_model
train=$DATA/toy.zh-en.tsv
cp "$train" pairs
cp model.safetensors precious
links='0-0 1-1'

# kept FILE ARGUMENT...: the command refuses its output, names it, and leaves FILE unchanged.
kept() {
  local file=$1
  shift
  cp -- "$file" before
  expect_refused '^elman: [a-z ]+: --(output|log): .* is (also an input|read|written) .*; name another file$' "$@"
  cmp -s -- "$file" before || fail "$file was overwritten: $*"
}

# The default model is an input like all others.
for command in translate attention; do
  kept model.safetensors $command -o model.safetensors 我
  kept model.safetensors $command -o ./model.safetensors 我
done
kept model.safetensors score -o model.safetensors pairs
kept model.safetensors trace -o model.safetensors '我 爱 鱼' 'I love fish'
kept model.safetensors subwords show -o model.safetensors
kept precious translate -m model.safetensors -m precious -o precious 我
ln -s precious alias
kept precious translate -m precious -o alias 我
ln precious second
kept precious average -o second model.safetensors precious

# Every kind of input.
kept pairs translate -i pairs -o pairs
kept pairs translate -o pairs <pairs
kept pairs score -o pairs pairs
kept pairs score -o pairs <pairs
kept model.safetensors convert -o model.safetensors
printf '1 2\n3 4\n' >matrix
kept matrix attention --matrices -f --format text -o matrix matrix
kept matrix attention --matrices -f --attention additive --weights matrix --format text -o matrix pairs
kept pairs attention --references pairs -i "$train" -o pairs
kept pairs subwords learn -o pairs pairs
kept pairs subwords apply -c pairs -i "$train" -o pairs
for output in --output --log; do
  kept pairs train $output pairs pairs
  kept pairs train $output pairs --dev pairs "$train"
  kept pairs train $output pairs --guide pairs "$train"
  kept pairs train $output pairs --source "$train" --target pairs
done
kept precious train --log precious --init-from precious "$train"
cp pairs parts.dev.tsv
kept parts.dev.tsv corpus split --force -o parts parts.dev.tsv
mkdir folder
cp pairs folder/train.tsv
kept folder/train.tsv corpus split --force -o folder/ folder/train.tsv

# A file of options is an input, and may name the output.
echo 'threads = 1' >options
kept options translate --config options -o options 我
kept options train --config options --log options "$train"
echo 'output = options' >options
kept options translate --config options 我

# Standard output is an output like all others.
for command in 'translate -i' 'score' 'corpus check' 'subwords learn' 'inspect -m' 'evaluate'; do
  code=0
  cp "$([ "$command" = 'inspect -m' ] && echo model.safetensors || echo pairs)" redirected
  cp redirected before
  "$ELMAN" $command redirected >>redirected 2>"$results/stderr" || code=$?
  [ $code -eq 64 ] || fail "exit code $code: $command redirected >>redirected"
  expect_stderr_match "^elman: [a-z ]+: standard output is redirected to 'redirected', which is also an input file; redirect it to another file$"
  cmp redirected before || fail "$command changed its input"
done
rm redirected

# Two outputs of a command must differ, also from the files beside them; neither needs to exist.
for log in ./new new.checkpoint new.lock new.update7 folder/../new; do
  expect_refused "^elman: train: --log: '$log' is written (by|beside) --output; name another file$" train -o new --log \
    $log "$train"
done
ln -s new.log link
expect_refused "^elman: train: --log: 'new.log' is written by --output; name another file$" train -o link --log \
  new.log "$train"
rm link
[ -z "$(ls | grep '^new')" ] || fail "an output was written"
kept pairs train -o options.checkpoint --log pairs --dev pairs "$train"

# A training run may replace its initial model. A device may be written several times.
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from model.safetensors "$train"
expect_exit 0 "$ELMAN" train -q --epochs 1 -o new --log /dev/null "$train"
expect_exit 0 "$ELMAN" translate -m new -o /dev/null -i "$train"
# A number for --guide is a column, not a file.
paste "$train" <(yes "$links" | head -n "$(wc -l <"$train")") >3
expect_exit 0 "$ELMAN" train -q --epochs 1 --guide 3 -o model.safetensors 3
