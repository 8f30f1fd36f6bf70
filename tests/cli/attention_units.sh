# Attention between whole words of a model that uses subwords: formats, measures and alignments.

awk -F'\t' '{ print $2 "\t" $1 }' "$DATA/daily.train.zh-en.tsv" | head -n 200 >pairs
train=(train -q -t 1 --hidden-size 16 --embedding-size 16 --subwords 120 --source-subwords 60)
"$ELMAN" "${train[@]}" --epochs 3 --attention sentinel -o one pairs || fail "no model"
"$ELMAN" "${train[@]}" --epochs 1 --attention multihead --attention-heads 2 -o two pairs || fail "no model"
"$ELMAN" "${train[@]}" --epochs 1 --encoder-self-attention 2 --decoder-self-attention 1 -o self pairs ||
  fail "no model"
"$ELMAN" "${train[@]}" --epochs 1 --attention hierarchical --attention-window 3 -o levels pairs ||
  fail "no model"
cut -f1 pairs | head -n 20 >english
cut -f2 pairs | head -n 20 >chinese
sentence='Unfortunately they are studying today.'

# White space separates words; </s> is a unit of its own. All matrices are in these units, and the weights of a row still
# sum to 1. tests/unit/merge.c compares the weights with values computed by hand.
cat >units.py <<'END'
import json, sys
words, tokens = ([json.loads(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:3])

def check(matrix, columns, sums):
    assert [len(row) for row in matrix] == [len(columns)] * len(sums), matrix
    assert all(abs(sum(row) - x) < 1e-5 for row, x in zip(matrix, sums)), matrix

fewer = chinese = 0
for word, token in zip(words, tokens, strict=True):
    in_words = "target_units" in word
    chinese += not in_words
    sources, targets = token["source"].split(), token["text"].split() + ["</s>"] * token["ended"]
    assert word["source_tokens"] == sources, word["source_tokens"]
    assert word["target_tokens"] == (targets if in_words else token["target_tokens"])
    ones = [1] * len(word["target_tokens"])
    for matrix in word["attention"], *word.get("head_attention", []):
        check(matrix, sources, [1 - x for x in word["sentinel"]] if "sentinel" in token else ones)
    for matrix in word.get("source_self_attention", []):
        check(matrix, sources, [1] * len(sources))
    for matrix in word.get("target_self_attention", []):
        check(matrix, ones, ones)
    assert ("segments" in word) == ("segments" in token) and word.get("segment_ends") == token.get("segment_ends")
    assert word["source_units"] == "words" and "source_units" not in token
    assert len(word["entropy"]) == len(ones) and len(word["coverage"]) == len(sources)
    fewer += len(sources) < len(token["source_tokens"])
assert fewer > 0, "no word has parts"
assert (chinese == 0) == (sys.argv[3] == "words"), chinese
END
for model in one two self levels; do
  output_to words.json attention -m $model --format json -i english
  output_to tokens.json attention -m $model --format json --units subwords -i english
  expect_exit 0 python3 units.py words.json tokens.json auto
  expect_same tokens.json attention -m $model --format json --units tokens -i english
done
# A translation into Chinese has no spaces, so it has tokens, not words. A reference keeps the words of its text,
# and a token may cover several of them.
output_to words.json attention -m levels --format json --units words -i english --references chinese
output_to tokens.json attention -m levels --format json --units tokens -i english --references chinese
expect_exit 0 python3 units.py words.json tokens.json words
# The opposite direction, with words in the target.
awk -F'\t' '{ print $2 "\t" $1 }' pairs >back
last_wins "$ELMAN" "${train[@]}" --epochs 3 --source-subwords 0 --source-tokens chars -o back.safetensors back ||
  fail "no model"
expect_exit 0 "$ELMAN" attention -m back.safetensors --format json -i chinese --references english
grep -q source_units "$results/stdout" && fail "characters are treated as words"
expect_stdout_match '"target_tokens":\["He","ate","this","apple","at","school","yesterday",'
expect_output '"target_tokens":\["He",("[^"]+",){7,}"yesterday"|"yester' attention -m back.safetensors --format json \
  --units subwords -i chinese --references english

# All formats have equal rows and columns.
expect_exit 0 "$ELMAN" attention -m one --format tsv "$sentence"
[ "$(head -n 1 "$results/stdout")" = $'\tUnfortunately\tthey\tare\tstudying\ttoday.\tno token' ] ||
  fail "tsv has other columns"
expect_output $'^\tUnfortunately\tthey\tare\tstudying\ttoday\\.\ttokens 1-3\ttokens 4-6\t' attention -m levels \
  --format tsv "$sentence"
expect_output '^ +Unfortunately they are studying today\. no token$' attention -m one "$sentence"
expect_exit 0 "$ELMAN" attention -m one --format npy "$sentence"
grep -aq "'shape': ([0-9]*, 5)" "$results/stdout" || fail "npy has other columns"
expect_exit 0 "$ELMAN" attention -m two --format npy "$sentence"
grep -aq "'shape': (2, [0-9]*, 5)" "$results/stdout" || fail "npy has other columns"
expect_output ' \|\|\| Unfortunately they are studying today\. \|\|\| 6 [0-9]+$' attention -m one --format \
  softalignments "$sentence"
expect_output 'for 5 source words \(columns\); brighter cells are larger weights' attention -m one --format svg \
  "$sentence"
expect_output '"source_tokens":\["Unfortunately","they","are","studying","today\."\]' attention -m one --format html \
  "$sentence"

# Links refer to words by their numbers in the text.
expect_exit 0 "$ELMAN" attention -m one --format pharaoh --units words "$sentence" -o links
for link in $(cat links); do
  [ "${link%-*}" -le 4 ] || fail "link out of range for five words: $link"
done
expect_exit 0 "$ELMAN" attention -m one --format pharaoh -i english -f -o links
expect_same links attention -m one --format pharaoh --units auto -i english

# Measures refer to words by default. The links of --alignments do not depend on --units.
expect_output "^source words +$(wc -w <english)$" attention -m one --summary -i english
expect_stdout_match '^</s> on last word '
cp "$results/stdout" by_default
expect_output '^source tokens ' attention -m one --summary --units subwords -i english
cmp -s by_default "$results/stdout" && fail "measures of words and of subwords are equal"
# Some of these translations are Chinese without a space.
expect_output '^\{"source_units":"words","target_units":"mixed","translations":20,' attention -m one --summary --json \
  -i english

# If some lines are shown in words and others, in Chinese, in tokens, the report calls both "units".
{ head -n 2 english; sed 's/ //g' chinese | head -n 3; } >mixed
words=$(head -n 2 english | wc -w)
expect_exit 0 "$ELMAN" attention -m one --units auto -i mixed --format json
parts=$(python3 -c '
import json, sys
print(sum(len(json.loads(line)["source_tokens"]) for line in open(sys.argv[1], encoding="utf-8")))' "$results/stdout")
[ "$parts" -gt $((words + 3)) ] || fail "no line has more subwords than words: the test proves nothing"
expect_output "^source units +$parts$" attention -m one --summary -i mixed
expect_stdout_match '^</s> on last unit '
expect_stdout_match '^others on last unit '
expect_output "^\{\"source_units\":\"mixed\",.*\"source_tokens\":$parts," attention -m one --summary --json -i mixed
expect_output "^source words +$((words + 3))$" attention -m one --summary --units words -i mixed

head -n 200 "$DATA/daily.train.zh-en.tsv" >gold
expect_output '^source tokens ' attention -m back.safetensors --summary --alignments 3 -i gold
expect_stdout_match '^target words '
expect_stdout_match '^gold links +'

# All readers of alignments count the same words, for every tokenization of a target with spaces: --alignments
# finds the links that pharaoh writes, and evaluate scores these links.
awk -F'\t' -v OFS='\t' '{
  n = split($3, links, " "); turned = ""
  for (i = 1; i <= n; i++) { split(links[i], of, "-"); turned = turned " " of[2] "-" of[1] }
  print $2, $1, turned }' "$DATA/daily.train.zh-en.tsv" | head -n 150 >turned
cut -f1 turned >turned.source
cut -f2 turned >turned.target
for mode in bpe chars words space; do
  merges=$([ $mode != bpe ] || echo --subwords 150)
  "$ELMAN" train -q -t 1 --hidden-size 16 --embedding-size 16 --epochs 5 --attention scaled \
    --source-tokens words --target-tokens $mode $merges --guide 3 -o guided turned || fail "no model"
  "$ELMAN" attention -m guided --format pharaoh -i turned.source --references turned.target >found
  cut -f3 turned | paste found - | python3 -c '
import sys
links = gold = both = words = agreeing = 0
for line in sys.stdin:
    a, g = (set(part.split()) for part in line.split("\t"))
    links, gold, both = links + len(a), gold + len(g), both + len(a & g)
    target = lambda some: {link.split("-")[1] for link in some}
    words, agreeing = words + len(target(g)), agreeing + len(target(a & g))
print(f"alignment error rate {100 * (1 - 2 * both / (links + gold)):.2f} %")
print(f"aligned words        {words}")
print(f"alignment agreement  {100 * agreeing / words:.2f} %")' >expected
  expect_output "^$(sed -n 1p expected)\$" attention -m guided --summary --alignments 3 -i turned
  expect_no_stderr
  expect_output "^$(sed -n 2p expected)\$" evaluate -m guided -q --alignments 3 turned
  expect_stdout_match "^$(sed -n 3p expected)\$"
done

# Positions of --override refer to tokens, so tokens are shown.
expect_exit 0 "$ELMAN" attention -m one --format tsv --override 1:2=0.5 "$sentence"
[ "$(sed -n 2p "$results/stdout" | cut -f3)" = 0.500000 ] || fail "1:2=0.5 is not the second column"
expect_output $'^\tUnfortunately\t' attention -m one --format tsv --override uniform "$sentence"
for override in 1:2=0.5 position=2; do
  expect_refused --override attention -m one --units words --override $override "$sentence"
done

# A model without subwords shows tokens by default, words with --units words, and refuses --units subwords.
toy_model
cut -f1 "$DATA/toy.zh-en.tsv" >sources
for format in text json tsv npy svg softalignments; do
  output_to plain attention --format $format -i sources
  expect_same plain attention --format $format --units tokens -i sources
  grep -q 'words' plain && fail "words are shown by default: $format"
done
expect_exit 0 "$ELMAN" attention --format tsv --units words '我爱 学习'
[ "$(head -n 1 "$results/stdout")" = $'\t我爱\t学习' ] || fail "words are not shown"
for what in '--format json' --summary '--format pharaoh'; do
  expect_exit 64 "$ELMAN" attention $what --units subwords '我 爱'
  expect_stderr_match '^elman: model.safetensors: has no subwords: its token modes are space \(source\) and words \(target\); use --units words or --units tokens$'
done
