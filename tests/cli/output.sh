# A failing write is an error; a file is replaced completely or not at all.

toy_model
toy=$DATA/toy.zh-en.tsv
for command in help --version inspect 'inspect --json' 'translate 我' 'attention 我' 'trace 我 I' "evaluate $toy" \
  "evaluate --hypothesis $toy --reference $toy" "score $toy" "corpus check $toy" "subwords learn -n 5 $toy" \
  "subwords apply -m $DATA/everyday.zh-en.safetensors -i $toy"; do
  expect_message 74 '^elman: standard output: cannot write: No space left' on_full_disk "$ELMAN" $command
  code=0
  "$ELMAN" $command >&- 2>"$results/stderr" || code=$?
  [ $code -eq 74 ] || fail "$command: exit code $code instead of 74 without stdout"
done
expect_error 74 '^elman: /dev/full: cannot write: ' translate -o /dev/full 我

# If the reader of a pipe ends, there is no message.
yes 我 | head -n 100000 >many
"$ELMAN" translate -q -i many 2>"$results/stderr" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" -eq 141 ] || fail "expected the exit code of SIGPIPE"
expect_no_stderr

# The same holds if the write of a full buffer fails in the middle of a line.
yes '她 是 我 的 老师' | head -n 1000 >lines
for options in '' '--n-best 2' '--json'; do
  "$ELMAN" translate -q $options -i lines 2>"$results/stderr" | head -n 1 >/dev/null
  [ "${PIPESTATUS[0]}" -eq 141 ] || fail "translate $options: expected the exit code of SIGPIPE"
  expect_no_stderr
  expect_message 74 '^elman: standard output: cannot write: No space left on device$' on_full_disk "$ELMAN" translate -q \
    $options -i lines
done
"$ELMAN" repl -q <lines 2>"$results/stderr" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" -eq 141 ] || fail "repl: expected the exit code of SIGPIPE"
expect_no_stderr
rm lines

# After an error the old file is unchanged.
echo precious >old
expect_exit 66 "$ELMAN" translate -m nowhere -f -o old 我
# The limit would also apply to a file with the messages.
(ulimit -f 8 && "$ELMAN" translate -q -f -o old -i many) 2>&1 | cat >"$results/stderr"
[ "${PIPESTATUS[0]}" -eq 74 ] || fail "expected exit code 74 at the file size limit"
expect_stderr_match '^elman: .*old: cannot write: '
ready() { ls old.*.tmp >/dev/null 2>&1; }
mkfifo pipe
exec 3<>pipe
expect_signal_exit INT 130 "$ELMAN" translate -f -o old -i pipe
expect_signal_exit TERM 143 "$ELMAN" attention -f -o old -i pipe
exec 3>&-
rm pipe
[ "$(cat old)" = precious ] || fail "the old file changed"
expect_files many model.safetensors model.safetensors.checkpoint old

# If one of several files cannot be written, none is replaced.
printf '1 2\n3 4\n' >keys
echo $(seq 4000) >wide
echo $(seq 4000) >>wide
for part in scores weights context; do cp old m.$part.npy; done
(ulimit -f 8 && "$ELMAN" attention --matrices -f -o m.npy keys keys wide) 2>&1 | cat >"$results/stderr"
[ "${PIPESTATUS[0]}" -eq 74 ] || fail "expected exit code 74 at the file size limit"
expect_stderr_match '^elman: m\.context\.npy: cannot write: File too large$'
for part in scores weights context; do cmp old m.$part.npy || fail "m.$part.npy was replaced"; done
rm keys wide m.*.npy
expect_files many model.safetensors model.safetensors.checkpoint old

# A file that another program creates during the run is kept, too.
mkfifo pipe
"$ELMAN" translate -q -o late -i pipe 2>"$results/stderr" &
exec 3>pipe
until ls late.*.tmp >/dev/null 2>&1; do sleep 0.05; done
echo precious >late
exec 3>&-
code=0
wait $! || code=$?
[ $code -eq 73 ] || fail "exit code $code although the file exists"
expect_stderr_match '^elman: late: was created by another program while this command ran, and is kept; add --force to overwrite it, or name another file$'
[ "$(cat late)" = precious ] || fail "the file was replaced"
rm late pipe
expect_files many model.safetensors model.safetensors.checkpoint old

expect_exit 73 "$ELMAN" translate -o . 我

# Standard input can be read only once.
expect_refused 'standard input' evaluate --source - --target -
expect_refused 'standard input' train - - <many

# timeout sends its signal to the program and then to its process group. The second signal must not end the
# program early; no incomplete file remains.
yes '我 爱 学习' | head -1000000 >endless
for try in 1 2 3 4 5 6; do
  expect_exit 124 timeout -s INT 0.5 "$ELMAN" attention --format json -o result.json -i endless
  [ -z "$(find . -name 'result.json*')" ] || fail "files remain: $(find . -name 'result.json*')"
done
