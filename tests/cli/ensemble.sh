# Ensembles: several models translate together.

toy_model
train() { # train FILE OPTION...
  expect_exit 0 "$ELMAN" train -q -t 1 --epochs 30 -o "$@" "$DATA/toy.zh-en.tsv"
}
train other --hidden-size 24 --embedding-size 8 --layers 2 --bidirectional --attention multihead --attention-heads 2 --seed 3
cut -f 1 "$DATA/toy.zh-en.tsv" >text

# An ensemble of equal models gives the results of one model.
for options in '--beam 3 --json' '--n-best 3' '--beam 2 --max-length 4'; do
  output_to alone translate -m other $options -i text
  for itself in '-m other -m other' '-m other -m other --model=other'; do
    expect_same alone translate $itself $options -i text
  done
done
output_to alone translate -m other -i text
expect_same alone translate -m other -m other -i text
expect_same alone repl -q -m other -m other <text

together=(-m model.safetensors -m other)
# The result does not depend on the number of threads or on batches.
output_to all translate "${together[@]}" --beam 3 -i text
while read -r line; do
  "$ELMAN" translate "${together[@]}" --beam 3 "$line" </dev/null || fail "translate failed"
done <text >one
cmp all one || fail "lines translated one by one give another result"
output_to scores evaluate "${together[@]}" --json --beam 2 -t 1 "$DATA/toy.zh-en.tsv"
expect_same scores evaluate "${together[@]}" --json --beam 2 -t 2 "$DATA/toy.zh-en.tsv"

# Models that do not match are refused with the difference.
head -n 3 "$DATA/toy.zh-en.tsv" >few.tsv
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 0 -o few few.tsv
for command in translate repl 'attention --beam 2' 'evaluate few.tsv'; do
  expect_refused 'source vocabulary size' $command -m other -m few </dev/null
done
