# Training with dev pairs: messages, which model is written, and when training ends.

train=$DATA/daily.train.zh-en.tsv
head -n 60 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(-t 1 --hidden-size 24 --embedding-size 16 --batch-size 64 --attention scaled --learning-rate 0.02)

expect_note '^dev:$' train "${settings[@]}" --epochs 4 --dev dev.tsv "$train"
expect_stdout
expect_stderr_match '^60 pairs$'
line='^  dev: loss [0-9.]+  perplexity [0-9.]+(e\+[0-9]+)?  BLEU [0-9.]+  chrF2 [0-9.]+(  best)?$'
expect_stderr_match "$line"
[ "$(grep -cE "$line" "$results/stderr")" -eq 4 ] || fail "expected one line per epoch"
grep -E "$line" "$results/stderr" | head -n 1 | grep -q best || fail "the first validation is not the best so far"

# The written model is the best one, not the last: the learning rate increases here until the model
# diverges.
bleu() { grep -oE 'BLEU [0-9.]+' | cut -d ' ' -f 2; }
mv model.safetensors good
worse=(-t 1 --batch-size 64 --init-from good --learning-rate 10 --clip-norm 0 --warm-up 1000 --dev dev.tsv
  --validate-every 5)
expect_note '^kept the model of epoch [0-9]+, update [0-9]+: it has the best BLEU on the dev pairs$' train \
  "${worse[@]}" --epochs 4 "$train"
! grep -q 'stopped early' "$results/stderr" || fail "'stopped early' after all epochs"
best=$(grep ' best$' "$results/stderr" | tail -n 1 | bleu)
highest=$(bleu <"$results/stderr" | sort -g | tail -n 1)
last=$(bleu <"$results/stderr" | tail -n 1)
[ "$best" = "$highest" ] || fail "best is $best, expected $highest"
[ "$best" != "$last" ] || fail "the last model is the best: the test proves nothing"
expect_exit 0 "$ELMAN" evaluate -t 1 -q --json dev.tsv
found=$(grep -oE '"bleu":[0-9.e+-]+' "$results/stdout" | cut -d : -f 2)
[ "$(printf %.2f "$found")" = "$best" ] || fail "the model has BLEU $found instead of $best"

# --patience ends training after this number of validations without a new best score.
expect_exit 0 "$ELMAN" train "${worse[@]}" --epochs 1000 --patience 3 "$train"
# The messages give the reason for the end and the model that is kept: validations are five updates apart.
updates=$((5 * ($(grep -cE "$line" "$results/stderr") - 3)))
expect_stderr_match '^stopped early in epoch [0-9]+: no new best score in 3 validations \(--patience\)$'
expect_stderr_match "^kept the model of epoch $(((updates + 28) / 29)), update $updates: "
expect_stderr_match '^wrote model.safetensors;'
# Only more patience continues such a run.
cp model.safetensors early
for epochs in 1000 2000; do
  expect_note '^nothing to do: this run is finished; to continue it, raise --patience if it stopped early, or --epochs if it reached its last epoch$' \
    train "${worse[@]}" --epochs $epochs --patience 3 --resume "$train"
done
cmp early model.safetensors || fail "the model changed although the run was finished"
expect_note '^stopped early in epoch [0-9]+: no new best score in 4 validations ' train "${worse[@]}" --epochs 1000 --patience 4 \
  --resume "$train"
rm early

# A perplexity with hundreds of digits is printed in short form.
expect_note '^  dev: loss [0-9.]+  perplexity [0-9]\.[0-9]{2}e\+[0-9]+  BLEU ' train -t 1 --batch-size 64 --learning-rate 10 \
  --clip-norm 0 --epochs 1 --dev dev.tsv "$train"
expect_output '^perplexity +[0-9]\.[0-9]{4}e\+[0-9]+$' evaluate -t 1 dev.tsv

# Dev pairs do not change the updates, only the choice of the model; validation draws no random numbers.
all_updates() { grep '"event":"update"' log | sed -E 's/"(tokens_per_second|seconds)":[^,]*,//g'; }
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 2 --dropout 0.1 --dev dev.tsv --log log "$train"
all_updates >with
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 2 --dropout 0.1 --log log "$train"
all_updates | cmp - with || fail "dev pairs changed the updates"

# Dev pairs that are also training data cause a note.
! grep -q 'is also training data' "$results/stderr" || fail "a note although the files differ"
expect_note '^dev file \./dev\.tsv is also training data; ' train "${settings[@]}" --epochs 1 --dev ./dev.tsv dev.tsv

expect_refused 'standard input' train --dev - - <dev.tsv

# In a dictionary, few references have the 4 words of BLEU's longest sequences. Then BLEU is 0 or accidental; chrF2
# chooses the model and the search.
printf '%s\n' $'猫\tcat' $'狗\tdog' $'鱼\tfish' $'鸟\tbird' $'马\thorse' $'我 喜欢 这 只 猫 。\tI like this cat .' >words.tsv
expect_note '^  chrF2 selects the best model: ' train -t 1 --epochs 20 --batch-size 6 --dev words.tsv --tune-search words.tsv
expect_stderr_match '^kept the model of epoch [0-9]+, update [0-9]+: it has the best chrF2 on the dev pairs$'
highest=$(grep -oE 'chrF2 [0-9.]+' "$results/stderr" | cut -d ' ' -f 2 | sort -g | tail -n 1)
expect_stderr_match "^  beam size .* chrF2 $highest  stored in the model$"
expect_note '^5 of 6 references have fewer than 4 words; ' evaluate -t 1 words.tsv
cut -f 2 words.tsv >words
expect_note '^5 of 6 references have fewer than 4 words; ' evaluate --hypothesis words --reference words
head -n 1 words >long
expect_note '^1 of 1 reference has fewer than 4 words; ' evaluate --hypothesis long --reference long
sed 's/$/ and many more words/' words >long
expect_note '^5 of 6 references have fewer than 4 words; ' evaluate --hypothesis words --reference words --reference long
expect_exit 0 "$ELMAN" train -t 1 --epochs 1 --dev words.tsv --validate-by bleu words.tsv
! grep -q 'chrF2 selects' "$results/stderr" || fail "--validate-by bleu was not obeyed"
rm words.tsv words long

# -q prints nothing.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --epochs 1 --dev dev.tsv "$train"
expect_no_stderr

# An error in the dev file is reported before training, and nothing is written.
rm good model.safetensors* log with
printf 'no tab\n' >bad
expect_exit 65 "$ELMAN" train "${settings[@]}" --dev bad "$train"
expect_exit 65 "$ELMAN" train "${settings[@]}" --strict --dev <(cat dev.tsv bad) "$train"
expect_files bad dev.tsv

# The best model is on the disk soon after its validation, with a checkpoint, so that a crash does not lose it. The
# resumed run ends with the model of an uninterrupted one.
head -n 200 "$DATA/daily.train.zh-en.tsv" >few.tsv
head -n 20 "$DATA/daily.test.zh-en.tsv" >few.dev
small=(--hidden-size 16 --embedding-size 16)
best=(-t 1 --batch-size 20 --save-every 0 --dev few.dev --validate-every 5)
"$ELMAN" train "${best[@]}" "${small[@]}" --epochs 1000000 -o early few.tsv 2>"$results/stderr" &
run=$!
await [ -e early ] # --save-every 0 disables periodic checkpoints only
[ -e early.checkpoint ] || fail "a model without its checkpoint"
kill -KILL $run
wait $run
expect_stderr_match '  best$'
expect_exit 0 "$ELMAN" translate -m early 我
done_epochs=$("$ELMAN" inspect -m early | sed -n 's/^training  *\([0-9]*\) epoch.*/\1/p')
expect_exit 0 "$ELMAN" train -q "${best[@]}" "${small[@]}" --epochs "$((done_epochs + 4))" --resume -o early few.tsv
expect_model early -q "${best[@]}" "${small[@]}" --epochs "$((done_epochs + 4))" -o whole few.tsv
# A run never replaces its initial model before the end: a resumed run compares it with the checkpoint.
cp whole start
"$ELMAN" train "${best[@]}" --epochs 1000000 --init-from start -o start few.tsv 2>"$results/stderr" &
run=$!
await grep -q '  best$' "$results/stderr"
await grep -q '^epoch ' "$results/stderr"
cmp whole start || fail "the initial model was replaced"
kill -TERM $run
wait $run
