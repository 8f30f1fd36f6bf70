# Attention in the formats for other programs, of every kind of translation.

toy_model

# Blocks are separated by an empty line; each object says which sentence and which hypothesis it is.
expect_exit 0 "$ELMAN" attention --format tsv '我 爱 学习' '她 是 我 的 老师'
[ "$(grep -c '^$' "$results/stdout")" -eq 1 ] || fail "not one empty line between two tables"
expect_exit 0 "$ELMAN" attention --format json --n-best 2 '我 爱 学习' '她 是 我 的 老师'
[ "$(grep -oE '^.{34}' "$results/stdout" | tr -dc '0-9\n' | xargs)" = '11 12 21 22' ] ||
  fail "sentences and hypotheses are numbered differently"

# Byte offsets are those of the text as it was typed, here with an ideographic space.
expect_exit 0 "$ELMAN" attention --format json '我　爱学习'
expect_stdout_match '"source":"我　爱学习",.*"source_offsets":\[\[0,3\],\[6,9\],\[9,15\]\]'

# Hard alignments: </s> has none; words are what white space separates, whatever the tokens are.
expect_exit 0 "$ELMAN" attention --format pharaoh '我 爱 学习' '' '我爱学习'
[ "$(sed -n 1p "$results/stdout" | tr ' ' '\n' | cut -d- -f2 | sort | xargs)" = '0 1 2' ] ||
  fail "not one link for each word"
[ -z "$(sed -n 2p "$results/stdout")" ] || fail "an empty sentence has no links"
# Where there are no spaces, tokens are counted.
[ "$(sed -n 3p "$results/stdout")" = "$(sed -n 1p "$results/stdout")" ] || fail "tokens are not the units"
# It has no place for a mark, nor has npy: what the vocabulary lacks is told.
expect_no_stderr
for format in pharaoh softalignments npy; do
  expect_exit 0 "$ELMAN" attention --format $format -o links '我 爱 鱼' '她 是'
  expect_stderr_match '^not in the vocabulary: 鱼 \(1 of 5 words\)$'
done
# Nor does any format mark an unknown word of a reference, whose probability is that of <unk>.
expect_exit 0 "$ELMAN" attention --reference 'I love zebras' '我 爱 学习'
expect_stderr_match '^not in the target vocabulary: zebras \(1 of 3 words\)$'
expect_exit 0 "$ELMAN" attention --summary '我 爱 鱼'
expect_stderr_match '^not in the vocabulary: 鱼 \(1 of 3 words\)$'
expect_exit 0 "$ELMAN" attention --format pharaoh --units words '我爱学习'
expect_stdout '0-0 0-1 0-2'
expect_exit 0 "$ELMAN" attention --format pharaoh --units tokens '我爱学习'
[ "$(tr ' ' '\n' <"$results/stdout" | cut -d- -f2 | sort | xargs)" = '0 1 2' ] || fail "</s> is linked"
expect_exit 0 "$ELMAN" attention --format pharaoh --alignment threshold --threshold 1 '我 爱 学习'
expect_exit 0 "$ELMAN" attention --format pharaoh --alignment intersection '我 爱 学习'
expect_exit 0 "$ELMAN" train -q -t 1 --source-tokens chars --target-tokens chars --epochs 1 \
  -o chars.safetensors "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" attention -m chars.safetensors --format pharaoh --reference 'I love studying' \
  '我 爱 学习'
expect_stdout_match '^[0-2]-[0-2]( [0-2]-[0-2]){2}$'

expect_exit 64 "$ELMAN" attention --threshold 0.5 --format pharaoh '我'
expect_stderr_match -- '--threshold needs --alignment threshold'
expect_exit 64 "$ELMAN" attention --alignment argmax '我'
expect_stderr_match 'need --format pharaoh or --alignments'
expect_exit 64 "$ELMAN" attention --format pharaoh --alignment best '我'
expect_stderr_match 'not one of: argmax, threshold, intersection'
expect_exit 64 "$ELMAN" attention --format pharaoh --units letters '我'
expect_stderr_match 'not one of: auto, words, tokens, subwords'

# Self-attention: of each token, summing to 1, and causal in the decoder; in json and the page, of one
# model as it is.
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 8 --encoder-self-attention 2 \
  --decoder-self-attention 1 -o self.safetensors "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" attention -m self.safetensors --format json --beam 3 --n-best 2 '我 爱 学习' '' '她 是'
cat >self.py <<'END'
import json, sys
for record in map(json.loads, sys.stdin):
    S, T = len(record["source_tokens"]), len(record["target_tokens"])
    assert ("source_self_attention" in record) == (S > 0), record
    for key, heads, n in ("source", 2, S), ("target", 1, T):
        matrices = record.get(f"{key}_self_attention", [])
        assert len(matrices) == heads * (S > 0)
        for rows in matrices:
            assert [len(row) for row in rows] == [n] * n
            assert all(abs(sum(row) - 1) < 1e-5 for row in rows)
            assert key == "source" or not any(any(row[t + 1:]) for t, row in enumerate(rows))
END
python3 self.py <"$results/stdout" || fail "other weights of self-attention"
expect_exit 0 "$ELMAN" attention -m self.safetensors --format html '我 爱 学习'
grep -q '"target_self_attention":\[\[\[1.0,0.0' "$results/stdout" || fail "not on the page"
for options in '-m self.safetensors' '--override uniform'; do
  expect_exit 0 "$ELMAN" attention -m self.safetensors $options --format json '我 爱 学习'
  ! grep -q self_attention "$results/stdout" || fail "self-attention with $options"
done

# Several translations in one picture.
expect_exit 0 "$ELMAN" attention -o picture.svg --n-best 2 '我 爱 <script>' '她 是'
[ "$(grep -c '<svg' picture.svg)" -eq 1 ] || fail "not one picture"
[ "$(grep -c '<desc>' picture.svg)" -eq 4 ] || fail "not four heat maps"
! grep -q '<script' picture.svg || fail "a token is an element"
[ "$(tail -n 1 picture.svg)" = '</svg>' ] || fail "the picture does not end"
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("picture.svg")' || fail "not XML"
expect_exit 0 "$ELMAN" attention -o matrix.ali '我 爱 学习'
[ "$(sed -n '1s/-[0-9.]*/P/p' matrix.ali)" = '0 ||| I love studying ||| P ||| 我 爱 学习 ||| 4 4' ] ||
  fail "the head line differs"

# A record for each line in every format, also for one that cannot be translated.
printf '我 爱 学习\n\xff\n\n她 是\n' >lines
for format in text tsv json pharaoh softalignments npy svg html; do
  expect_exit 65 "$ELMAN" attention --format $format -i lines -o "whole.$format"
  expect_stderr_match '^elman: lines:2: byte 1 is not valid UTF-8 text'
done
expect_exit 0 "$ELMAN" attention --format pharaoh '她 是'
[ "$(wc -l <whole.pharaoh)" -eq 4 ] || fail "not a line for each"
[ "$(sed -n '2p;3p' whole.pharaoh)" = "$(printf '\n')" ] || fail "links where there is no translation"
[ "$(sed -n 4p whole.pharaoh)" = "$(cat "$results/stdout")" ] || fail "a later sentence has moved"
[ "$(cut -d, -f1 whole.json | tr -dc '0-9\n' | xargs)" = '1 2 3 4' ] || fail "not an object for each"
[ "$(grep -c '"error":"byte 1 is not valid' whole.json)" -eq 1 ] || fail "no reason, or several"
[ "$(grep -c '^{"sentence":' whole.html)" -eq 4 ] || fail "not an object for each"
[ "$(grep -c '^[0-9] ||| ' whole.softalignments)" -eq 4 ] || fail "not a block for each"
[ "$(grep -c 'class="caption"' whole.svg)" -eq 4 ] || fail "not a picture for each"
[ "$(grep -ac "'shape': (0, 0)" whole.npy)" -eq 2 ] || fail "not an array for each"
[ "$(python3 -c 'print([block.count("\n") for block in open("whole.tsv").read().split("\n\n")])')" = '[4, 0, 0, 6]' ] ||
  fail "not a block for each"
# One of several translations says whose it is, or the format is refused.
for format in text tsv; do
  expect_exit 65 "$ELMAN" attention --format $format --n-best 2 -i lines
  [ "$(grep -xE '[0-9]\.[0-9]' "$results/stdout" | xargs)" = '1.1 1.2 2.1 3.1 4.1 4.2' ] ||
    fail "translations are not numbered"
done
expect_exit 65 "$ELMAN" attention --format pharaoh --n-best 2 -i lines
[ "$(sed 's/ ||| .*//' "$results/stdout" | xargs)" = '0 0 1 2 3 3' ] || fail "links are not numbered"
[ "$(sed -n '1s/.*||| //p' "$results/stdout")" = "$(sed -n 1p whole.pharaoh)" ] || fail "other links"
expect_exit 65 "$ELMAN" attention --format softalignments --n-best 2 -i lines
[ "$(sed -n 's/ ||| .*//p' "$results/stdout" | xargs)" = '0 0 1 2 3 3' ] || fail "not numbered"
expect_refused 'npy cannot store sentence numbers' attention --format npy --n-best 2 我
expect_exit 0 "$ELMAN" attention --format npy --n-best 1 -o one.npy 我

# A file of references: line n for sentence n.
printf '我 爱 学习\n\n她 是\n' >sources
printf 'We go\n\nI am\n' >references
expect_exit 0 "$ELMAN" attention --format json -i sources --references references
[ "$(grep -c '"forced":true' "$results/stdout")" -eq 2 ] || fail "not two that were forced"
expect_stdout_match '^{"sentence":3,.*"translation":"I am"'
expect_exit 0 "$ELMAN" attention --format json --references - '我' <<<'We go'
expect_stdout_match '"translation":"We go"'

printf 'We go\n\nI am\nToo many\n' >longer
rm -f out.json
expect_exit 65 "$ELMAN" attention -o out.json -i sources --references longer
expect_stderr_match '^elman: longer: has 4 lines, but there are fewer sentences'
[ ! -e out.json ] || fail "matrices of the wrong pairs were kept"
head -n 2 references >shorter
expect_exit 65 "$ELMAN" attention -o out.json -i sources --references shorter
expect_stderr_match '^elman: shorter: has 2 lines, but there are more sentences'
[ ! -e out.json ] || fail "matrices of the wrong pairs were kept"
expect_exit 66 "$ELMAN" attention -i sources --references nowhere
expect_exit 64 "$ELMAN" attention --references references --reference x '我'
expect_exit 64 "$ELMAN" attention --references - <sources
expect_exit 64 "$ELMAN" attention --references references --n-best 2 -i sources
cp references kept
expect_exit 64 "$ELMAN" attention -o references --references references -i sources
cmp references kept || fail "the references were written over"

# What stands in the file of references is at fault, not the sentence.
printf '我 爱 学习\n她 是\n' >s3
printf 'We go\n\n' >r3
expect_exit 65 "$ELMAN" attention --format json -i s3 --references r3
expect_stderr_match '^elman: r3:2: the reference is empty$'
expect_stdout_match '"error":"reference: the reference is empty"'
expect_exit 65 "$ELMAN" attention --reference ' ' '我 爱 学习'
expect_stderr_match '^elman: --reference: the reference is empty$'

# Without notes.
expect_exit 0 "$ELMAN" attention -q '我 爱 鱼'
expect_no_stderr
