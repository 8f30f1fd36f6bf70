# Right-to-left text: isolated between other text on a terminal and in pictures, unchanged in data.

. "$(dirname "$case_file")/repl_player"
isolate=$'\u2068' end=$'\u2069'
printf '%s\n' $'I love you\tאני אוהב אותך' $'The cat sleeps.\tהחתול ישן.' $'I live in York.\tאני גר ב-York.' \
  $'What time is it?\tמה השעה?' >en-he.tsv
options='--epochs 60 --hidden-size 32 --embedding-size 16 --learning-rate 0.01'
"$ELMAN" train -q -t 1 $options -o en-he.safetensors en-he.tsv || fail "training failed"
"$ELMAN" train -q -t 1 $options --columns 2,1 -o he-en.safetensors en-he.tsv || fail "training failed"
not_isolated() { ! grep -q "[$isolate$end]" "${1:-$results/stdout}" || fail "isolates in ${1:-the output}"; }

# Text for people: heat maps, pictures, traces, examples of a corpus, messages.
expect_output "^ *${isolate}אני$end +${isolate}גר$end +${isolate}ב$end +- +York +\\.$" attention -m he-en.safetensors 'אני גר ב-York.'
expect_output "^ *${isolate}החתול$end [·░▒▓█ ]+$" attention -m en-he.safetensors 'The cat sleeps.'
expect_output "^ *\\. [·░▒▓█ ]+$" attention -m en-he.safetensors 'The cat sleeps.'
expect_output "1\\.1: What time is it\\? → ${isolate}מה השעה\\?$end<" attention -m en-he.safetensors --format svg 'What time is it?'
expect_output "  ${isolate}גר$end -> ${isolate}ב$end, loss " trace -m en-he.safetensors 'I live in York.' 'אני גר ב-York.'
expect_exit 0 "$ELMAN" corpus check --max-ratio 1.01 en-he.tsv
expect_stdout_match "^    en-he\\.tsv:[0-9]+: The cat sleeps\\. \\| ${isolate}החתול ישן\\.$end  \\(13 and 9 characters\\)$"
expect_exit 0 "$ELMAN" translate -m he-en.safetensors 'אני גר בדירה.'
expect_stderr_match "^not in the vocabulary: ${isolate}בדירה$end \\(1 of 4 words\\)$"
expect_exit 66 "$ELMAN" translate -m עברית.safetensors 'אני'
expect_stderr_match "^elman: ${isolate}עברית$end\\.safetensors: "

# Data.
for format in json tsv pharaoh softalignments; do
  expect_exit 0 "$ELMAN" attention -m he-en.safetensors --format $format 'אני גר ב-York.'
  not_isolated
done
expect_exit 0 "$ELMAN" trace -m en-he.safetensors --json 'I live in York.' 'אני גר ב-York.'
not_isolated
expect_exit 0 "$ELMAN" inspect -m he-en.safetensors --vocabulary source
not_isolated
expect_exit 0 "$ELMAN" translate -m en-he.safetensors --n-best 2 'What time is it?'
expect_stdout_match '^0 \|\|\| מה השעה\? \|\|\| logprob='
not_isolated

# The session: a translation alone is data, one in a list is not.
options='-m en-he.safetensors --n-best 2'
session C.UTF-8 'What time is it?' ':alternatives 1 2' ':reference אני גר' ':set n-best 1' 'What time is it?' ^D
expect_stdout_match "^  1\\. ${isolate}מה השעה\\?$end \\(-[0-9.e-]+\\)$"
expect_stdout_match "^token 1 of 4, ${isolate}מה$end$"
expect_stdout_match "^  \\*  [0-9. ]+%  +-[0-9.]+  ${isolate}מה$end$"
expect_stdout_match "^   2  +-[0-9.]+ +[0-9.]+ %  ${isolate}גר$end$"
expect_stdout_match '^מה השעה\?$'

# Text without right-to-left letters has no isolates.
toy_model
for format in text svg; do
  expect_exit 0 "$ELMAN" attention --format $format '我 爱 学习'
  not_isolated
done
