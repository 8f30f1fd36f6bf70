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

# The ensemble averages the log-probability of a reference, and the loss.
together=(-m model.safetensors -m other)
number() { # number NAME: from the JSON on stdout
  sed -n "s/.*\"$1\":\(-*[0-9.e-]*\).*/\1/p" "$results/stdout"
}
forced=() losses=()
for models in '-m model.safetensors' '-m other' "${together[*]}"; do
  expect_exit 0 "$ELMAN" attention $models --format json --reference 'I love tea' '我 爱 学习'
  forced+=("$(number log_probability)")
  expect_exit 0 "$ELMAN" evaluate $models -q --json "$DATA/toy.zh-en.tsv"
  losses+=("$(number loss)")
done
mean() { # mean TOLERANCE A B MEAN
  awk -v e="$1" -v a="$2" -v b="$3" -v m="$4" 'BEGIN { d = (a + b) / 2 - m; exit !(d * d <= e * e) }'
}
mean 1e-4 "${forced[@]}" || fail "log p is not the mean: ${forced[*]}"
mean 1e-6 "${losses[@]}" || fail "the loss is not the mean: ${losses[*]}"
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
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 0 --target-tokens chars -o chars "$DATA/toy.zh-en.tsv"
for command in translate repl 'attention --beam 2' 'evaluate few.tsv'; do
  expect_refused 'source vocabulary size' $command -m other -m few </dev/null
done
expect_refused 'target tokenization' translate -m other -m chars 我
