# The man page and --help name the same options; what all commands have is described once. Its translations have the same
# sections, synopses, options and examples in the same order, and groff has no complaint about any of them.

[ -r "$MAN_PAGE" ] || fail "no man page"
# outline PAGE: what does not depend on the language: what stands behind .TP and .SS, and examples without comments.
outline() {
  awk '/^\.SH / { print ".SH" } /^\.SS / || named || example { sub(/ *# .*/, ""); print }
    { named = /^\.(TP|SS )/ } /^\.nf/ { example = 1 } /^\.fi/ { example = 0 }' "$1"
}
outline "$MAN_PAGE" >outline
[ "$(wc -l <outline)" -gt 300 ] || fail "the man page has another form than this case knows"
translations=("${MAN_PAGE%.1}".*.1)
for page in "${translations[@]}"; do
  outline "$page" | diff -u outline - >&2 || fail "$page is out of step with the English page"
done
if command -v groff >/dev/null; then
  for page in "$MAN_PAGE" "${translations[@]}"; do
    timeout 60 groff -Tutf8 -mandoc -ww -K utf8 "$page" >/dev/null 2>complaints || fail "groff fails with $page"
    [ ! -s complaints ] || fail "groff: $(cat complaints)"
  done
fi

# Sections of the page: ".SS train" to the next ".S?"; options as \-\-name.
page_options() {
  sed -n "/^\.SS $1\$/,/^\.S[SH] /p" "$MAN_PAGE" | sed 's/\\-/-/g' | grep '^\.B[IR]* ' |
    grep -oE -e '--[a-z-]+' | sort -u
}

for command in train translate repl attention evaluate score average inspect gradcheck trace 'corpus check' 'corpus split' \
  'subwords learn' 'subwords apply' 'subwords show'; do
  expect_exit 0 "$ELMAN" $command --help
  grep -oE -e '^  (-[a-z],|   ) --[a-z-]+' "$results/stdout" | grep -oE -e '--[a-z-]+' |
    grep -vx -e --help >options
  if [ "$command" = inspect ]; then cat options; else grep -vx -e --config options; fi | sort >in_help
  grep -qx -e --config options || fail "$command has no --config"
  page_options "$command" >in_page
  diff -u in_help in_page >&2 || fail "--help and the man page differ for $command"
done
page_options help | grep -qx -e --completion || fail "the man page lacks help --completion"
expect_exit 0 "$ELMAN" help
sed -n 's/^  \([a-z]*\) .*/\1/p' "$results/stdout" | while read -r command; do
  grep -q "^\.SS $command\$" "$MAN_PAGE" || fail "the man page lacks $command"
done || exit 1
