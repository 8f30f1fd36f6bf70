# Syntax that the option parser accepts, and its error messages.

expect_refused "^elman: train: unknown option '--epoch'; did you mean '--epochs'\?" train --epoch 3 x
expect_refused "did you mean '--hidden-size'\?" train --hidden 3 x
# Suggestions, see tests/unit/suggestion.c; operands, and why there is no such option.
suggests() { # suggests REMEDY COMMAND...
  expect_refused "unknown option '[^']*'; $1\$" "${@:2}"
}
suggests "did you mean '--layers'\?" train --num-layers 2 x
suggests "did you mean '--learning-rate'\?" train --step-size 2 x
suggests "did you mean '--joint-subwords'\?" train --joint-bpe x
suggests "did you mean '--output'\?" train --model m x
suggests "elman computes on the processor" translate --gpu 0 x
suggests "give PAIRS without an option: elman train \[options\] PAIRS\.\.\." train --data x
suggests "give MODEL without an option: .*" average --model x -o y
expect_refused "unknown option '--no-attention'\$" train --no-attention x
expect_refused "unknown option '--post'\$" serve --post 80
expect_refused "one of elman, relu, gru, lstm, not 'GRU'; did you mean 'gru'\?" train --cell GRU x
expect_refused "one of bash, zsh, fish, not 'ksh'\$" help --completion ksh
expect_refused "unknown option '-z'; words that start with '-' go after '--'" translate -z
expect_refused "unknown option '--epochs'; it is an option of 'elman train'\$" translate --epochs 3 x
expect_refused "unknown option '--beam'; it is an option of 'elman translate'\$" train --beam=3 x
expect_refused "unknown option '--tag'; it is an option of 'elman translate'\$" train --tag x
expect_refused "one of float32, bfloat16, float16, int8, not 'float64'\$" convert --dtype float64 -o x
expect_refused "unknown option '--format'" inspect --format json
expect_refused "--epochs needs a value" train x --epochs
expect_refused "--quiet takes no value" train --quiet=yes x
expect_refused "--help takes no value" train --help=yes x
expect_refused "--epochs must be a whole number from 0 to 1000000, not 'x'" train --epochs x y
expect_refused "--epochs must be .*, not ' 1'" train --epochs ' 1' y
expect_refused "--epochs must be .*, not 1e3" train --epochs 1e3 y
expect_refused "--epochs must be .*, not ''" train --epochs= y
expect_refused "--hidden-size must be .*, not 99999999999999999999999" train --hidden-size 99999999999999999999999 y
expect_refused "--seed must be .*, not 18446744073709551616" train --seed 18446744073709551616 y
expect_refused "--learning-rate must be a number from .*, not 'nan'" train --learning-rate nan y
expect_refused "--learning-rate must be .*, not '0x1'" train --learning-rate 0x1 y
expect_refused "--learning-rate must be .*, not '1e999'" train --learning-rate 1e999 y
expect_refused "--columns: '1' is not two column numbers from 1 to" train --columns 1 y
expect_refused "--columns: '0,1'" train --columns 0,1 y
expect_refused "--columns: '1,2,3'" train --columns 1,2,3 y
expect_refused "no PAIRS" train
expect_refused "a model cannot be written to standard output" train -o - x
expect_refused "--source needs --target" train --source x
expect_refused "PAIRS and --source cannot be combined" train --source x --target y z
expect_refused "TEXT and --input cannot be combined" translate -i x y
expect_refused "--reference needs exactly one TEXT" attention --reference x
expect_refused "unexpected 'x'" inspect x
expect_refused "unexpected 'x'" repl x
expect_refused "cannot be combined" inspect --json --vocabulary source
# A model may store a beam size, so this check needs a model. tests/options/run breaks all rules of
# translate.
expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 2 -o model.safetensors "$DATA/toy.zh-en.tsv"
expect_refused '--length-penalty needs --beam above 1' evaluate --length-penalty 1 "$DATA/toy.zh-en.tsv"
expect_refused '--length-penalty needs --beam above 1' attention --length-penalty 1 x
rm model.safetensors model.safetensors.checkpoint
expect_refused '--beam has no effect: the translations are given' attention --beam 2 --length-penalty 1 --reference x y
expect_refused '--replace-unknown has no effect: the translations are given' attention --replace-unknown --references x y
expect_refused '--replace-unknown and --summary cannot be combined' attention --summary --replace-unknown x
for seed in 2 0; do
  expect_refused '^elman: translate: --seed needs --sample$' translate --seed $seed x
  expect_refused '^elman: attention: --seed needs --override shuffle$' attention --override uniform --seed $seed x
done
expect_refused '--seed needs --override shuffle, or two files' evaluate --override uniform --seed 2 x
expect_refused 'dot attention has no window' attention --matrices --attention-window 3 "$DATA/attention/six-words.txt"
expect_files

# An option without the one that it needs, or beside one that excludes it. option_pairs runs all others.
while read -r command option rest; do
  expect_refused "^elman: $command: .*--$option( |$)" $command --$option $rest
done <<'END'
train tune-search x
attention alignments 3 -i x
attention causal x
attention key-length 3 x
evaluate columns 1,2 --hypothesis x --reference y
evaluate max-length 9 --hypothesis x --reference y
END

# Control characters from the command line are escaped in messages.
expect_refused 'unknown option .--\\u\{1B\}\[31m' train $'--\e[31m'

# All forms of an option; options after operands; operands after "--".
toy_model
for arguments in '--model m 我' '--model=m 我' '-m m 我' '-mm 我' '我 -m m' '-qm m 我' '-q -m m -- 我'; do
  cp model.safetensors m
  expect_output '.' translate $arguments
done
expect_output '.' translate -q -- --help

# "=" after a letter is not a part of the value.
expect_refused "^elman: translate: -m=m: write -m m or --model=m$" translate -m=m 我
expect_refused "^elman: translate: -o=out: write -o out or --output=out$" translate -qo=out 我

# An option that is given twice is refused.
expect_refused '--input is given twice but takes one value' translate -i - -i s.txt
expect_refused '--model is given twice' inspect -m one --model=two
expect_refused '--epochs is given twice' train --epochs 1 --epochs=2 x
expect_exit 0 "$ELMAN" translate -q -q 我

# -h works in a group of letters without values; after a letter with a value, it is part of the value.
expect_output '^Usage: elman translate' translate -qh
expect_error 66 '^elman: h: ' translate -mh 我

# A value is never parsed as --config, --preset or --help, although these are found before all other options.
expect_error 66 '^elman: --help: ' translate --model --help 我
printf 'no option\n' >wrong.conf
expect_exit 0 "$ELMAN" train -q --epochs 0 -o --config "$DATA/toy.zh-en.tsv"
rm -- --config
expect_refused "--preset must be one of .*, not '--config'" train --preset --config wrong.conf
expect_exit 66 "$ELMAN" train --dev --config -q --epochs 0 -o never wrong.conf "$DATA/toy.zh-en.tsv"
expect_output '^ +--hidden-size N +.*\(default: 128\)$' train --log --preset base --help
expect_error 66 '^elman: --: ' translate --config -- -q
expect_refused "unknown option '-qz'" translate -qz

# An empty file name is refused.
expect_refused "--model: '' is not the name of a file" translate -m '' x
for command in train evaluate score 'corpus convert' 'corpus check' 'corpus split -o x' 'subwords learn' 'average -o x' \
  'attention --matrices'; do
  expect_refused "^elman: ${command%% -*}: '' is not the name of a file" $command ''
done
expect_refused "--dev: '' is not the name of a file" train --dev '' "$DATA/toy.zh-en.tsv"
expect_refused "--init-from: '' is not the name of a file" train --init-from '' "$DATA/toy.zh-en.tsv"
expect_refused "--config: '' is not the name of a file" translate --config '' x
