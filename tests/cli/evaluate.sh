# `elman evaluate` with a model: scores as text and as JSON.

toy_model
toy=$DATA/toy.zh-en.tsv
expect_output '^sentences +5$' evaluate "$toy"
expect_stdout_match '^exact match +100\.00 %$'
expect_stdout_match '^BLEU +[0-9]+\.[0-9]{2}$'
expect_stdout_match '^chrF2 +100\.00$'
expect_stdout_match '^BLEU signature +nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:elman-[0-9.]+$'
expect_stdout_match '^chrF2 signature +nrefs:1\|case:mixed\|eff:yes\|nc:6\|nw:0\|space:no\|version:elman-[0-9.]+$'

expect_exit 0 "$ELMAN" evaluate -q --json "$toy"
expect_no_stderr
expect_stdout_match '^\{"sentences":5,"tokens":25,"loss":0\.[0-9e-]+,"perplexity":1\.[0-9]+,"exact_match":1,"unknown_source":0,"unknown_target":0,"bleu":[0-9.]+,"bleu_precisions":\[100(,[0-9.]+){3}\],"brevity_penalty":1,"hypothesis_length":[0-9]+,"reference_length":[0-9]+,"chrf":100,"bleu_signature":"nrefs:1\|[^"]*","chrf_signature":"nrefs:1\|[^"]*"\}$'

# A sentence that is too long is reported.
{ cat "$toy"; printf '我%.0s ' {1..5001}; printf '\tI\n'; } >long
expect_output '^sentences +5$' evaluate long
expect_stderr_match '^1 pair skipped: a side has more than 5,000 tokens$'
# Normalization can make a sentence too long: NFKC converts ﷺ to 18 characters.
expect_exit 0 "$ELMAN" train -q --epochs 1 --source-tokens chars -o characters "$toy"
{ cat "$toy"; for ((i = 0; i < 400; i++)); do printf 'ﷺ'; done; printf '\tI love\n'; } >grows
expect_note '^1 pair skipped: a side has more than 5,000 tokens$' evaluate -m characters grows

# Unknown words and wrong translations lower the scores.
printf '我 爱 猫\tI love cats\n' >other
expect_output '"exact_match":0,"unknown_source":1,"unknown_target":1' evaluate -q --json other

# Reversed columns.
expect_note "^25 of 30 target tokens are not in the model's vocabulary; " evaluate --columns 2,1 "$toy"

# Gold alignments in a third column.
printf '我 爱 学习\tI love studying\t0-0 1-1 2-2\n' >aligned
expect_output '"aligned_words":3,"alignment_agreement":(0|0\.[0-9]+|1),"bleu":' evaluate -q --json --alignments 3 \
  aligned
expect_output '^alignment agreement +[0-9.]+ %$' evaluate -q --alignments 3 aligned
printf '我 爱 学习\tI love studying\t0-0 7-7\n' >misaligned
expect_exit 65 "$ELMAN" evaluate -q --strict --alignments 3 misaligned
expect_stdout
# A column with other contents is reported with its line.
printf '我 爱 学习\tI love studying\t0-0 1-1 2-2\n我 爱\tI love\tnote\n' >other
expect_error 65 '^elman: other:2: "note" is not an alignment of the form i-j; check the column or file$' evaluate -q \
  --alignments 3 other
expect_error 65 '^elman: standard input:2: ' evaluate -q --alignments 3 - <other

# The message names the right one of several files; skipped lines count.
expect_exit 65 "$ELMAN" evaluate -q -t 1 --alignments 3 aligned misaligned
expect_stderr_match '^elman: misaligned:1: alignment 7-7 is out of range: i-j counts from 0, and the sides have 3 and 3 words$'
printf '\nbad\r\n' | cat - other >late
expect_error 65 '^elman: late:4: "note" is not an alignment' evaluate -q --alignments 3 aligned late aligned

# If no line has the column, the error gives the reason, also with -q.
expect_exit 65 "$ELMAN" evaluate -q --columns 1,5 "$toy" aligned
expect_stderr_match '^elman: no usable sentence pair; 6 lines skipped; the first, .*toy.zh-en.tsv:1, has [0-9]+ columns; column 5 is required '

: >empty
expect_exit 65 "$ELMAN" evaluate empty

# The scores are those of the output of `translate`.
cut -f 1 "$toy" >source
cut -f 2 "$toy" | sed 's/love/like/' >target
paste source target >pairs
"$ELMAN" translate -q <source >output
for options in '--bleu-tokens 13a' '--bleu-tokens char --lowercase --chrf-lowercase' ''; do
  expect_exit 0 "$ELMAN" evaluate -q --json $options pairs
  grep -o '"bleu":.*' "$results/stdout" >with_model
  expect_exit 0 "$ELMAN" evaluate -q --json $options --hypothesis output --reference target
  grep -o '"bleu":.*' "$results/stdout" >without_model
  cmp with_model without_model || fail "the scores with and without a model differ"
done

# ---- scores of files, without a model ----

fresh
# `elman evaluate --hypothesis`: scores of files, without a model.
printf '%s\n' 'The cat sat on the mat.' 'It is 3.5% of 1,000.' '' >reference
printf '%s\n' 'the cat sat on the mat .' 'It was 3.5% of 1,000.' 'x' >first
printf '%s\n' 'a cat lay on a rug.' 'It is a tenth.' '' >second

# The scores are those of sacreBLEU.
expect_exit 0 "$ELMAN" evaluate --hypothesis first --reference reference
expect_no_stderr
expect_stdout 'sentences            3' \
  'BLEU                 71.58' \
  'BLEU precisions      80.0 / 75.0 / 70.0 / 62.5' \
  'brevity penalty      1.000 (15 words, reference 14)' \
  'chrF2                86.91' \
  'BLEU signature       nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:elman-0.1.0' \
  'chrF2 signature      nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:elman-0.1.0'
expect_exit 0 "$ELMAN" evaluate --json --lowercase --chrf-lowercase --bleu-tokens none --hypothesis first --reference reference
expect_stdout_match '^\{"sentences":3,"bleu":51\.29497[0-9]*,.*"chrf":90\.37999[0-9]*,"bleu_signature":"nrefs:1\|case:lc\|eff:no\|tok:none\|'

# Several references; standard input; CRLF, a byte order mark and a missing last line feed.
printf '\xef\xbb\xbfthe cat sat on the mat .\r\nIt was 3.5%% of 1,000.\r\nx' >dos
expect_output '"bleu":100(,|\.0)' evaluate --json --hypothesis - --reference reference --reference dos <first
expect_stdout_match '"bleu_signature":"nrefs:2\|case:mixed'

# Two hypotheses are compared; the result is reproducible.
compare() { "$ELMAN" evaluate --hypothesis first --hypothesis second --reference reference "$@"; }
expect_exit 0 compare
expect_stdout_match '^hypothesis +second$'
expect_stdout_match '^BLEU resampled +[0-9.]+ ± [0-9.]+$'
expect_stdout_match '^chrF2 p-value +[01]\.[0-9]{4}$'
expect_stdout_match '^BLEU signature +nrefs:1\|bs:1000\|seed:1\|case:mixed\|'
cp "$results/stdout" once
expect_exit 0 compare --seed 1 --resamples 1000
cmp once "$results/stdout" || fail "the same seed gives another result"
expect_exit 0 compare --json --seed 2 --resamples 50
expect_stdout_match '^\{"sentences":3,"hypotheses":\[\{"number":1,"bleu":[^]]*\].*"bleu_mean":.*\{"number":2,.*,"bleu_p_value":[0-9.]+,"chrf_p_value":[0-9.]+\}\],"resamples":50,"seed":2,"bleu_signature":"nrefs:1\|bs:50\|seed:2\|'

# Any number of hypotheses: each against the first, and the p-values of all pairs; TER only on request.
printf '%s\n' 'The mat on cat the sat.' 'It is 3.5% of 1,000.' '' >third
expect_exit 0 compare --hypothesis third --ter
[ "$(grep -cE '^BLEU p-value +[01]\.[0-9]{4}$' "$results/stdout")" -eq 2 ] || fail "expected two p-values against the first"
[ "$(grep -cE '^TER +[0-9]+\.[0-9]{2}$' "$results/stdout")" -eq 3 ] || fail "expected three scores"
expect_stdout_match '^p-values of chrF2 +1 +2 +3$'
expect_stdout_match '^3 +[01]\.[0-9]{4} +[01]\.[0-9]{4} +-$'
expect_stdout_match '^TER signature +nrefs:1\|bs:1000\|seed:1\|case:lc\|tok:tercom\|norm:no\|punct:yes\|asian:no\|'
if command -v python3 >/dev/null; then
  compare --hypothesis third --ter --json >scores.json
  python3 - scores.json <<'END' || fail "the matrix differs from the p-values against the first"
import json, sys
found = json.load(open(sys.argv[1]))
for metric in ("bleu", "chrf", "ter"):
    matrix = found[metric + "_p_values"]
    assert [one[metric + "_p_value"] for one in found["hypotheses"][1:]] == matrix[0][1:], matrix
    assert all(matrix[a][b] == matrix[b][a] and matrix[a][a] == 1 for a in range(3) for b in range(3)), matrix
END
fi
expect_exit 0 "$ELMAN" evaluate --hypothesis first --reference reference
! grep -q TER "$results/stdout" || fail "TER without --ter"
expect_output '^TER +[0-9.]+$' evaluate --ter --hypothesis first --reference reference

expect_note '^hypotheses 1 and 3 are equal, so their p-values are 1$' evaluate --hypothesis first --hypothesis second \
  --hypothesis first --reference reference
expect_no_note 'TER counts words' evaluate --ter --hypothesis first --reference reference
printf '我爱你。\n我们去学校。\n' >chinese
expect_note '^TER counts words between spaces, ' evaluate --ter --hypothesis chinese --reference chinese

# Scores of sentences as a table, without a model and with one.
printf 'a\tb c.\n' >tabbed
printf 'a b c.\n' >plain
expect_exit 0 "$ELMAN" evaluate --ter --sentence-scores table --hypothesis tabbed --hypothesis plain --reference plain
printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' sentence system bleu chrf ter translation reference \
  1 tabbed 100.00 100.00 0.00 'a b c.' 'a b c.' 1 plain 100.00 100.00 0.00 'a b c.' 'a b c.' | cmp - table ||
  fail "the table differs: $(cat table)"
printf '=1+1\n' >formula
printf '%s\n' '-1.5' >number
expect_exit 0 "$ELMAN" evaluate -q --sentence-scores formulas --hypothesis formula --reference number
[ "$(tail -n 1 formulas | cut -f 5,6)" = "'=1+1"$'\t'-1.5 ] || fail "a formula has no apostrophe: $(cat formulas)"
expect_error 73 'table' evaluate --sentence-scores table --hypothesis plain --reference plain
expect_exit 0 "$ELMAN" evaluate --force --sentence-scores table --hypothesis plain --reference plain
head -n 1 table | grep -qx $'sentence\tsystem\tbleu\tchrf\ttranslation\treference' || fail "the table has other columns"
expect_refused --sentence-scores evaluate --sentence-scores - --hypothesis plain --reference plain
expect_refused --force evaluate --force --hypothesis plain --reference plain
toy_model
{ printf '缺 列\n'; cat "$toy"; } >gaps
expect_exit 0 "$ELMAN" evaluate -q --sentence-scores table -f gaps
[ "$(wc -l <table)" -eq 6 ] || fail "expected a row per pair"
cut -f 1,2,5,6 table | tail -n +2 | diff - <(cut -f 2 "$toy" | awk -v OFS='\t' '{ print NR, "model.safetensors", $0, $0 }') ||
  fail "the rows differ"

# Wrong files.
head -n 2 reference >short
expect_error 65 '^elman: first: has 3 lines, but short has 2; ' evaluate --hypothesis first --reference short
expect_stdout
expect_error 65 'first: has 3 lines, but short has 2' evaluate --hypothesis first --reference reference --reference \
  short
printf 'good\nb\xffd\nx\n' >broken
expect_error 65 '^elman: broken:2: is not valid UTF-8 at byte 2 of the line$' evaluate --hypothesis first --reference \
  broken
head -c 17000000 /dev/zero | tr '\0' x >wide
expect_error 65 '^elman: wide: line 1 has more than 16777216 bytes; name another file$' evaluate --hypothesis wide --reference first

# Wrong command lines. option_pairs runs pairs of options.
expect_refused --hypothesis evaluate --hypothesis first
expect_refused --reference evaluate --reference reference
expect_refused --hypothesis evaluate --hypothesis first --reference reference pairs
expect_output 'tok:intl' evaluate --bleu-tokens intl --hypothesis plain --reference plain
expect_refused 'standard input' evaluate --hypothesis - --reference -
expect_refused --bleu-tokens evaluate --bleu-tokens spm pairs
