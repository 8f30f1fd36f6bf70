# Export formats for other programs. tests/unit/formats*.c compare their contents, also of hostile tokens.

toy_model

# An empty line separates blocks; each object contains the number of its sentence and hypothesis.
expect_exit 0 "$ELMAN" attention --format tsv '我 爱 学习' '她 是 我 的 老师'
[ "$(grep -c '^$' "$results/stdout")" -eq 1 ] || fail "expected one empty line between the two tables"
expect_exit 0 "$ELMAN" attention --format json --n-best 2 '我 爱 学习' '她 是 我 的 老师'
[ "$(grep -oE '^.{34}' "$results/stdout" | tr -dc '0-9\n' | xargs)" = '11 12 21 22' ] ||
  fail "wrong numbers of sentences or hypotheses"

# Pharaoh and npy cannot mark unknown words, so these are reported on stderr.
for format in pharaoh softalignments npy; do
  expect_note '^not in the vocabulary: 鱼 \(1 of 5 words\)$' attention --format $format -f -o links '我 爱 鱼' '她 是'
done
# No format marks an unknown word of a reference; it has the probability of <unk>.
expect_note '^not in the target vocabulary: zebras \(1 of 3 words\)$' attention --reference 'I love zebras' '我 爱 学习'
expect_note '^not in the vocabulary: 鱼 \(1 of 3 words\)$' attention --summary '我 爱 鱼'
expect_prints '0-0 0-1 0-2' attention --format pharaoh --units words '我爱学习'

# JSON and the page contain self-attention weights, for a single model with unmodified attention.
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 8 --encoder-self-attention 2 \
  --decoder-self-attention 1 -o self.safetensors "$DATA/toy.zh-en.tsv"
expect_output '"source_self_attention":' attention -m self.safetensors --format json '我 爱 学习'
expect_exit 0 "$ELMAN" attention -m self.safetensors --format html '我 爱 学习'
grep -q '"target_self_attention":\[\[\[1.0,0.0' "$results/stdout" || fail "the page lacks self-attention"
for options in '-m self.safetensors' '--override uniform'; do
  expect_exit 0 "$ELMAN" attention -m self.safetensors $options --format json '我 爱 学习'
  ! grep -q self_attention "$results/stdout" || fail "unexpected self-attention with $options"
done

# Several translations in one SVG picture.
expect_exit 0 "$ELMAN" attention -o picture.svg --n-best 2 '我 爱 <script>' '她 是'
[ "$(grep -c '<svg' picture.svg)" -eq 1 ] || fail "expected one picture"
[ "$(grep -c '<desc>' picture.svg)" -eq 4 ] || fail "expected four heat maps"
[ "$(tail -n 1 picture.svg)" = '</svg>' ] || fail "the picture is incomplete"
# A picture for a paper: white everywhere, a color bar with its name and ticks, and a title that can be another or none.
! grep -q prefers-color-scheme picture.svg || fail "the picture follows dark mode"
for label in 'attention weight' 0 0.25 0.5 0.75 1; do
  grep -q ">$label</text>" picture.svg || fail "the color bar lacks: $label"
done
titles() { sed -n 's/.*<text class="caption"[^>]*>\(.*\)<\/text>/\1/p' "$results/stdout"; }
expect_exit 0 "$ELMAN" attention --format svg '我 爱' '她 是'
height=$(sed -n 's/^<svg .* height="\([0-9]*\)".*/\1/p' "$results/stdout")
[ "$(titles | cut -c 1-5 | xargs)" = '1.1: 2.1:' ] || fail "titles: $(titles)"
expect_exit 0 "$ELMAN" attention --format svg --title 'Figure <1> 我' '我 爱' '她 是'
[ "$(titles | sort -u)" = 'Figure &lt;1&gt; 我' ] || fail "titles: $(titles)"
expect_exit 0 "$ELMAN" attention --format svg --title '' '我 爱' '她 是'
[ -z "$(titles)" ] || fail "titles: $(titles)"
[ "$(sed -n 's/^<svg .* height="\([0-9]*\)".*/\1/p' "$results/stdout")" -eq $((height - 2 * 28)) ] || fail "empty titles take room"
expect_exit 0 "$ELMAN" attention --format svg --title "$(printf 'long%.0s' {1..100})" '我 爱'
[ "$(sed -n 's/^<svg .* width="\([0-9]*\)".*/\1/p' "$results/stdout")" -ge 3000 ] || fail "a long title is cut off"
for format in text json html npy; do
  expect_refused "--title needs --format svg, png or pdf, not $format" attention --format $format -o x --title x '我'
done
expect_refused '--summary writes no matrices; remove --title' attention --summary --title x '我'
expect_exit 0 "$ELMAN" attention -o matrix.ali '我 爱 学习'
[ "$(sed -n '1s/-[0-9.]*/P/p' matrix.ali)" = '0 ||| I love studying ||| P ||| 我 爱 学习 ||| 4 4' ] ||
  fail "the first line differs"

# Every format writes a record for each line, including lines that cannot be translated: tests/unit/formats_read.c.
printf '我 爱 学习\n\xff\n\n她 是\n' >lines
for format in text tsv json pharaoh softalignments npy svg html; do
  expect_error 65 '^elman: lines:2: byte 1 is not valid UTF-8 text' attention --format $format -i lines -o \
    "whole.$format"
done
# NumPy reads only the first of several arrays unless it gets the open file.
expect_note '^2 arrays, one per sentence; numpy.load reads the next one each time' attention --format npy -o \
  several.npy '我 爱 学习' '她 是'
python3 - several.npy <<'END' || fail "NumPy reads other arrays"
import sys
try:
    import numpy
except ImportError:
    sys.exit(0)
with open(sys.argv[1], "rb") as file:
    shapes = [numpy.load(file).shape for _ in range(2)]
    assert [shape[1] for shape in shapes] == [3, 2] and not file.read(), shapes
END
expect_exit 0 "$ELMAN" attention --format npy -o one.npy '我 爱 学习'
expect_no_stderr
[ "$(cut -d, -f1 whole.json | tr -dc '0-9\n' | xargs)" = '1 2 3 4' ] || fail "expected one object per sentence"
[ "$(grep -c '^{"sentence":' whole.html)" -eq 4 ] || fail "expected one object per sentence"
# Each of several translations is numbered.
expect_exit 65 "$ELMAN" attention --format softalignments --n-best 2 -i lines
[ "$(sed -n 's/ ||| .*//p' "$results/stdout" | xargs)" = '0 0 1 2 3 3' ] || fail "translations are not numbered"
expect_exit 0 "$ELMAN" attention --force --format npy --n-best 1 -o one.npy 我

# Line n of a file of references belongs to sentence n.
printf '我 爱 学习\n\n她 是\n' >sources
printf 'We go\n\nI am\n' >references
expect_exit 0 "$ELMAN" attention --format json -i sources --references references
[ "$(grep -c '"forced":true' "$results/stdout")" -eq 2 ] || fail "expected two forced translations"
expect_stdout_match '^{"sentence":3,.*"text":"I am"'
expect_exit 0 "$ELMAN" attention --format json --references - '我' <<<'We go'
expect_stdout_match '"text":"We go"'

printf 'We go\n\nI am\nToo many\n' >longer
rm -f out.json
expect_error 65 '^elman: longer: has 4 lines, but there are fewer sentences' attention -o out.json -i sources \
  --references longer
[ ! -e out.json ] || fail "matrices of mismatched pairs were kept"
head -n 2 references >shorter
expect_error 65 '^elman: shorter: has 2 lines, but there are more sentences' attention -o out.json -i sources \
  --references shorter
expect_error 65 '^elman: standard input: has 2 lines, but there are more' attention -o out.json -i sources --references - <shorter
[ ! -e out.json ] || fail "matrices of mismatched pairs were kept"
expect_exit 64 "$ELMAN" attention --references - <sources

# An error in a reference names the file of references, not the sentence.
printf '我 爱 学习\n她 是\n' >s3
printf 'We go\n\n' >r3
expect_error 65 '^elman: r3:2: the reference is empty$' attention --format json -i s3 --references r3
expect_stdout_match '"error":"reference: the reference is empty"'
expect_error 65 '^elman: --reference: the reference is empty$' attention --reference ' ' '我 爱 学习'

# A format that contradicts the suffix is noted.
expect_note '^picture\.png will contain svg, although its suffix is that of png$' attention --format svg -o \
  picture.png '我 爱'
expect_exit 0 "$ELMAN" attention --format svg -o again.svg '我 爱'
expect_no_stderr

# -q suppresses notes.
expect_exit 0 "$ELMAN" attention -q '我 爱 鱼'
expect_no_stderr
