# Texts of several sentences, and warnings of translations that are probably wrong.

toy_model
text='我 爱 学习。 他 在 喝 茶。'
first=$("$ELMAN" translate -q '我 爱 学习。') second=$("$ELMAN" translate -q '他 在 喝 茶。')

# TEXT is split; a line is a sentence, unless the option says so.
expect_prints "$first $second" translate -q "$text"
whole=$("$ELMAN" translate -q --split-sentences off "$text")
[ "$whole" != "$first $second" ] || fail "the model translates both sentences at once: this case proves nothing"
printf '%s\n' "$text" >text
expect_prints "$whole" translate -q -i text
expect_prints "$whole" translate -q --split-sentences off -i text
expect_prints "$first $second" translate -q --split-sentences on -i text
expect_prints "$first"$'\n\n'"$second" translate -q $'我 爱 学习。\n \n他 在 喝 茶。'

# An n-best list has the combinations with the largest sums of scores, each on one line.
expect_lines 4 translate -q --n-best 4 $'我 爱 学习。\n他 在 喝 茶。'
expect_stdout_match "^0 \|\|\| $first $second \|\|\| logprob="
awk -F ' [|][|][|] ' 'NR > 1 && $4 > last { exit 1 } { last = $4 }' "$results/stdout" || fail "the list is not sorted"

# The JSON of a text has the values of its sentences, and their places.
output_to parts translate -q --json '我 爱 学习。' '他 在 喝 茶。'
output_to whole translate -q --json "$text"
python3 - <<'PYTHON' || fail "the JSON of a text differs from that of its sentences"
import json
parts, (whole,) = ([json.loads(line) for line in open(name)] for name in ("parts", "whole"))
for key in "source_tokens", "source_ids", "target_tokens", "target_ids":
    assert whole[key] == [each for part in parts for each in part[key]], key
for key in "log_probability", "score":
    assert abs(whole[key] - sum(part[key] for part in parts)) < 1e-4, key
assert len(whole["sentences"]) == 2 and not any("sentences" in part for part in parts)
for sentence, part in zip(whole["sentences"], parts):
    (start, end), (first, last) = sentence["text_span"], sentence["target_tokens"]
    assert whole["text"].encode()[start:end].decode() == part["text"]
    assert whole["target_tokens"][first:last] == part["target_tokens"]
PYTHON

# Attention and scores treat a text as one sentence.
expect_output "\"text\":\"$whole\"" attention -q --format json "$text"
expect_refused 'split-sentences' attention --split-sentences on "$text"
expect_refused 'split-sentences' evaluate --split-sentences on "$DATA/toy.zh-en.tsv"

# Limits count the whole text.
expect_error 65 'longer than the limit of 20 bytes' translate --max-bytes 20 "$text"

# Warnings: at once for a TEXT, once for a file.
expect_note '^This model translates Chinese \(Han script\); the text is mostly in Latin script\. Use a model of the opposite direction\.$' \
  translate 'How are you?'
expect_output '"warning":\{"kind":"script","message":"This model translates Chinese .*direction\."\}\}$' translate -q --json 'How are you?'
expect_exit 0 "$ELMAN" translate -q --json '我 爱 学习'
! grep '"warning"' "$results/stdout" || fail "a warning of a good translation"
expect_note '^TEXT 2: This model translates Chinese' translate '我 爱 学习' 'How are you?'
expect_note '^The text has traditional characters that are not in the vocabulary, which has simplified ones\.' translate '學習'
expect_note '^2 of 3 words of the text are not in the vocabulary, so that the translation is probably wrong\.' translate '我 鼬 鼯'
expect_note '^The number 1985 of the text is not in the translation, which is probably wrong\.$' translate '我 爱 1985'
printf '%s\n' '我 爱 学习' 'How are you?' 'Good morning' '鼬 鼯' >lines
expect_note '^line 2 and 1 more of 4: This model translates Chinese' translate -i lines
expect_stderr_match '^line 4: 2 of 2 words of the text are not in the vocabulary'
expect_no_note 'probably wrong|This model translates' translate '我 爱 学习'
expect_no_note 'probably wrong|This model translates' translate -q 'How are you?'
"$ELMAN" train -q -t 1 --epochs 1 -o early.safetensors "$DATA/toy.zh-en.tsv" || fail "training failed"
expect_note '^The translation is improbable \([0-9.]+ % per token\) and probably wrong\. Use simpler sentences, ' \
  translate -m early.safetensors '我 爱 学习'
expect_note '^The translations of 2 of 2 sentences are improbable ' translate -m early.safetensors '我 爱 学习。 我 爱 学习。'

# Greedy translations of lines have no scores, with any number of models.
"$ELMAN" train -q -t 1 --epochs 1 --seed 2 -o other.safetensors "$DATA/toy.zh-en.tsv" || fail "training failed"
echo '我 爱 学习' >line
for models in '-m early.safetensors' '-m early.safetensors -m other.safetensors'; do
  # shellcheck disable=SC2086 # the options of the models
  expect_no_note 'improbable' translate $models -i line
  # shellcheck disable=SC2086
  expect_output '"kind":"improbable"' translate -q $models --json -i line
done
