# `elman train --dry-run` and the expected time of a long run.

toy=$DATA/toy.zh-en.tsv
daily=$DATA/daily.train.zh-en.tsv
head -n 20 "$DATA/daily.test.zh-en.tsv" >dev.tsv
small=(-t 1 --hidden-size 16 --embedding-size 16)

# It prints sizes and times, and writes no file; the options of the run are checked.
expect_exit 0 "$ELMAN" train -q --dry-run "${small[@]}" --epochs 2 --dev dev.tsv --log log --keep-last 2 "$daily"
expect_no_stderr
expect_stdout_match '^training pairs +1800$'
expect_stdout_match '^parameters +[0-9]+$'
expect_stdout_match '^updates per epoch +57$'
expect_stdout_match '^epochs +2$'
expect_stdout_match '^memory +[0-9]+ MB so far; '
expect_stdout_match '^time per epoch +.* \(measured in [0-9]+ updates[^)]*\)$'
expect_stdout_match '^time of the run +.*, without validations$'
expect_stdout_match '^BLEU of --preset quick on test pairs of other corpora:$'
expect_files dev.tsv
expect_output '^BLEU of --preset strong ' train -q --dry-run --preset strong "${small[@]}" --epochs 1 "$toy"
expect_output '^time of the run .*; --hours ends it earlier$' train -q --dry-run "${small[@]}" --epochs 100000 --hours 0.0001 "$toy"
expect_files dev.tsv

# A later run computes the same model.
expect_exit 0 "$ELMAN" train -q "${small[@]}" --epochs 1 --dropout 0.2 -o expected "$daily"
rm expected.checkpoint
expect_exit 0 "$ELMAN" train -q --dry-run "${small[@]}" --epochs 1 --dropout 0.2 "$daily"
expect_model expected -q "${small[@]}" --epochs 1 --dropout 0.2 "$daily"

# It fails where the run would fail, and changes nothing.
cp model.safetensors before
cp model.safetensors.checkpoint before.checkpoint
expect_exit 73 "$ELMAN" train -q --dry-run "${small[@]}" -o no/such "$toy"
cp dev.tsv other
expect_error 73 'is not a training log' train -q --dry-run "${small[@]}" --log other "$toy"
expect_note '^model.safetensors will be overwritten; ' train --dry-run "${small[@]}" --epochs 1 "$toy"
cmp before model.safetensors && cmp before.checkpoint model.safetensors.checkpoint || fail "a dry run changed the model"
expect_refused '--dry-run .*--resume' train --dry-run --resume "${small[@]}" "$toy"

# A run of more than a minute states its expected time once.
expect_note '^about .* per epoch, .* until the end of epoch 100000, without validations$' train "${small[@]}" --force \
  --hours 0.002 --epochs 100000 --validate-every 1000000 --dev dev.tsv -o long "$daily"
[ "$(grep -c '^about ' "$results/stderr")" -eq 1 ] || fail "expected one line"
expect_no_note '^about ' train "${small[@]}" --force --epochs 2 -o short "$toy"
