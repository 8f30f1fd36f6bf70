# What the option parser accepts and how it says no.

wrong() { # wrong REGEX ARGUMENT...
  local regex=$1
  shift
  expect_exit 64 "$ELMAN" "$@"
  expect_stdout
  expect_stderr_match "$regex"
}

wrong "^elman: train: unknown option '--epoch'; did you mean '--epochs'\?" train --epoch 3 x
wrong "did you mean '--hidden-size'\?" train --hidden 3 x
wrong "unknown option '-z'; words that start with '-' go after '--'" translate -z
wrong "unknown option '--epochs'" translate --epochs 3 x
wrong "unknown option '--format'" inspect --format json
wrong "--epochs needs a value" train x --epochs
wrong "--quiet takes no value" train --quiet=yes x
wrong "--help takes no value" train --help=yes x
wrong "--epochs: 'x' is not a whole number from 0 to 1000000" train --epochs x y
wrong "--epochs: '-1'" train --epochs -1 y
wrong "--epochs: ' 1'" train --epochs ' 1' y
wrong "--epochs: '1e3'" train --epochs 1e3 y
wrong "--epochs: ''" train --epochs= y
wrong "--hidden-size: '0' is not a whole number from 1 to 16384" train --hidden-size 0 y
wrong "--hidden-size: '99999999999999999999999'" train --hidden-size 99999999999999999999999 y
wrong "--seed: '18446744073709551616'" train --seed 18446744073709551616 y
wrong "--threads: '1025' is not a whole number from 1 to 1024" train -t 1025 y
wrong "--lr: 'nan' is not a number" train --lr nan y
wrong "--lr: '0x1'" train --lr 0x1 y
wrong "--lr: '1e999'" train --lr 1e999 y
wrong "--clip-norm: '-1'" train --clip-norm=-1 y
wrong "--attention: 'dots' is not one of: dot, scaled" train --attention dots y
wrong "--source-tokens: 'x' is not one of: space, words, chars, auto" train --source-tokens x y
wrong "--columns: '1' is not two numbers" train --columns 1 y
wrong "--columns: '0,1'" train --columns 0,1 y
wrong "--columns: '1,2,3'" train --columns 1,2,3 y
wrong "no PAIRS" train
wrong "a model goes to a file" train -o - x
wrong "--source and --target go together" train --source x
wrong "either PAIRS or --source" train --source x --target y z
wrong "either TEXT or --input" translate -i x y
wrong "--reference needs exactly one TEXT" attention --reference x
wrong "unexpected 'x'" inspect x
wrong "unexpected 'x'" repl x
wrong "do not go together" inspect --json --vocabulary source
expect_files

# Text from the command line cannot steer the terminal.
expect_exit 64 "$ELMAN" train $'--\e[31m'
expect_stderr_match 'unknown option .--\\u\{1B\}\[31m'

# All ways to write an option; options after operands; words after "--".
toy_model
for arguments in '--model m 我' '--model=m 我' '-m m 我' '-mm 我' '我 -m m' '-qm m 我' '-q -m m -- 我'; do
  cp model.safetensors m
  expect_exit 0 "$ELMAN" translate $arguments
  expect_stdout_match '.'
done
expect_exit 0 "$ELMAN" translate -q -- --help
expect_stdout_match '.'

# The second value would silently win.
wrong '--input is given twice, and takes one value' translate -i - -i s.txt
wrong '--model is given twice' inspect -m one --model=two
wrong '--epochs is given twice' train --epochs 1 --epochs=2 x
expect_exit 0 "$ELMAN" translate -q -q 我

# Help among letters that take no value; behind one that does it is the value.
expect_exit 0 "$ELMAN" translate -qh
expect_stdout_match '^Usage: elman translate'
expect_exit 66 "$ELMAN" translate -mh 我
expect_stderr_match '^elman: h: '

# An empty name is no name.
wrong "--model: '' is not the name of a file" translate -m '' x
wrong "'' is not the name of a file with PAIRS" train ''
