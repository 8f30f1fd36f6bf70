# --batch-tokens: training is as deterministic as with --batch-size; invalid combinations are refused.

train=$DATA/daily.train.zh-en.tsv
toy=$DATA/toy.zh-en.tsv
batches=(--batch-tokens 300)
settings=(--hidden-size 16 --embedding-size 8 --dropout 0.1 --shards 3 --seed 4)
head -n 400 "$train" >pairs.tsv

# The model does not depend on the number of threads or on stops.
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --log log pairs.tsv
cp model.safetensors expected
expect_model expected -q -t 2 "${settings[@]}" "${batches[@]}" --epochs 30 pairs.tsv
rm model.safetensors
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --hours 1e-10 pairs.tsv
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --hours 1e-10 --resume pairs.tsv
expect_refused 'batch size in tokens' train -t 1 "${settings[@]}" --batch-tokens 400 --resume pairs.tsv
expect_model expected -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --resume pairs.tsv

# The update count continues across epochs, whose numbers of batches may differ.
grep -o '"event": *"update".*"update": *[0-9]*' log | grep -o '[0-9]*$' >numbers
[ -s numbers ] || fail "the log has no updates"
seq "$(wc -l <numbers)" | cmp - numbers || fail "the updates are not numbered consecutively"

expect_output '"batch_tokens": *300' inspect --json
! grep -q '"batch_size"' "$results/stdout" || fail "the batch size in sentences is printed although it has no effect"
expect_output '^batch size in tokens +300$' inspect
! grep -q '^batch size  ' "$results/stdout" || fail "the batch size in sentences is printed although it has no effect"
expect_exit 0 "$ELMAN" inspect -m model.safetensors

# --batch-tokens overrides the batch size of a preset.
expect_exit 0 "$ELMAN" train -q -o none --preset small --hidden-size 6 --embedding-size 4 --min-count 1 \
  --batch-tokens 100 --epochs 1 "$toy"
