# Test: emulated.
# `elman attention --matrices`: attention on matrices from files, without a model. tests/unit/attention_examples.c has numbers.

words=$DATA/attention/six-words.txt
attend() {
  "$ELMAN" attention --matrices "$@"
}

expect_exit 0 attend "$words"
expect_no_stderr
[ "$(sed -n '1p;9p;17p' "$results/stdout" | tr '\n' ' ')" = 'scores weights context ' ] ||
  fail "the tables differ"
[ "$(sed -n 11p "$results/stdout")" = '0.1385  0.2379  0.2333  0.1240  0.1082  0.1581' ] ||
  fail "the weights of the second word differ"
[ "$(sed -n 19p "$results/stdout")" = '0.4419  0.6515  0.5683' ] || fail "the context of the second word differs"
cp "$results/stdout" expected
expect_exit 0 attend "$words" "$words" "$words"
cmp expected "$results/stdout" || fail "one file and three equal files give different results"
expect_exit 0 attend - <"$words"
cmp expected "$results/stdout" || fail "standard input gives a different result"
expect_message 64 'standard input' attend "$words" - - <"$words"
expect_exit 0 attend -o result.txt "$words"
expect_stdout
cmp expected result.txt || fail "the file differs"

# `dot` with --scale equals `scaled`.
expect_exit 0 attend --scale "$words"
cp "$results/stdout" scaled
expect_exit 0 attend --attention scaled "$words"
cmp scaled "$results/stdout" || fail "--scale and scaled differ"

# The numbers of queries and keys may differ, and so may the width of the values.
printf '1,1\n' >q.csv
printf '1,0\n0,1\n' >k.csv
printf '1\n2\n' >v.csv
expect_exit 0 attend --format json q.csv k.csv v.csv
expect_stdout '{"scores":[[[1,1]]],"weights":[[[0.5,0.5]]],"context":[[1.5]]}'
expect_exit 0 attend --format json --causal q.csv k.csv v.csv
expect_stdout '{"scores":[[[1,null]]],"weights":[[[1,0]]],"context":[[1]]}'

# Very large and very small numbers keep their columns.
printf '1e-9 -2\n3e8 0\n' >sizes
expect_exit 0 attend sizes
expect_stdout_match '^ *3\.0000e\+08'
printf -- '-0 0\n' >zero
expect_exit 0 attend zero
expect_stdout_match '^0\.0000  0\.0000$'
rm zero

# A .npy file that was written can be read again.
expect_exit 0 attend -o out.npy k.csv k.csv k.csv
expect_files out.scores.npy out.weights.npy out.context.npy expected scaled result.txt q.csv k.csv \
  v.csv sizes
expect_exit 0 attend --format npy -o again k.csv k.csv k.csv
cmp out.context.npy again.context.npy || fail "the prefix changes the result"
expect_exit 0 attend --format json out.context.npy k.csv v.csv
expect_message 65 '^elman: out.scores.npy: has 3 dimensions' attend out.scores.npy

# Mechanisms with parameters read them from a model or from a weights file.
expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 3 --attention multihead --heads 3 \
  "$DATA/toy.zh-en.tsv"
expect_exit 0 attend --attention multihead --heads 3 --weights model.safetensors "$words"
expect_stdout_match '^weights, head 3$'
expect_exit 0 "$ELMAN" convert -q --dtype int8 -o eight.safetensors
expect_exit 0 "$ELMAN" convert -q -m eight.safetensors --dtype float32 -o floats.safetensors
output_to eight.txt attention --matrices --attention multihead --heads 3 --weights eight.safetensors "$words"
expect_same eight.txt attention --matrices --attention multihead --heads 3 --weights floats.safetensors "$words"
! cmp -s "$results/stdout" <(attend --attention multihead --heads 3 --weights model.safetensors "$words") ||
  fail "eight bits round nothing"

# Wrong command lines.
wrong() { # wrong REGEX ARGUMENT...
  expect_refused "$1" attention "${@:2}"
}

wrong 'needs three files \(queries, keys, values\) or one file for all three, not 0' --matrices
wrong 'not 2' --matrices a b
wrong 'not 4' --matrices a b c d
wrong 'the key length, 7, exceeds the number of keys, 6' --matrices --key-length 7 "$words"
wrong --weights --matrices --weights model.safetensors "$words"
wrong 'three files; name them with -o PREFIX' --matrices --format npy "$words"
wrong --matrices --matrices -o x.tsv "$words"
cp k.csv k.context.npy
wrong --output --matrices -o k.npy k.context.npy
cmp k.csv k.context.npy || fail "the input was overwritten"

# A wrong file; tests/unit/api_matrix.c and api_attention_refuses.c have all others.
expect_message 65 'six-words.txt: has 3 columns, but the queries have 2$' attend k.csv "$words" "$words"
expect_message 65 'standard input: has 3 columns, but the queries have 2$' attend k.csv - "$words" <"$words"
