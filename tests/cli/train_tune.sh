# `train --tune-search` stores the search that is best on the dev pairs; the commands use it.

dev="$DATA/daily.test.zh-en.tsv"
small=(-t 1 --epochs 3 --hidden-size 32 --embedding-size 16 --learning-rate 0.01 --dev "$dev")
expect_note '^search on the dev pairs, by BLEU:$' train "${small[@]}" --tune-search -o tuned "$DATA/daily.train.zh-en.tsv"
[ "$(grep -c '^  beam size ' "$results/stderr")" -eq 5 ] || fail "expected five searches"
chosen=$(sed -n 's/^  \(beam size .*\): BLEU .* stored in the model$/\1/p' "$results/stderr")
best=$(sed -n 's/^  beam size .*: BLEU \([0-9.]*\) .*/\1/p' "$results/stderr" | sort -g | tail -n 1)
[ -n "$chosen" ] || fail "no search was stored"

# The model differs from that of an untuned run only by the search.
expect_exit 0 "$ELMAN" train -q "${small[@]}" -o plain "$DATA/daily.train.zh-en.tsv"
expect_exit 0 "$ELMAN" inspect -m plain
grep -v -e '^beam size' -e '^length penalty' "$results/stdout" >plain.txt
expect_exit 0 "$ELMAN" inspect -m tuned
grep -v -e '^beam size' -e '^length penalty' "$results/stdout" | cmp - plain.txt || fail "the models differ"

# evaluate uses the stored search and reports it. Options replace it.
expect_note "^from the model: $chosen$" evaluate -m tuned "$dev"
expect_stdout_match "^BLEU +$best$"
beam=$(sed 's/beam size \([0-9]*\).*/\1/' <<<"$chosen")
penalty=$(sed -n 's/.*length penalty //p' <<<"$chosen")
given=(--beam "$beam")
[ -z "$penalty" ] || given+=(--length-penalty "$penalty")
for command in "translate -i source" "attention --format json -i source" "attention --summary -i source"; do
  cut -f 1 "$dev" | head -n 20 >source
  # shellcheck disable=SC2086
  output_to by-model $command -q -m tuned
  # shellcheck disable=SC2086
  expect_exit 0 "$ELMAN" $command -m tuned "${given[@]}"
  ! grep 'from the model' "$results/stderr" || [ -z "$penalty" ] || fail "$command: nothing comes from the model"
  cmp "$results/stdout" by-model || fail "$command: the search of the model differs from the same options"
  # shellcheck disable=SC2086
  expect_same by-model $command -q -m plain "${given[@]}"
done
"$ELMAN" repl -q -m tuned <source >by-repl || fail "repl failed"
"$ELMAN" translate -q -m tuned <source | cmp - by-repl || fail "repl searches differently in a pipe"
output_to greedy translate -q -m tuned --beam 1 -i source
expect_same greedy translate -q -m plain -i source
expect_exit 0 "$ELMAN" translate -m tuned --sample -i source
! grep 'from the model' "$results/stderr" || fail "sampling uses no beam"
cut -f 2 "$dev" | head -n 20 >target
expect_exit 0 "$ELMAN" attention -m tuned --format json -i source --references target
! grep 'from the model' "$results/stderr" || fail "given translations need no search"
expect_refused length-penalty translate -m tuned --beam 1 --length-penalty 2 -i source
expect_exit 0 "$ELMAN" translate -m tuned --n-best 12 -i source
! grep 'from the model.*beam size' "$results/stderr" || fail "a longer n-best list sets the beam size"
[ "$(wc -l <"$results/stdout")" -gt 20 ] || fail "expected several translations per sentence"

# The search survives average and convert. A resumed run chooses it again. Further training removes it.
for make in "average -f -o made tuned tuned" "convert -f -m tuned -o made"; do
  # shellcheck disable=SC2086
  expect_exit 0 "$ELMAN" $make -q
  expect_note "^from the model: $chosen$" translate -m made 茶
done
cp tuned before
expect_model before -q "${small[@]}" --tune-search --resume -o tuned "$DATA/daily.train.zh-en.tsv"
expect_exit 64 "$ELMAN" train -q "${small[@]}" --resume -o tuned "$DATA/daily.train.zh-en.tsv"
expect_stderr_match 'tuned: was trained with --tune-search, and this run would remove the search; add --tune-search, or --force to remove it$'
cmp tuned before || fail "a refused run changed the model"
expect_model plain -q "${small[@]}" --resume --force -o tuned "$DATA/daily.train.zh-en.tsv"
mv before tuned
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --init-from tuned -o further "$DATA/daily.train.zh-en.tsv"
expect_output '^beam size +none stored$' inspect -m further

# An option file repeats the run.
"$ELMAN" inspect -m tuned --config >options.conf
expect_model tuned -q --config options.conf -t 1 --dev "$dev" -o again "$DATA/daily.train.zh-en.tsv"

# A damaged search is refused.
alter tuned damaged 'metadata["elman.search"] = json.dumps({"beam": -1, "length_penalty": 1})'
expect_error 65 'not a usable elman model: elman.search the beam size must be' inspect -m damaged

# BLEU follows the script of the target: exact translations into Japanese score 100. The BLEU of the
# search follows --bleu-tokens.
printf '%s\n' $'I like cats .\t猫が好きです。' $'I like dogs .\t犬が好きです。' $'I see cats .\t猫が見えます。' $'I see dogs .\t犬が見えます。' >japanese
options=(train --epochs 150 --target-tokens chars --dev japanese --tune-search -f)
expect_exit 0 "$ELMAN" "${options[@]}" -o japanese.safetensors japanese
expect_stderr_match 'beam size 1: BLEU 100\.00 '
expect_exit 0 "$ELMAN" "${options[@]}" --bleu-tokens none --log none.log -o japanese.safetensors japanese
expect_stderr_match 'beam size 1: BLEU 0\.00 '
grep -q '"bleu_tokens":"none"' none.log || fail "the log lacks --bleu-tokens"
expect_error 64 "must be one of auto, 13a, intl, zh, char, none, not 'ja'" "${options[@]}" --bleu-tokens ja -o japanese.safetensors japanese
