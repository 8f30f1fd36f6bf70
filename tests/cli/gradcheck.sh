# Test: emulated.
# `elman gradcheck` compares gradients with differences: table, exit code, JSON.

expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 6 --embedding-size 5 "$DATA/toy.zh-en.tsv"
expect_output '^loss 3\.[0-9]+, the mean over 4 target tokens$' gradcheck '我 爱 学习' 'I love studying'
expect_no_stderr
expect_stdout_match '^tensor +shape +checked +analytic +numerical +error$'
expect_stdout_match '^encoder\.embedding\.weight +19 x 5 +[0-9]+ +[0-9.e-]+ +[0-9.e-]+ +[0-9.]+e-(09|1[0-9])  passed$'
expect_stdout_match '^decoder\.out\.bias +21 +21 '
tail -n 1 "$results/stdout" |
  grep -qE '^largest error [0-9.]+e-(0[89]|1[0-9]), of [a-z]+\.[a-z_.0-9]+: all gradients passed$' ||
  fail "the last line is not the maximum"
[ "$(grep -c ' passed$' "$results/stdout")" -eq 13 ] || fail "expected 12 tensors and the total to pass"

# The same seed checks the same parameters.
cp "$results/stdout" first
expect_same first gradcheck '我 爱 学习' 'I love studying'

# All parameters; a batch of pairs; unknown words, which are reported.
expect_note '^not in the vocabularies: 1 source and 2 target words$' gradcheck --samples 0 '我 恨 学习' 'I hate it' '他 在' \
  'He'
expect_stdout_match '^loss .* over 6 target tokens$'
expect_stdout_match '^encoder\.embedding\.weight +19 x 5 +95 '

# The error of a difference decreases with the step size. With a step that is far too large the check
# fails.
expect_output '  passed, steps down to 1e-03$' gradcheck --epsilon 0.01 '我 爱 学习' 'I love studying'
expect_stdout_match ': all gradients passed$'
expect_exit 65 "$ELMAN" gradcheck --epsilon 1 '我 爱 学习' 'I love studying'
expect_stdout_match '  failed, steps down to 1e-02$'
expect_stdout_match ': not all gradients passed$'
expect_exit 0 "$ELMAN" gradcheck --epsilon 1 --tolerance 1 '我 爱 学习' 'I love studying'

# With a step that is too small, rounding errors dominate, which is not a failure.
expect_output '  too small$' gradcheck --epsilon 1e-11 '我 爱 学习' 'I love studying'
expect_stdout_match ': all gradients that could be checked passed; too small to check: [0-9]+$'
expect_output '^no gradient could be checked with this step; too small to check: 12$' gradcheck --epsilon 1e-12 \
  --tolerance 0 '我 爱 学习' 'I love studying'
expect_output '"passed":false,"failed":false,"worst":null,' gradcheck --json --epsilon 1e-12 --tolerance 0 '我 爱 学习' \
  'I love studying'
expect_output '^\{"loss":3\.[0-9]+,"tokens":4,"passed":true,"failed":false,"worst":"[a-z_.0-9]+","tensors":\[$' \
  gradcheck --json '我 爱 学习' 'I love studying'
expect_stdout_match '^  \{"name":"decoder\.out\.bias","shape":\[21\],"verdict":"passed","checked":21,"kinks":0,"step":1e-05,"analytic":[0-9.e-]+,"numerical":[0-9.e-]+,"error":[0-9.e-]+\}$'
python3 -c 'import json, sys; json.load(sys.stdin)' <"$results/stdout" || fail "the output is not JSON"

# A tied tensor is listed with the tensor that it equals; the gradients of a trained model are small.
expect_exit 0 "$ELMAN" train -q --attentional-layer --tie-embeddings --hidden-size 16 --epochs 60 \
  -t 1 -o tied.safetensors "$DATA/toy.zh-en.tsv"
expect_output '^decoder\.out\.weight +21 x [0-9]+ +- +- +- +-  tied to decoder\.embedding\.weight$' gradcheck -m \
  tied.safetensors '我 爱 学习' 'I love studying'
expect_exit 0 "$ELMAN" gradcheck --json -m tied.safetensors '我 爱 学习' 'I love studying'
expect_stdout_match '"name":"decoder\.out\.weight","shape":\[21,[0-9]+\],"verdict":"tied","tied_to":"decoder\.embedding\.weight"\}'

# Wrong input.
expect_refused 'no sentence pair given' gradcheck
expect_refused 'TARGET' gradcheck '我' 'I' '他'
expect_exit 64 "$ELMAN" gradcheck --dropout 1 '我' 'I'
expect_error 65 '^elman: the source of pair 2: it contains no words' gradcheck '我' 'I' '' 'I'
expect_stdout
expect_error 65 '^elman: the target of pair 1: byte 1 is not valid UTF-8' gradcheck '我' $'\xff'
