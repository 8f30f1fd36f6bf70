# Text as it is typed: spaces between Han characters, and what shows tokens without their marks.

# ---- spaces ----

paste <(printf '%s\n' 你喜欢雨吗？ 我喜欢雨。 你喝茶吗？ 我不喝茶。) \
  <(printf '%s\n' 'Do you like rain?' 'I like rain.' 'Do you drink tea?' 'I do not drink tea.') >chars.tsv
expect_exit 0 "$ELMAN" train --epochs 30 --hidden-size 16 --embedding-size 16 chars.tsv
expect_stderr_match 'source: split into chars'
expect_exit 0 "$ELMAN" translate 你喜欢雨吗？
expect_no_stderr
without=$(cat "$results/stdout")
expect_exit 0 "$ELMAN" translate '你 喜欢  雨 吗 ？'
expect_no_stderr # no unknown words
expect_stdout "$without"
expect_exit 0 "$ELMAN" translate --json '你 喜欢 雨 吗 ？'
expect_stdout_match '"source_tokens":\["你","喜","欢","雨","吗","？"\]'
expect_exit 0 "$ELMAN" attention --format json '你 喜欢 雨'
expect_stdout_match '"source_offsets":\[\[0,3\],\[4,7\],\[7,10\],\[11,14\]\]'

# Trained with spaces, it is the same model.
sed 's/喜欢/ 喜欢 /; s/喝/ 喝 /; s/ ？/？/' chars.tsv >spaced.tsv
expect_exit 0 "$ELMAN" train -q --epochs 30 --hidden-size 16 --embedding-size 16 \
  --source-tokens chars -o spaced spaced.tsv
cmp -s model.safetensors spaced || fail "spaces between Han characters change the training"

# Exact is what the model writes, with spaces or without.
awk -F'\t' '{print $2 "\t" $1}' chars.tsv >en-zh.tsv
awk -F'\t' '{print $2 "\t" $1}' spaced.tsv >en-zh-spaced.tsv
expect_exit 0 "$ELMAN" train -q --epochs 300 --hidden-size 16 --embedding-size 16 -o en-zh en-zh.tsv
expect_exit 0 "$ELMAN" evaluate -m en-zh en-zh-spaced.tsv
expect_stdout_match '^exact match +100.00 %'

# ---- marks ----

expect_exit 0 "$ELMAN" train -q --epochs 1 --source-tokens chars --target-tokens words chars.tsv
typed='a b'
for show in 'translate' 'translate --json' 'translate --replace-unk' 'trace' 'trace --json' \
  'attention' 'attention --format tsv' 'attention --format json' 'attention --format svg' \
  'attention --format html' 'attention --format pharaoh'; do
  if [ "${show%% *}" = trace ]; then set -- "$typed" 'tea , "rain" a - b'; else set -- "$typed"; fi
  # shellcheck disable=SC2086 # words of a command
  expect_exit 0 "$ELMAN" $show "$@"
  ! grep -q '[▁￭]' "$results/stdout" "$results/stderr" || fail "a mark is shown by $show"
done
expect_exit 0 "$ELMAN" inspect --vocabulary target
! grep -q '[▁￭]' "$results/stdout" || fail "a mark is shown of the vocabulary"
expect_exit 0 "$ELMAN" train -q --epochs 0 --target-tokens chars chars.tsv
expect_exit 0 "$ELMAN" inspect --vocabulary target
expect_stdout_match $'\tt\tafter a space$'
expect_exit 0 "$ELMAN" attention --format tsv --reference 'tea , "rain" a - b' "$typed"
! grep -q '[▁￭]' "$results/stdout" || fail "a mark is shown of a reference"
