# `elman convert`: models with numbers of half the size.

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
expect_output '"number_type":"float32"' inspect -m mean --json

# No file is overwritten without --force, and never the input.
expect_refused 'no output file given' convert -m whole
expect_refused --dtype convert -m whole -o half --dtype half
expect_refused whole convert -o half whole
expect_exit 64 "$ELMAN" convert -m whole -o -
[ ! -e half ] || fail "a refused conversion wrote a file"
