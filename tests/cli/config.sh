# --config reads options from a file; `inspect --config` writes such a file for a model.

# All forms of a line have the meaning of the same option on the command line.
printf '\xef\xbb\xbf# a small one\nhidden-size = 6\r\n\n  embedding-size 5 # numbers a word\n\tseed=3\nbidirectional\northogonal = no
residual = off\nlayer-norm = false\ninput-feeding = true\nattentional-layer = true\nepochs\t= 4\nquiet = on\noutput = by-file # a name\n' >options.conf
expect_exit 0 "$ELMAN" train --config options.conf "$DATA/toy.zh-en.tsv"
expect_no_stderr
expect_model by-file -q --hidden-size 6 --embedding-size 5 --seed 3 --bidirectional --attentional-layer \
  --input-feeding --epochs 4 -o by-line "$DATA/toy.zh-en.tsv"

# The command line overrides the file, whether --config comes first or last. It replaces a list as a whole.
expect_exit 0 "$ELMAN" train --seed 4 --config=options.conf -o won "$DATA/toy.zh-en.tsv"
expect_output '^seed +4$' inspect -m won
expect_stdout_match '^hidden size +6$'
printf 'model = nowhere\nmodel = nowhere-else\nbeam = 2\n' >translate.conf
expect_exit 0 "$ELMAN" translate --config translate.conf -m won 我
expect_exit 66 "$ELMAN" translate --config translate.conf 我
printf 'model = by-file\nmodel = won\n' >two.conf
output_to two translate --json --config two.conf 我
expect_same two translate --json -m by-file -m won 我

# A file may name a preset. Other options of the file and a preset on the command line override it.
printf 'dropout = 0.25\npreset = small\nattentional-layer = no\n' >preset.conf
expect_exit 0 "$ELMAN" train -q --epochs 0 --config preset.conf --hidden-size 8 "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" inspect --config
for line in 'hidden-size = 8' 'attention = additive' 'bidirectional = on' '# attentional-layer = off' \
  'orthogonal = on' 'epochs = 0'; do
  expect_stdout_match "^$line\$"
done
expect_exit 0 "$ELMAN" train -q --epochs 0 --config preset.conf --preset plain "$DATA/toy.zh-en.tsv"
expect_output '^attention +dot$' inspect

# The command line can turn off a switch that the file or preset turns on.
printf 'bidirectional\nattentional-layer = on\n' >switch.conf
for off in '--config switch.conf --no-bidirectional --no-attentional-layer' '--preset small --no-bidirectional
  --no-attentional-layer --attention dot --no-orthogonal --label-smoothing 0 --average 0 --dropout 0 --attention-dropout 0 --layers 1
  --cell elman --source-tokens auto --target-tokens auto --subwords 0 --subword-dropout 0 --learning-rate 0.001
  --schedule constant --warm-up 0 --no-tune-search --no-tie-embeddings --optimizer adam --drop-source-mark 0
  --normalization auto'; do
  expect_exit 0 "$ELMAN" train -q --epochs 1 --min-count 1 --hidden-size 4 --embedding-size 3 --batch-size 2 $off \
    -o off "$DATA/toy.zh-en.tsv"
  expect_model off -q --epochs 1 --min-count 1 --hidden-size 4 --embedding-size 3 --batch-size 2 -o plain \
    "$DATA/toy.zh-en.tsv"
done
expect_refused '--no-bidirectional takes no value' train --no-bidirectional=yes x
expect_refused '--strict and --no-strict contradict each other' train --strict --no-strict x
expect_refused "unknown option '--no-epochs'" train --no-epochs x
expect_refused "unknown option '--no-help'" train --no-help x

# Errors name the file and the line.
bad() { # bad REGEX LINE...
  printf '%s\n' "${@:2}" >bad.conf
  expect_refused "^elman: bad\.conf:$(($# - 1)): $1" train --config bad.conf -o never "$DATA/toy.zh-en.tsv"
}
bad "unknown option 'epoch'; did you mean 'epochs'\?" '# one' 'seed = 3' 'epoch = 3'
bad "unknown option '--epochs'" '--epochs 3'
bad "unknown option 'config'" 'config = other.conf'
bad "unknown option 'help'" 'help'
bad "epochs must be a whole number from 0 to 1000000, not 'x'" 'epochs = x'
bad "epochs needs a value: N" 'epochs'
bad "epochs is given twice" 'epochs = 3' 'epochs = 4'
bad "bidirectional must be on or off, not 1" 'bidirectional = 1'
bad "unknown option 'gpu'; elman computes on the processor" 'gpu = 0'
bad "log: '' is not the name of a file" 'log = # none'
printf 'seed = 1\0\nepochs = 1\n' >bad.conf
expect_refused '^elman: bad\.conf:1: contains a zero byte' train --config bad.conf x
yes 'input = a line that makes the file too long' | head -n 2000 >bad.conf
expect_refused '^elman: bad\.conf:[0-9]+: the file has more than 512 options' translate --config bad.conf
yes | head -c 140000 | tr -d '\n' >bad.conf
expect_refused '^elman: bad\.conf:1: the file has more than 65536 bytes' translate --config bad.conf
expect_refused '--config: options are read from a file' translate --config - x
expect_refused '--config needs a value: FILE' translate x --config
expect_refused "did you mean '--config'\?" translate --confg two.conf x
# Options that exclude each other are refused in a file, too.
printf 'patience = 3\n' >bad.conf
expect_refused '--patience 3 needs --dev' train --config bad.conf "$DATA/toy.zh-en.tsv"
printf 'batch-size = 3\nbatch-tokens = 40\n' >both.conf
expect_exit 0 "$ELMAN" train -q --epochs 0 --config both.conf -o both "$DATA/toy.zh-en.tsv"
expect_refused '--batch-tokens and --batch-size cannot be combined' train --config both.conf --batch-size 4 "$DATA/toy.zh-en.tsv"
expect_refused '--config cannot be combined' inspect --config --json

# The file of a model repeats its training with the same bytes.
again() { # again ARGUMENT...
  expect_exit 0 "$ELMAN" train -q -o once "$@"
  output_to once.conf inspect --config -m once
  expect_model once -q --config once.conf -o twice "${pairs[@]}"
}
pairs=("$DATA/toy.zh-en.tsv")
again "${pairs[@]}"
again --preset small --hidden-size 8 --embedding-size 7 --epochs 3 --learning-rate 0.1 --schedule inverse-sqrt --warm-up 2 \
  --seed 18446744073709551615 --attention-dropout 0.30000000000000004 --clip-norm 0.7 --batch-tokens 30 "${pairs[@]}"
again --attention multihead --hidden-size 8 --cell lstm --layers 2 --residual --layer-norm --epochs 2 \
  --encoder-self-attention 2 --normalization nfc --max-vocabulary 9 --max-length 20 "${pairs[@]}"
again --attention local --attention-window 2 --source-tokens bpe --source-subwords 4 --hidden-size 4 --epochs 2 \
  "${pairs[@]}"
again --attention hierarchical --clause-segments --hidden-size 4 --epochs 2 "${pairs[@]}"
again --subwords 5 --joint-subwords --subword-dropout 0.1 --hidden-size 4 --epochs 2 "${pairs[@]}"
again --attentional-layer --input-feeding --tie-embeddings --decoder-self-attention 1 --plain-self-attention \
  --hidden-size 4 --epochs 2 --shards 2 "${pairs[@]}"
pairs+=(--dev "$DATA/toy.zh-en.tsv")
again --epochs 6 --validate-by loss --patience 4 --validate-every 1 --schedule plateau --hidden-size 6 "${pairs[@]}"
