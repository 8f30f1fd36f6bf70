# Heat maps with and without a terminal; `script` emulates one.

command -v script >/dev/null || exit 77
toy_model
sentence='我 爱 学习 我 爱 学习 我 爱 学习 我 爱 学习'

# at_terminal COLUMNS ARGUMENT...: the output of `elman attention` on a terminal of this width.
at_terminal() {
  local columns=$1
  shift
  printf '%q ' "$ELMAN" attention "$@" >command
  TERM=$terminal script -qefc "stty cols $columns; $(cat command)" /dev/null </dev/null | tr -d '\r' >"$results/stdout"
}
widest() { sed 's/\x1b\[[0-9;]*m//g' "$results/stdout" | wc -L; }

# Heat maps are folded to the width of the terminal. Colors leave its background unchanged.
terminal=xterm-256color
at_terminal 40 "$sentence"
[ "$(widest)" -le 40 ] || fail "wider than the terminal"
expect_stdout_match '^source tokens 1 to [1-9] of 12$'
expect_stdout_match '^source tokens [0-9]+ to 12 of 12$'
expect_stdout_match $'\e\\[38;5;33m'
! grep -q $'\e\\[\\(48\\|4[0-7]\\|7\\)[;m]' "$results/stdout" || fail "a background color is set"
at_terminal 200 "$sentence"
! grep -q '^source tokens' "$results/stdout" || fail "folded although the terminal is wide enough"
terminal=dumb
at_terminal 40 --numbers "$sentence"
! grep -q $'\e' "$results/stdout" || fail "color on a dumb terminal"
[ "$(widest)" -le 40 ] || fail "wider than the terminal"
expect_stdout_match '^ +I [01]\.[0-9]{2} '
terminal=xterm-256color
NO_COLOR=1 at_terminal 40 "$sentence"
! grep -q $'\e' "$results/stdout" || fail "color with NO_COLOR"

# Output to a pipe or a file is not folded.
expect_exit 0 "$ELMAN" attention "$sentence"
! grep -q '^source tokens' "$results/stdout" || fail "folded in a pipe"
expect_stdout_match '^weight: 0 · 0\.1 ░ 0\.3 ▒ 0\.5 ▓ 0\.7 █ 1$'
at_terminal 40 -o file.txt "$sentence"
cmp file.txt <("$ELMAN" attention "$sentence") || fail "folded in a file"

# Words that are not in the vocabulary are marked; tests/unit/formats*.c have the other formats and the numbers.
expect_output '^ +我 +恨\* +学习$' attention '我 恨 学习'
expect_stdout_match '^\* not in the vocabulary$'
