# Options of the network and of training: each has an effect, alone and combined, and a wrong
# value is refused with the right exit code and message.

toy=$DATA/toy.zh-en.tsv
small=(--hidden-size 6 --embedding-size 4)

# shape LINE...: `inspect` prints these lines for model.safetensors.
shape() {
  expect_exit 0 "$ELMAN" inspect
  for line in "$@"; do expect_stdout_match "^$line"; done
}

# ---- the shape of the network ----

expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" "$toy"
cp model.safetensors plain
shape 'layers +1$' 'bidirectional encoder +no$' 'attentional layer +no$' 'input feeding +no$' \
  'tied embeddings +no$'

expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --layers 3 "$toy"
shape 'layers +3$' 'encoder\.rnn\.weight_ih_l2 +6 x 6 ' 'decoder\.rnn\.bias_hh_l2 +6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --bidirectional "$toy"
shape 'bidirectional encoder +yes$' 'encoder\.rnn\.weight_hh_l0_reverse +3 x 3 ' \
  'decoder\.bridge\.0\.weight +6 x 6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attentional-layer "$toy"
shape 'attentional layer +yes$' 'decoder\.attentional\.weight +6 x 12 ' 'decoder\.out\.weight +21 x 6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attentional-layer --input-feeding "$toy"
shape 'input feeding +yes$' 'decoder\.rnn\.weight_ih_l0 +6 x 10 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attentional-layer --tie-embeddings "$toy"
shape 'tied embeddings +yes$' 'decoder\.attentional\.weight +4 x 12 '
[ "$(grep -E '^decoder\.(embedding|out)\.weight' "$results/stdout" | sed 's/^[^ ]* *//' | uniq |
  wc -l)" -eq 1 ] || fail "the tied matrices differ"
# After a change of one number, the matrices are no longer tied.
alter model.safetensors untied '
at = header["decoder.out.weight"]["data_offsets"][0]
tensors[at:at + 4] = struct.pack("<f", 0.5)'
expect_error 65 '^elman: untied: .*decoder.out.weight' inspect -m untied
for kind in general additive; do
  expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attention $kind "$toy"
  shape "attention +$kind\$" 'decoder\.attention\.query\.weight +6 x 6 '
done
shape 'decoder\.attention\.query\.bias +6 ' 'decoder\.attention\.key\.weight +6 x 6 ' \
  'decoder\.attention\.score\.weight +1 x 6 '

for kind in projected 'multihead --heads 3'; do
  expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attention $kind "$toy"
  shape 'decoder\.attention\.query\.weight +6 x 6 ' 'decoder\.attention\.key\.bias +6 ' \
    'decoder\.attention\.value\.weight +6 x 6 '
done
shape 'attention +multihead$' 'attention heads +3$' 'decoder\.attention\.out\.weight +6 x 6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attention local --attention-window 3 "$toy"
shape 'attention +local$' 'attention window +3$' 'decoder\.attention\.center\.weight +6 x 6 ' \
  'decoder\.attention\.center_score\.weight +1 x 6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --encoder-self-attention 2 \
  --decoder-self-attention 1 "$toy"
shape 'encoder self-attention +2$' 'decoder self-attention +1$' \
  'encoder\.self_attention\.out\.weight +6 x 6 ' 'decoder\.self_attention\.key\.weight +6 x 6 '
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --encoder-self-attention 2 \
  --plain-self-attention "$toy"
shape 'encoder self-attention +2$' 'plain self-attention +yes$'

# Invalid combinations.
expect_refused 'heads \(4\) must divide size \(6\); set heads to 1, 2, 3 or 6, or size to 4 or 8' train -q \
  "${small[@]}" --attention multihead --heads 4 "$toy"
expect_refused 'dot attention has one head, not 2; use multihead attention' train -q "${small[@]}" --attention dot \
  --heads 2 "$toy"
expect_refused 'has no window; use local or hierarchical attention' train -q "${small[@]}" --attention-window 2 "$toy"
expect_exit 64 "$ELMAN" train -q "${small[@]}" --plain-self-attention "$toy"
expect_exit 64 "$ELMAN" train -q "${small[@]}" --decoder-self-attention 4 "$toy"

# All options together; the model works with all commands.
expect_exit 0 "$ELMAN" train -q --hidden-size 32 --embedding-size 16 --layers 2 --bidirectional \
  --attentional-layer --input-feeding --tie-embeddings --orthogonal --attention additive "$toy"
expect_no_stderr
expect_exit 0 "$ELMAN" inspect --json
expect_stdout_match '^\{"version":"[0-9.]+","embedding_size":16,"hidden_size":32,"layers":2,"cell":"elman","layer_norm":false,"residual":false,"bidirectional":true,"attention":"additive","attention_heads":1,"attention_window":0,"clause_segments":false,"encoder_self_attention":0,"decoder_self_attention":0,"plain_self_attention":false,"attentional_layer":true,"input_feeding":true,"arithmetic":"fast","tie_embeddings":true,'
expect_exit 0 "$ELMAN" translate -i <(cut -f1 "$toy")
expect_stdout "$(cut -f2 "$toy")"
expect_exit 0 "$ELMAN" attention -i <(cut -f1 "$toy")
expect_exit 0 "$ELMAN" evaluate "$toy"

# ---- the training ----

# Each option changes the result; the result does not depend on the number of threads; and the value for
# "off" is the default.
for flag in '--dropout 0.5' '--attention-dropout 0.5' '--label-smoothing 0.1' '--average 0.9' '--warm-up 3' \
  '--lr-schedule inverse-sqrt' '--lr-schedule linear' '--lr-schedule late-linear' --orthogonal; do
  expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 "${small[@]}" $flag -o one "$toy"
  expect_exit 0 "$ELMAN" train -q -t 2 --epochs 2 "${small[@]}" $flag -o two "$toy"
  cmp one two || fail "$flag: the model depends on the number of threads"
  ! cmp -s one plain || fail "$flag: no effect"
done
for flag in '--dropout 0' '--attention-dropout 0' '--label-smoothing 0' '--average 0' '--warm-up 0' '--layers 1' \
  '--lr-schedule constant'; do
  expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" $flag -o one "$toy"
  cmp one plain || fail "$flag: the value for "off" is not the default"
done

# ---- wrong values ----

rm -f ./*
refused() { # refused REGEX ARGUMENT...
  local regex=$1
  shift
  expect_message 64 "$regex" last_wins "$ELMAN" train -t 1 --epochs 1 "${small[@]}" "$@" "$toy"
  expect_stdout
  expect_files
}
for flag in --dropout --label-smoothing --average; do
  for value in 1 -0.1 nan x ''; do refused "^elman: train: $flag: " "$flag" "$value"; done
done
for value in 0 9 -1 1.5 two; do refused '^elman: train: --layers: ' --layers $value; done
refused '^elman: train: --lr-schedule: .*constant, plateau, inverse-sqrt, linear, late-linear' --lr-schedule cosine
refused '^elman: train: --attention: .*is not one of: dot, ' --attention none
refused '^elman: train: --warm-up: ' --warm-up -1
refused '^elman: train: --save-every: ' --save-every -1
refused '^elman: train: --validate-every: ' --validate-every x
refused '^elman: train: --patience: ' --patience x
refused '^elman: train: --bidirectional takes no value$' --bidirectional=yes
refused '^elman: --patience needs --dev' --patience 3
refused '^elman: --validate-every needs --dev' --validate-every 3
refused '^elman: --validate-by needs --dev' --validate-by loss
refused "^elman: train: --validate-by: .*bleu, chrf, loss" --validate-by ter
refused '^elman: --lr-schedule plateau needs --dev' --lr-schedule plateau

# Invalid combinations.
refused '^elman: input feeding needs the attentional layer$' --input-feeding
refused '^elman: tying the embeddings needs the attentional layer$' --tie-embeddings
refused '^elman: .*a bidirectional encoder needs an even hidden size, not 5' --bidirectional \
  --hidden-size 5

# A preset sets several options; other options on the command line override single ones.
expect_exit 0 "$ELMAN" train -q --preset small --epochs 0 --hidden-size 8 -o preset "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" train -q --hidden-size 8 --preset=small --epochs 0 -o preset2 "$DATA/toy.zh-en.tsv"
cmp preset preset2 || fail "the position of --preset has an effect"
expect_output 'additive' inspect -m preset
expect_stdout_match '^hidden size +8$'
# A setting of a preset that another option excludes is switched off, with a note.
expect_note '^preset strong: without --attentional-layer, --tie-embeddings does not apply$' train --preset strong \
  --no-attentional-layer --epochs 0 --hidden-size 8 --embedding-size 6 -o plainer "$DATA/toy.zh-en.tsv"
expect_refused '--tie-embeddings needs --attentional-layer' train --preset strong --no-attentional-layer \
  --tie-embeddings "$DATA/toy.zh-en.tsv"
expect_refused "--preset must be one of plain, small, base" train --preset huge "$DATA/toy.zh-en.tsv"

# A vocabulary without known words causes a note.
expect_note "^100 % of the source tokens are not in the vocabulary .*--min-count" train --epochs 1 "${small[@]}" \
  --min-count 1000 -o unknown "$DATA/toy.zh-en.tsv"
expect_stderr_match "^100 % of the target tokens are not in the vocabulary"
expect_exit 0 "$ELMAN" train --epochs 1 "${small[@]}" -o known "$DATA/toy.zh-en.tsv"
! grep -q 'not in the vocabulary' "$results/stderr" || fail "a note although all words are known"
