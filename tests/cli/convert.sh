# `elman convert`: models with numbers of half the size, or a quarter.

expect_exit 0 "$ELMAN" train -q -t 1 -o whole --epochs 40 --hidden-size 16 --seed 3 "$DATA/toy.zh-en.tsv"
size() { stat -c %s "$1"; }

# The default is bfloat16. All commands read the result; conversion back keeps the rounded values.
expect_note "^wrote bfloat16, [0-9]+ parameters as bfloat16, [0-9]+ bytes$" convert -m whole -o bfloat16
expect_stdout
expect_exit 0 "$ELMAN" convert -q -m whole --dtype float16 -o float16
expect_no_stderr
for type in bfloat16 float16; do
  [ "$(size $type)" -lt "$(size whole)" ] || fail "$type is not smaller than float32"
  expect_output "^number type +$type$" inspect -m $type
  expect_exit 0 "$ELMAN" convert -q -m $type --dtype float32 -f -o wide
  expect_output '^number type +float32$' inspect -m wide
  expect_exit 0 "$ELMAN" convert -q -m wide --dtype $type -f -o again
  cmp $type again || fail "converting $type there and back changes the file"
  output_to wide.txt translate -q -m wide '我 爱 学习'
  expect_same wide.txt translate -q -m $type '我 爱 学习'
  expect_exit 0 "$ELMAN" evaluate -q -m $type "$DATA/toy.zh-en.tsv"
  expect_exit 0 "$ELMAN" attention -q -m $type '我 爱 学习'
  expect_exit 0 "$ELMAN" translate -q -m $type -m whole '我 爱 学习'
  # Training that continues such a model writes float32.
  expect_exit 0 "$ELMAN" train -q -t 1 --init-from $type --epochs 1 -o next-$type "$DATA/toy.zh-en.tsv"
  expect_model next-$type -q -t 1 --init-from wide --epochs 1 -o next-wide "$DATA/toy.zh-en.tsv"
  rm -f next-wide*
done
expect_exit 0 "$ELMAN" average -q -o mean bfloat16 float16

# Eight bits: the file is smaller, and conversion to float32 and back does not change it.
expect_note '^wrote int8, [0-9]+ parameters as int8, [0-9]+ bytes$' convert -m whole --dtype int8 -o int8
[ "$(size int8)" -lt "$(size bfloat16)" ] || fail "int8 is not smaller than bfloat16"
expect_output '^number type +float32, int8$' inspect -m int8
expect_stdout_match '^translation precision +int8$'
expect_exit 0 "$ELMAN" convert -q -m int8 --dtype float32 -o floats
expect_exit 0 "$ELMAN" convert -q -m floats --dtype int8 -o again8
cmp int8 again8 || fail "converting int8 there and back changes the file"
expect_exit 0 "$ELMAN" convert -q -m int8 --dtype bfloat16 -o rounded

# Every command that translates uses such a file in precision int8 and says so; the result equals
# that of the unrounded model in precision int8. With --precision float32, the result equals that of
# the file converted to float32.
cut -f 1 "$DATA/toy.zh-en.tsv" | head -n 20 >sources
for command in 'translate --beam 3 -i sources' 'translate --sample --seed 2 -i sources' 'translate --n-best 2 -i sources' \
  'attention -i sources' "evaluate $DATA/toy.zh-en.tsv" "score $DATA/toy.zh-en.tsv"; do
  # shellcheck disable=SC2086 # words of a command
  output_to eight.txt $command -q -m whole --precision int8
  # shellcheck disable=SC2086
  expect_same eight.txt $command -q -m int8
  # shellcheck disable=SC2086
  expect_note '^from the model: precision int8$' $command -m int8
  # shellcheck disable=SC2086
  output_to floats.txt $command -q -m floats
  # shellcheck disable=SC2086
  expect_same floats.txt $command -q -m int8 --precision float32
  # shellcheck disable=SC2086
  expect_no_note 'precision int8' $command -m int8 --precision int8
done
output_to eight.txt translate -q -m whole -m floats --precision int8 -i sources
expect_same eight.txt translate -q -m int8 -m whole -i sources
expect_same eight.txt repl -q -m int8 -m whole <sources
expect_exit 0 "$ELMAN" train -q -t 1 --init-from int8 --epochs 1 -o next-int8 "$DATA/toy.zh-en.tsv"
expect_model next-int8 -q -t 1 --init-from floats --epochs 1 -o next-floats "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" average -q -o mean8 int8 int8
cmp <("$ELMAN" inspect -m mean8) <("$ELMAN" inspect -m floats) || fail "the mean of equal numbers has others"
expect_output '"number_type":"float32"' inspect -m mean --json

# No file is overwritten without --force, and never the input.
expect_refused 'no output file given' convert -m whole
expect_refused --dtype convert -m whole -o half --dtype half
expect_refused whole convert -o half whole
expect_exit 64 "$ELMAN" convert -m whole -o -
[ ! -e half ] || fail "a refused conversion wrote a file"
