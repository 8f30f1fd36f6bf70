# Output that cannot be written is an error; a file is replaced as a whole or not at all.

toy_model
for command in help --version inspect 'inspect --json' 'translate 我' 'attention 我' \
  "evaluate $DATA/toy.zh-en.tsv"; do
  code=0
  "$ELMAN" $command >/dev/full 2>"$results/stderr" || code=$?
  [ $code -eq 74 ] || fail "$command: exit code $code instead of 74 when the disk is full"
  expect_stderr_match '^elman: standard output: cannot write: No space left'
  code=0
  "$ELMAN" $command >&- 2>"$results/stderr" || code=$?
  [ $code -eq 74 ] || fail "$command: exit code $code instead of 74 without stdout"
done
expect_exit 74 "$ELMAN" translate -o /dev/full 我
expect_stderr_match '^elman: /dev/full: cannot write: '

# The reader of a pipe goes away: no message.
yes 我 | head -n 100000 >many
"$ELMAN" translate -q -i many 2>"$results/stderr" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" -eq 141 ] || fail "no exit code of SIGPIPE"
expect_no_stderr

# The old file survives whatever goes wrong.
echo precious >old
expect_exit 66 "$ELMAN" translate -m nowhere -o old 我
# The quota would hold for a file with the messages too. A kilobyte is what clang's OpenMP needs.
head -n 1000 many >"$results/some"
(ulimit -f 1 && "$ELMAN" translate -i "$results/some" -o old) 2>&1 | cat >"$results/stderr"
[ "${PIPESTATUS[0]}" -eq 74 ] || fail "no exit code 74 for a full quota"
expect_stderr_match '^elman: .*old: cannot write: '
sleep 5 | expect_exit 130 timeout --foreground --preserve-status -s INT 1 "$ELMAN" translate -o old ||
  exit 1
[ "$(cat old)" = precious ] || fail "the old file is lost"
expect_files many model.safetensors old

# A symbolic link stays one.
ln -s old link
expect_exit 0 "$ELMAN" translate -o link '我 爱 学习'
[ -L link ] && [ "$(cat old)" = 'I love studying' ] || fail "the link was replaced"

expect_exit 73 "$ELMAN" translate -o . 我
expect_exit 73 "$ELMAN" translate -o no/such 我
expect_stderr_match '^elman: no/such: cannot create the file: No such file or directory$'
