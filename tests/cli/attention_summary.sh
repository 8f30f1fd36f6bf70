# `elman attention --summary`: measures of attention over a corpus.

toy_model
cut -f1 "$DATA/toy.zh-en.tsv" >sources
cut -f2 "$DATA/toy.zh-en.tsv" >references
sentences=$(wc -l <sources)

expect_output "^translations         $sentences\$" attention --summary -i sources
expect_no_stderr
expect_stdout_match '^entropy              [0-9.]+ nats$'
expect_stdout_match '^diagonality          0\.[0-9]+$'
! grep -q 'alignment error' "$results/stdout" || fail "an alignment error rate without gold alignments"

output_to greedy attention --summary --json -i sources
expect_stdout_match '^\{"translations":[0-9]+,"empty":0,.*"diagonality":[0-9.]+\}$'
# The model reproduces the references, so forced decoding changes nothing.
expect_same greedy attention --summary --json -i sources --references references
expect_output "^\{\"translations\":$((2 * sentences))," attention --summary --json --n-best 2 -i sources
expect_exit 0 "$ELMAN" attention --summary --json -o summary.json -i sources
cmp greedy summary.json || fail "the file differs"

# Gold alignments are compared with the links of forced decoding.
paste sources references | while IFS= read -r pair; do
  source=${pair%%$'\t'*} target=${pair#*$'\t'}
  links=$("$ELMAN" attention --format pharaoh --reference "$target" "$source")
  printf '%s\t%s\n' "$pair" "$links"
done >gold.tsv
expect_output '"alignment_error_rate":0(\.0)?\}$' attention --summary --json --alignments 3 -i gold.tsv
expect_output '^alignment error rate 0\.00 %$' attention --summary --alignments 3 -i gold.tsv

# The text shows the values of the JSON object, proportions as percentages.
output_to measures.json attention --summary --json --override uniform -i sources
expect_exit 0 "$ELMAN" attention --summary --override uniform -i sources
python3 - measures.json "$results/stdout" <<'END' || fail "text and JSON differ"
import json, sys
measures = json.load(open(sys.argv[1]))
shown = {line[:20].strip(): float(line[20:].split()[0]) for line in open(sys.argv[2])}
for label, key, factor in [("entropy", "entropy", 1), ("of the maximum", "entropy_share", 100),
                           ("covered", "covered", 100), ("coverage distance", "coverage_distance", 1),
                           ("</s> on last token", "end_on_last", 100),
                           ("others on last token", "words_on_last", 100),
                           ("diagonality", "diagonality", 1)]:
    assert abs(shown[label] - factor * measures[key]) < 0.0051, (label, shown[label], measures[key])
END

# A line with missing columns or links out of range is reported and skipped.
printf '我 爱\tI love\n我 爱\tI love\t5-0\n我 爱\tI love\t0-0\n' >lines
expect_error 65 '^elman: lines:1: skipped: the line has no column 3' attention --summary --json --alignments 3 -i lines
expect_stderr_match '^elman: lines:2: alignment 5-0 is out of range'
expect_stdout_match '^\{"translations":1,.*"aligned":1,'
# If a line is truncated at the length limit, its alignment may be incomplete.
expect_error 65 '^elman: gold.tsv:[0-9]*: skipped: the line has more than 21 bytes' attention --summary --json \
  --alignments 3 --max-bytes 21 -i gold.tsv

# --columns in another order reverses the alignments.
awk -F'\t' -v OFS='\t' '{
  n = split($3, links, " "); turned = ""
  for (i = 1; i <= n; i++) { split(links[i], of, "-"); turned = turned " " of[2] "-" of[1] }
  print "x", $2, turned, $1 }' gold.tsv >turned.tsv
output_to by_gold attention --summary --json --alignments 3 -i gold.tsv
expect_same by_gold attention --summary --json --alignments 3 --columns 4,2 -i turned.tsv
expect_error 65 '^elman: turned.tsv:1: skipped: the line has no column 5' attention --summary --json --alignments 3 \
  --columns 4,5 -i turned.tsv
expect_refused --alignments attention --summary --alignments 3 --columns 2,3 -i gold.tsv
expect_exit 64 "$ELMAN" attention --summary --alignments 3 --columns 2 -i gold.tsv

printf '我 爱\tI love\tnote\n' >lines
# Without --alignments, all columns are treated as the sentence, with one note.
expect_note '^lines:1: contains a tab; the whole line, with all its columns, is treated as one sentence$' attention \
  --summary -i lines
[ "$(grep -c 'contains a tab' "$results/stderr")" -eq 1 ] || fail "the note is printed more than once"
expect_no_note 'contains a tab' attention --summary --alignments 3 -i gold.tsv

expect_exit 64 "$ELMAN" attention --summary --alignments 3 '我'
expect_exit 64 "$ELMAN" attention --summary --alignments 2 -i gold.tsv
