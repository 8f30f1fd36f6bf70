# Several processes give the translations and scores of one process.
. "$(dirname "$case_file")/start.sh"

"$ELMAN" train -q -t 1 --attention scaled --epochs 2 "$DATA/daily.train.zh-en.tsv" || fail "training failed"
# More than one round of batches, and lines that cannot be translated.
{ cut -f 1 "$DATA/daily.train.zh-en.tsv"; printf '\xff\xfe\n未知 词 鱻\n\n'; } >text

for options in '' '--json --beam 3' '--n-best 2 -q' \
  '-m model.safetensors -m model.safetensors --beam 2 --length-norm wu --coverage-penalty 0.2'; do
  expect_exit 65 "$ELMAN" translate $options -i text -f -o expected
  cp "$results/stderr" messages
  for count in 2 3; do
    expect_exit 65 processes $count "$ELMAN" translate $options -i text
    cmp expected "$results/stdout" || fail "the translations differ with $count processes ($options)"
    head -n "$(wc -l <messages)" "$results/stderr" | cmp messages - || fail "the messages differ"
    expect_exit 65 processes $count "$ELMAN" translate $options -f -o output <text
    cmp expected output || fail "the translations of standard input differ ($options)"
  done
done
output_to expected translate 我 我们
expect_exit 0 processes 3 "$ELMAN" translate 我 我们
cmp expected "$results/stdout" || fail "the translations of words differ"
expect_exit 0 processes 2 "$ELMAN" translate -q </dev/null
expect_stdout

# A complete line is translated before the next one is written.
mkfifo in
processes 2 "$ELMAN" translate -q <in >out &
exec 7>in
echo 我 >&7
await [ -s out ]
echo 我们 >&7
exec 7>&-
wait $! || fail "exit code $?"
cmp expected out || fail "the translations differ line by line"

for options in '' '--json --beam 2 --alignments 3 -t 1' '-m model.safetensors -m model.safetensors --json'; do
  output_to expected evaluate $options "$DATA/daily.test.zh-en.tsv"
  for count in 2 3; do
    expect_exit 0 processes $count "$ELMAN" evaluate $options "$DATA/daily.test.zh-en.tsv"
    cmp expected "$results/stdout" || fail "the scores differ with $count processes"
  done
done

# A signal ends all processes, and no files remain. mpirun forwards the signal after five seconds and kills the
# processes after another five.
for i in {1..300}; do cat text; done >long
before=$(ls -A)
changed() { [ "$(ls -A)" != "$before" ]; }
"${mpirun[@]}" --mca odls_base_sigkill_timeout 5 -n 2 "$ELMAN" translate -q -i long -o late 2>"$results/stderr" &
run=$!
await changed
kill -TERM $run
code=0
wait $run || code=$?
[ "$code" -ne 0 ] || fail "exit code 0"
! changed || fail "files remain: $(ls -A)"
