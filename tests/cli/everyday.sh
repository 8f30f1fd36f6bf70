# The models for everyday sentences in `data`.

model=$DATA/everyday.zh-en.safetensors opposite=$DATA/everyday.en-zh.safetensors
for file in "$model" "$opposite"; do
  [ "$(stat -c %s "$file")" -le 8000000 ] || fail "$file is larger than 8 MB"
  expect_output '^number type +float32, int8$' inspect -m "$file"
  expect_stdout_match '^arithmetic +portable$'
done

# Short sentences have translations that no rounding changes, with or without the final mark.
while IFS=$'\t' read -r source target; do
  expect_prints "$target" translate -q -m "$model" "$source"
done <<'END'
我爱你。	I love you.
我爱你	I love you.
我愛你	I love you.
你好！	Hi.
生日快乐	Happy birthday!
我饿了	I'm hungry.
你叫什么名字	What's your name?
END
while IFS=$'\t' read -r source target; do
  expect_prints "$target" translate -q -m "$opposite" "$source"
done <<'END'
I love you.	我爱你。
Where is the bathroom?	厕所在哪里？
Do you speak English?	你会说英语吗？
END

# With one of these, `repl` works without training. `translate` names the model.
expect_error 66 'such as /.*/data/everyday.zh-en.safetensors$' translate 你好
echo '我爱你。' >line
expect_prints 'I love you.' repl <line
expect_stderr_match '^there is no model.safetensors here; using /.*everyday.zh-en.safetensors'
expect_stderr_match '^for English into Chinese: elman repl -m /.*everyday.en-zh.safetensors$'
expect_exit 66 "$ELMAN" repl -m model.safetensors <line
expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size 2 "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" repl <line
! grep 'using' "$results/stderr" || fail "repl does not read model.safetensors"
