# Control and bidirectional characters are escaped on a terminal, which `script` emulates, and unchanged
# in files and pipes.

command -v script >/dev/null || exit 77
# C0 (ESC), DEL, C1 (U+009B is ESC [ in one character) and bidirectional controls, in tokens that only white
# space separates.
bad=$'a\e[31mb\x7fc\u009bd\u202ee\u2066f\u200fg\u200b\U000e0041\u061ch'
seen='a\u{1B}[31mb\u{7F}c\u{9B}d\u{202E}e\u{2066}f\u{200F}g\u{200B}\u{E0041}\u{61C}h'
printf '我 爱\t%s x\n我\t%s\n' "$bad" "$bad" >pairs.tsv
# Training drops such characters, but a model of another origin can have them in its vocabulary.
printf '我 爱\tBAD x\n我\tBAD\n' >words.tsv
"$ELMAN" train -q -t 1 --target-tokens space --source-tokens space words.tsv || fail "training failed"
alter model.safetensors model.safetensors '
for key, value in metadata.items():
    metadata[key] = value.replace("BAD", json.dumps(arguments[0])[1:-1])' "$bad"

# at_terminal EXPECTED COMMAND...: the terminal shows the line EXPECTED and no invisible characters.
at_terminal() {
  local expected=$1
  shift
  : >typescript
  script -qefc "$(printf '%q ' "$@")" typescript </dev/null >/dev/null || :
  tr -d '\r' <typescript | sed '/^Script /d' >"$results/stdout"
  grep -qF -e "$expected" "$results/stdout" || fail "the terminal does not show: $expected"
  ! LC_ALL=C grep -q -e $'[\e\x7f]' -e $'\xc2\x9b' -e $'\xe2\x80\xae' -e $'\xe2\x81\xa6' \
    -e $'\xe2\x80\x8f' -e $'\xe2\x80\x8b' -e $'\xd8\x9c' "$results/stdout" || fail "control characters in the output of: $*"
}

at_terminal "$seen x" "$ELMAN" translate '我 爱'
at_terminal "0 ||| $seen x |||" "$ELMAN" translate --n-best 2 '我 爱'
at_terminal '\u202ee\u2066f\u200fg\u200b\udb40\udc41\u061ch",' "$ELMAN" translate --json '我'
at_terminal "not in the vocabulary: $seen" "$ELMAN" translate "$bad"
at_terminal "$seen" "$ELMAN" attention '我 爱'
at_terminal "我 爱 | $seen x" "$ELMAN" corpus check --max-ratio 1.01 pairs.tsv
at_terminal "$seen" "$ELMAN" inspect --vocabulary target
at_terminal "elman: $seen: " "$ELMAN" translate -m "$bad" '我'

# A text with several lines stays one on a terminal.
at_terminal "$seen x" "$ELMAN" translate $'我 爱\n我'
expect_stdout_match '^a[^ ]*h$'

expect_exit 0 "$ELMAN" translate '我 爱' '我'
expect_stdout "$bad x" "$bad"
expect_no_stderr
expect_exit 0 "$ELMAN" translate -o file '我'
printf '%s\n' "$bad" | cmp - file || fail "the file differs"

# The output of the REPL on a terminal and in a file.
at_repl() { # at_repl REDIRECTION
  : >typescript
  { until grep -q '^> ' typescript; do sleep 0.05; done; printf '我 爱\n:quit\n'; } |
    script -qefc "exec $ELMAN repl -q $1" typescript >/dev/null || fail "exit code $?"
  tr -d '\r' <typescript >"$results/stdout"
}
at_repl ''
expect_stdout_match '(^|> )a\\u\{1B\}\[31mb\\u\{7F\}c.*\\u\{202E\}e.*h x$'
at_repl '>answers'
printf '%s x\n' "$bad" | cmp - answers || fail "the answers in a file differ"
