# `elman inspect` prints the contents of a model file and refuses other files.

expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 3 --embedding-size 2 "$DATA/toy.zh-en.tsv"
expect_output '^source vocabulary +19$' inspect
expect_no_stderr
expect_stdout_match '^source tokenization +space$'
expect_stdout_match '^minimum word count +1$'
expect_stdout_match '^written by +elman 0\.1\.0$'
expect_stdout_match '^layers +1$'
expect_stdout_match '^recurrent cell +elman$'
expect_stdout_match '^bidirectional encoder +no$'
expect_stdout_match '^decoder\.out\.weight +21 x 6 '
expect_stdout_match '^encoder\.rnn\.bias_ih_l0 +3 '
expect_stdout_match '^training +none$'
# A setting that is off is printed in words. The normalization is printed once per side.
expect_stdout_match '^attention window +none$'
expect_stdout_match '^maximum vocabulary size +no limit$'
[ "$(grep -c 'nfk\?c' "$results/stdout")" -eq 2 ] || fail "expected the normalization once per side"

expect_exit 0 "$ELMAN" inspect --json
expect_stdout_match '^\{"version":"0\.1\.0","embedding_size":2,"hidden_size":3,"layers":1,"cell":"elman","layer_norm":false,"residual":false,"bidirectional":false,"attention":"dot","attention_heads":1,"attention_window":0,"clause_segments":false,"encoder_self_attention":0,"decoder_self_attention":0,"plain_self_attention":false,"attentional_layer":false,"input_feeding":false,"arithmetic":"fast","tie_embeddings":false,"source_language":"zh","target_language":"en","source_tokens":"space","target_tokens":"words","source_script":"Han","target_script":"Latin","source_normalization":"nfkc-wide","target_normalization":"nfc","source_vocabulary":19,"target_vocabulary":21,"source_merges":0,"target_merges":0,"parameters":[0-9]+,"number_type":"float32","search_precision":"float32","search_beam":0,"search_length_penalty":0,"training":\{"epochs":0,"updates":0,"tokens":0,"normalization":"auto","orthogonal":false,"min_count":1,"max_vocabulary":0,"subwords":0,"source_subwords":0,"joint_subwords":false,"batch_size":32,.*"seed":1,.*"patience":0\},"tensors":\[$'
expect_stdout_match '"name":"decoder\.out\.bias","shape":\[21\],"mean":'

# The statistics of each tensor, compared with those computed from the file.
cp "$results/stdout" inspected.json
python3 - inspected.json model.safetensors <<'END' || fail "the statistics differ from those of the file"
import json, math, statistics, struct, sys
inspected = json.load(open(sys.argv[1]))["tensors"]
data = open(sys.argv[2], "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
assert len(inspected) == len(header) - 1
for tensor in inspected:
    begin, end = header[tensor["name"]]["data_offsets"]
    numbers = [x for x, in struct.iter_unpack("<f", data[8 + length + begin:8 + length + end])]
    for key, of in [("mean", statistics.fmean), ("deviation", statistics.pstdev),
                    ("minimum", min), ("maximum", max)]:
        assert math.isclose(tensor[key], of(numbers), rel_tol=1e-6, abs_tol=1e-9), (tensor, key)
END
rm inspected.json

# The columns are aligned, however long the names are.
expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 2 --attention local -o local "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" inspect -m local
[ "$(sed '1,/^$/d' "$results/stdout" | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] ||
  fail "the rows of the table differ in length"
# The training: default and chosen options, and totals.
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 3 --hidden-size 3 --embedding-size 2 --learning-rate 0.02 --seed 7 \
  --dropout 0.1 --schedule inverse-sqrt --min-count 2 -o trained "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" inspect -m trained
for line in 'minimum word count +2' 'training +3 epochs, 3 updates, 75 target tokens' \
  'learning rate +0\.02' 'seed +7' 'dropout +0\.1' 'learning-rate schedule +inverse-sqrt' \
  'batch size +32' 'label smoothing +0'; do
  expect_stdout_match "^$line\$"
done
expect_exit 0 "$ELMAN" inspect --json -m trained
expect_stdout_match ',"training":\{"epochs":3,"updates":3,"tokens":[0-9]+,.*"min_count":2,.*"batch_size":32,.*"learning_rate":0\.02[0-9]*,"optimizer":"adam","schedule":"inverse-sqrt",.*"dropout":0\.1[0-9]*,.*"max_length":200,"seed":7,'
# After fine-tuning, the options are those of the last run; the history covers all runs.
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --seed 8 --init-from trained -o on "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" inspect -m on
for line in 'minimum word count +2' 'training +4 epochs, 4 updates, 100 target tokens' \
  'learning rate +0\.001' 'seed +8'; do
  expect_stdout_match "^$line\$"
done
rm on trained

expect_lines 21 inspect --vocabulary target
expect_stdout_match $'^0\t0\t<unk>$'
expect_stdout_match $'^3\t3\tis$'

expect_no_output 65 "^elman: $DATA/toy.zh-en.tsv" inspect -m "$DATA/toy.zh-en.tsv"
