# The REPL without a terminal: no prompt, no commands, one translation per line.

toy_model
printf '我 爱 学习\n\n:quit\n她 是 我 的 老师\n' >lines
expect_exit 0 "$ELMAN" repl -q <lines
expect_no_stderr
[ "$(sed -n 1p "$results/stdout")" = 'I love studying' ] || fail "the first line differs"
[ "$(sed -n 2p "$results/stdout")" = '' ] || fail "the second line is not empty"
[ "$(sed -n 4p "$results/stdout")" = 'She is my teacher' ] || fail "':quit' ended the session"

echo '我 爱 猫' >unknown
expect_note '^not in the vocabulary: 猫' repl <unknown
[ ! -e "$HOME/.local" ] || fail "a history file was written without a terminal"
