# Translations and scores of several processes are those of one.
. "$(dirname "$case_file")/start.sh"

"$ELMAN" train -q -t 1 --attention scaled --epochs 2 "$DATA/daily.train.zh-en.tsv" || fail "cannot train"
# More than a round of batches, and what cannot be translated.
{ cut -f 1 "$DATA/daily.train.zh-en.tsv"; printf '\xff\xfe\n未知 词 鱻\n\n'; } >text

for options in '' '--json --beam 3' '--n-best 2 -q' \
  '-m model.safetensors -m model.safetensors --beam 2 --length-norm wu --coverage-penalty 0.2'; do
  expect_exit 65 "$ELMAN" translate $options -i text -o expected
  cp "$results/stderr" messages
  for count in 2 3; do
    expect_exit 65 processes $count "$ELMAN" translate $options -i text
    cmp expected "$results/stdout" || fail "another translation by $count processes ($options)"
    head -n "$(wc -l <messages)" "$results/stderr" | cmp messages - || fail "other messages"
    expect_exit 65 processes $count "$ELMAN" translate $options -o output <text
    cmp expected output || fail "another translation of standard input ($options)"
  done
done
expect_exit 0 "$ELMAN" translate 我 我们
cp "$results/stdout" expected
expect_exit 0 processes 3 "$ELMAN" translate 我 我们
cmp expected "$results/stdout" || fail "another translation of words"
expect_exit 0 processes 2 "$ELMAN" translate -q </dev/null
expect_stdout

# Nobody waits for what is not yet written.
mkfifo in
processes 2 "$ELMAN" translate -q <in >out &
exec 7>in
echo 我 >&7
await [ -s out ]
echo 我们 >&7
exec 7>&-
wait $! || fail "exit code $?"
cmp expected out || fail "another translation line by line"

for options in '' '--json --beam 2 --alignments 3 -t 1' '-m model.safetensors -m model.safetensors --json'; do
  expect_exit 0 "$ELMAN" evaluate $options "$DATA/daily.test.zh-en.tsv"
  cp "$results/stdout" expected
  for count in 2 3; do
    expect_exit 0 processes $count "$ELMAN" evaluate $options "$DATA/daily.test.zh-en.tsv"
    cmp expected "$results/stdout" || fail "other scores by $count processes"
  done
done

# A signal ends all of them, and leaves nothing behind. mpirun passes it on after that many seconds, and
# kills after as many more.
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
! changed || fail "left behind: $(ls -A)"
