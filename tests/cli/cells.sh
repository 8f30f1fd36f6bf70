# Training is deterministic and resumable for each recurrent cell and option of its layers.

head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs.tsv
head -n 8 pairs.tsv | cut -f 1 >text
settings=(--hidden-size 12 --embedding-size 8 --layers 2 --bidirectional --attentional-layer
  --input-feeding --dropout 0.1 --shards 2 --learning-rate 0.01)

# A model file is named after its cell and options.
for name in elman relu gru lstm elman-layer-norm relu-layer-norm gru-layer-norm lstm-layer-norm \
  gru-residual; do
  cell=${name%%-*}
  more=${name#"$cell"}
  train=(train -q --cell "$cell" ${more:+"-$more"} "${settings[@]}")
  other=--layer-norm
  [ -z "$more" ] || other=

  # The model does not depend on the number of threads or on stops.
  expect_exit 0 "$ELMAN" "${train[@]}" -t 1 --epochs 8 pairs.tsv
  mv model.safetensors "$name"
  expect_exit 0 "$ELMAN" "${train[@]}" -t 2 --epochs 8 pairs.tsv
  cmp "$name" model.safetensors || fail "$name: two threads train a different model"
  rm model.safetensors
  expect_exit 0 "$ELMAN" "${train[@]}" -t 1 --epochs 8 --hours 1e-10 pairs.tsv
  expect_exit 0 "$ELMAN" "${train[@]}" -t 1 --epochs 8 --hours 1e-10 --resume pairs.tsv
  expect_refused 'the checkpoint belongs to another run: (layer normalization|residual connections) was' train -q \
    --cell "$cell" $other "${settings[@]}" --epochs 8 --resume pairs.tsv
  expect_exit 0 "$ELMAN" "${train[@]}" -t 1 --epochs 8 --resume pairs.tsv
  cmp "$name" model.safetensors || fail "$name: stop and --resume train a different model"
  expect_output "^recurrent cell +$cell$" inspect -m model.safetensors
  rm model.safetensors

  # A translation does not depend on the batch. Beam search moves all parts of the states.
  for beam in 1 3; do
    output_to together translate -m "$name" --beam "$beam" -i text
    while IFS= read -r line; do
      "$ELMAN" translate -m "$name" --beam "$beam" -- "$line" || fail "$name: $line"
    done <text >apart
    cmp together apart || fail "$name: the translation of a sentence depends on its batch"
  done
  expect_exit 0 "$ELMAN" trace -m "$name" "$(head -n 1 pairs.tsv | cut -f 1)" "$(head -n 1 pairs.tsv | cut -f 2)"
done

# Each normalized value has a gain, initially 1.
expect_output '^layer normalization +yes$' inspect -m gru-layer-norm
expect_stdout_match '^ *encoder\.rnn\.layer_norm_weight_l0_reverse +24 '
expect_stdout_match '^ *decoder\.rnn\.layer_norm_weight_l1 +48 '
expect_exit 0 "$ELMAN" train -q --epochs 0 --layer-norm pairs.tsv
expect_output '^ *encoder\.rnn\.layer_norm_weight_l0 +128 +1 +0 +1 +1$' inspect

# Layer normalization needs at least two units.
expect_refused 'layer.norm' train -q --layer-norm --hidden-size 2 --bidirectional pairs.tsv

expect_output '^residual connections +yes$' inspect -m gru-residual

