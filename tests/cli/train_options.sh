# Options of the network and of training: each has an effect, alone and combined. tests/options/run has wrong values.

toy=$DATA/toy.zh-en.tsv
small=(--hidden-size 6 --embedding-size 4)

# ---- the shape of the network ----

# tests/cli/config.sh compares the options in a model with those of its run, and tests/python/torch-models the tensors with
# those of PyTorch.
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --attentional-layer --tie-embeddings "$toy"
expect_output '^tied embeddings +yes$' inspect
[ "$(grep -E '^decoder\.(embedding|out)\.weight' "$results/stdout" | sed 's/^[^ ]* *//' | uniq | wc -l)" -eq 1 ] ||
  fail "the tied matrices differ"
# After a change of one number, the matrices are no longer tied.
alter model.safetensors untied '
at = header["decoder.out.weight"]["data_offsets"][0]
tensors[at:at + 4] = struct.pack("<f", 0.5)'
expect_error 65 '^elman: untied: .*decoder.out.weight' inspect -m untied

# Heads and directions divide the hidden size.
expect_refused 'heads' train -q "${small[@]}" --attention multihead --attention-heads 4 "$toy"
expect_refused '--decoder-self-attention|heads' train -q "${small[@]}" --decoder-self-attention 4 "$toy"
expect_refused bidirectional train -q --bidirectional --hidden-size 5 "$toy"

# All options together; the model works with all commands.
expect_exit 0 "$ELMAN" train -q --hidden-size 32 --embedding-size 16 --layers 2 --bidirectional \
  --attentional-layer --input-feeding --tie-embeddings --orthogonal --attention additive "$toy"
expect_no_stderr
expect_exit 0 "$ELMAN" inspect --json
expect_stdout_match '^\{"version":"[0-9.]+","embedding_size":16,"hidden_size":32,"layers":2,"cell":"elman","layer_norm":false,"residual":false,"bidirectional":true,"attention":"additive","attention_heads":1,"attention_window":0,"clause_segments":false,"encoder_self_attention":0,"decoder_self_attention":0,"plain_self_attention":false,"attentional_layer":true,"input_feeding":true,"arithmetic":"fast","tie_embeddings":true,'
expect_prints "$(cut -f2 "$toy")" translate -i <(cut -f1 "$toy")
expect_exit 0 "$ELMAN" attention -i <(cut -f1 "$toy")
expect_exit 0 "$ELMAN" evaluate "$toy"

# ---- the training ----

# The result does not depend on the number of threads.
for flag in '--dropout 0.5' '--dropout 0.2 --r-drop 3' '--attention-dropout 0.5' '--label-smoothing 0.1' '--average 0.9' '--warm-up 3' \
  '--schedule inverse-sqrt' '--schedule linear' '--schedule late-linear' --orthogonal; do
  expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 "${small[@]}" $flag -o one "$toy"
  expect_model one -q -t 2 --epochs 2 "${small[@]}" $flag -o two "$toy"
done

# R-Drop compares two dropout masks, so it needs dropout.
expect_refused --dropout train --r-drop 3 "${small[@]}" -o alike "$toy"
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --dropout 0.2 -o dropped "$toy"
expect_exit 0 "$ELMAN" train -q --epochs 2 "${small[@]}" --dropout 0.2 --r-drop 3 -o agreed "$toy"
! cmp -s dropped agreed || fail "--r-drop has no effect"
expect_output '^r-drop = 3$' inspect --config -m agreed

# A preset sets several options; other options on the command line override single ones.
expect_exit 0 "$ELMAN" train -q --preset small --epochs 0 --hidden-size 8 -o preset "$DATA/toy.zh-en.tsv"
expect_model preset -q --hidden-size 8 --preset=small --epochs 0 -o preset2 "$DATA/toy.zh-en.tsv"
expect_output 'additive' inspect -m preset
expect_stdout_match '^hidden size +8$'
# A setting of a preset that another option excludes is switched off, with a note.
expect_note '^preset strong: without --attentional-layer, --tie-embeddings does not apply$' train --preset strong \
  --no-attentional-layer --epochs 0 --hidden-size 8 --embedding-size 6 -o plainer "$DATA/toy.zh-en.tsv"
expect_refused --tie-embeddings train --preset strong --no-attentional-layer --tie-embeddings "$DATA/toy.zh-en.tsv"
expect_refused --preset train --preset huge "$DATA/toy.zh-en.tsv"

# A vocabulary without known words causes a note.
expect_note "^100 % of the source tokens are not in the vocabulary .*--min-count" train --epochs 1 "${small[@]}" \
  --min-count 1000 -o unknown "$DATA/toy.zh-en.tsv"
expect_stderr_match "^100 % of the target tokens are not in the vocabulary"
expect_no_note 'not in the vocabulary' train --epochs 1 "${small[@]}" -o known "$DATA/toy.zh-en.tsv"
