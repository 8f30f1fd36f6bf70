# `elman trace`: the gradient at every step of both RNNs.

expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 6 --embedding-size 5 "$DATA/toy.zh-en.tsv"
expect_output '^gradients of the loss 3\.[0-9]+, the mean over 4 target tokens$' trace '我 恨 学习' 'I love studying'
expect_no_stderr
expect_stdout_match '^encoder, layer 0, 6 units$'
# The scale above the bars covers five decades up to the largest state.
expect_stdout_match '^step +state +pre-tanh +saturated  \|[0-9]\.[0-9]e-[0-9]+ log +[0-9]\.[0-9]e-[0-9]+\|  bar: state$'
scale=$(sed -n 's/.*|\([^ ]*\) log *\([^ ]*\)|.*/\1 \2/p' "$results/stdout" | sort -u)
largest=$(awk '$1 ~ /^[0-9]+$/ && $2 > most { most = $2 } END { printf "%.1e\n", most }' "$results/stdout")
least=$(awk -v most="$largest" 'BEGIN { printf "%.1e\n", most * 1e-5 }')
[ "$scale" = "$least $largest" ] || fail "scale $scale, largest state $largest"
expect_stdout_match '^   1 +[0-9.]+e-[0-9]+ +[0-9.]+e-[0-9]+ +[0-9.]+ %  \|#+ *\|  我$'
expect_stdout_match ' 恨 \(unknown\)$'
expect_stdout_match '^decoder, layer 0, 6 units$'
expect_stdout_match '^   1 .* <s> -> I, loss [0-9.]+$'
expect_stdout_match '^   4 .* studying -> </s>, loss [0-9.]+$'
grep -q '|####################|' "$results/stdout" || fail "no bar has full length"

# The loss of one token has no gradient at later steps of the decoder, so they have no bar.
expect_output '^gradients of the loss [0-9.]+ of target token 2, love$' trace --from-step 2 '我 爱 学习' 'I love studying'
expect_stdout_match '^   2  .* \|#+ *\|  I -> love, loss'
expect_stdout_match '^   3   0\.00e\+00   0\.00e\+00 +[0-9.]+ %  \| {20}\|  love -> studying, loss'

expect_exit 0 "$ELMAN" trace --json '我 爱 学习' 'I love studying'
expect_stdout_match '^\{"loss":3\.[0-9]+,"target_step":0,"source_tokens":\["我","爱","学习"\],"source_known":\[true,true,true\],"target_tokens":\["I","love","studying","</s>"\],"target_known":\[true,true,true,true\],"losses":\[([0-9.]+,){3}[0-9.]+\],"saturated_above":0\.95,"layers":\[\{"side":"source",'
expect_stdout_match '\{"side":"target","layer":0,"reverse":false,"units":6,"states":\[([0-9.e-]+,){3}[0-9.e-]+\],"inputs":\[.*\],"saturated":\[.*\]\}\]\}$'
python3 -c 'import json, sys; json.load(sys.stdin)' <"$results/stdout" || fail "the output is not JSON"
expect_output '"target_step":4,' trace --json --from-step 4 '我 爱 学习' 'I love studying'

expect_exit 0 "$ELMAN" train -q --epochs 0 --layers 2 --bidirectional --hidden-size 6 -o deep.safetensors \
  "$DATA/toy.zh-en.tsv"
expect_output '^encoder, layer 1, read backward, 3 units$' trace -m deep.safetensors '我 爱 学习' 'I love studying'
expect_stdout_match '^decoder, layer 1, 6 units$'

# Control characters belong to no token.
expect_exit 0 "$ELMAN" trace '我' $'I\033 love'
! grep -q -e $'\033' -e 'u{1B}' "$results/stdout" || fail "a control character is in the output"

# Pictures, see tests/unit/trace_picture.c. The suffix determines the format unless --format is given.
expect_exit 0 "$ELMAN" trace -m deep.safetensors -o reach.svg '我 <script> 学习' 'I love studying'
expect_stdout
[ "$(tail -n 1 reach.svg)" = '</svg>' ] || fail "the picture is incomplete"
expect_exit 0 "$ELMAN" trace -m deep.safetensors --format html '我 <script> 学习' 'I love studying'
grep -q '<svg' "$results/stdout" || fail "the page has no picture"
"$ELMAN" trace '我 爱' 'I love' >as_text
"$ELMAN" trace --json '我 爱' 'I love' >as_json
expect_exit 0 "$ELMAN" trace -o reach.json '我 爱' 'I love'
cmp as_json reach.json || fail "the file differs from the output of --json"
expect_exit 0 "$ELMAN" trace -o reach.txt '我 爱' 'I love'
cmp as_text reach.txt || fail "the file is not text"
expect_refused '^elman: reach.gif: ' trace -o reach.gif '我' 'I'
expect_refused --json trace --json --format svg '我' 'I'

# Wrong input.
expect_refused 'SOURCE' trace '我 爱 学习'
expect_exit 64 "$ELMAN" trace '我' 'I' '他'
expect_exit 64 "$ELMAN" trace --from-step 0 '我' 'I'
expect_refused 'target token 3' trace --from-step 3 '我' 'I'
expect_error 65 '^elman: the source of pair 1: it contains no words' trace ' ' 'I'
expect_stdout
expect_error 65 'byte 3 is not valid UTF-8' trace '我' $'I \xc3'
