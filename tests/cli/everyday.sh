# The model for everyday sentences in `data`.

model=$DATA/everyday.zh-en.safetensors
[ "$(stat -c %s "$model")" -le 4000000 ] || fail "the model is larger than 4 MB"
expect_output '^number type +bfloat16$' inspect -m "$model"
expect_stdout_match '^arithmetic +portable$'

# Short sentences have translations that no rounding changes.
while IFS=$'\t' read -r source target; do
  expect_prints "$target" translate -q -m "$model" "$source"
done <<'END'
我爱你。	I love you.
我的父亲每天早上六点起床。	My father gets up at six every morning.
END

# With one of these, `repl` works without training. `translate` names the model.
expect_error 66 'such as /.*/data/everyday.zh-en.safetensors$' translate 你好
echo '我爱你。' >line
expect_prints 'I love you.' repl <line
expect_stderr_match '^there is no model.safetensors here; using /.*everyday.zh-en.safetensors'
expect_exit 66 "$ELMAN" repl -m model.safetensors <line
expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 2 "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" repl <line
! grep 'using' "$results/stderr" || fail "repl does not read model.safetensors"
