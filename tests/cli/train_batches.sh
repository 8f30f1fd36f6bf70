# --batch-tokens: training is as deterministic as with --batch-size; invalid combinations are refused.

train=$DATA/daily.train.zh-en.tsv
toy=$DATA/toy.zh-en.tsv
batches=(--batch-tokens 300)
settings=(--hidden-size 16 --embedding-size 8 --dropout 0.1 --shards 3 --seed 4)
head -n 400 "$train" >pairs.tsv

# The model does not depend on the number of threads or on stops.
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --log log pairs.tsv
cp model.safetensors expected
expect_exit 0 "$ELMAN" train -q -t 2 "${settings[@]}" "${batches[@]}" --epochs 30 pairs.tsv
cmp expected model.safetensors || fail "two threads train a different model"
rm model.safetensors
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --hours 1e-10 pairs.tsv
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --hours 1e-10 --resume pairs.tsv
expect_refused "batch size in tokens was 300 and is now 400" train -t 1 "${settings[@]}" --batch-tokens 400 --resume \
  pairs.tsv
expect_exit 0 "$ELMAN" train -q -t 1 "${settings[@]}" "${batches[@]}" --epochs 30 --resume pairs.tsv
cmp expected model.safetensors || fail "stop and --resume train a different model"

# The update count continues across epochs, whose numbers of batches may differ.
grep -o '"event": *"update".*"update": *[0-9]*' log | grep -o '[0-9]*$' >numbers
[ -s numbers ] || fail "the log has no updates"
seq "$(wc -l <numbers)" | cmp - numbers || fail "the updates are not numbered consecutively"

expect_output '"batch_tokens": *300' inspect --json
! grep -q '"batch_size"' "$results/stdout" || fail "the batch size in sentences is printed although it has no effect"
expect_output '^batch size in tokens +300$' inspect
! grep -q '^batch size  ' "$results/stdout" || fail "the batch size in sentences is printed although it has no effect"
expect_exit 0 "$ELMAN" inspect -m model.safetensors

# ---- refused ----

expect_refused '^elman: train: --batch-tokens and --batch-size cannot be combined' train --batch-tokens 300 \
  --batch-size 32 "$toy"
expect_exit 64 "$ELMAN" train -o none --batch-tokens 3 "$toy"
expect_stderr_match '^elman: a sentence has [0-9]+ tokens with </s>, but a batch allows 3; raise the limit \(--batch-tokens\)'
expect_refused "--batch-tokens: '16777217' is not a whole number from 0 to 16777216" train --batch-tokens 16777217 \
  "$toy"

# --batch-tokens overrides the batch size of a preset.
expect_exit 0 "$ELMAN" train -q -o none --preset small --hidden-size 6 --embedding-size 4 --min-count 1 \
  --batch-tokens 100 --epochs 1 "$toy"
