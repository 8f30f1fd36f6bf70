# The manual page and --help list equal options, in equal groups and order. Common options are described once.
# A group is a section ".SS "COMMAND: GROUP"" after that of its command. Translations of the page have equal sections, synopses, options and examples in the same order. groff prints no warning for any page.

[ -r "$MAN_PAGE" ] || fail "the manual page is missing"
# outline PAGE: the parts that do not depend on the language: lines after .TP and .SS, without names of groups, and examples without comments.
outline() {
  sed -E 's/^(\.SS "[a-z ]+)(: |：)[^"]*/\1:/' "$1" | awk '/^\.SH / { print ".SH" } /^\.SS / || named || example { sub(/ *# .*/, ""); print }
    { named = /^\.(TP|SS )/ } /^\.nf/ { example = 1 } /^\.fi/ { example = 0 }'
}
outline "$MAN_PAGE" >outline
[ "$(wc -l <outline)" -gt 300 ] || fail "the manual page has another form than this test expects"
translations=("${MAN_PAGE%.1}".*.1)
for page in "${translations[@]}"; do
  outline "$page" | diff -u outline - >&2 || fail "the structure of $page differs from that of the English page"
done
if command -v groff >/dev/null; then
  for page in "$MAN_PAGE" "${translations[@]}"; do
    timeout 60 groff -Tutf8 -mandoc -ww -K utf8 "$page" >/dev/null 2>complaints || fail "groff fails for $page"
    [ ! -s complaints ] || fail "groff: $(cat complaints)"
  done
fi

# page_options COMMAND: the options of the command's sections, \-\-name after .TP, with a line "Group:" before each group.
page_options() {
  awk -v "command=$1" '/^\.S[SH] / { inside = $0 == ".SS " command || index($0, ".SS \"" command ": ") == 1 }
    inside && /^\.SS "/ { sub(/.*: /, ""); sub(/"/, ""); print $0 ":" }
    inside && option { gsub(/\\-/, "-"); for (; match($0, /--[a-z-]+/); $0 = substr($0, RSTART + RLENGTH)) print substr($0, RSTART, RLENGTH) }
    { option = /^\.TP/ }' "$MAN_PAGE"
}

# A paragraph "See SECTION." refers several options to another section. These functions list the options that a section
# describes, and those that are referred to it.
described() {
  sed -n "/^\.SH \"$1\"\$/,/^\.SH /{/^\.TP\$/{n;s/\\\\-/-/g;p}}" "$MAN_PAGE" | grep -oE -e '--[a-z-]+' | sort
}
referred() {
  grep -Fx -B1 "See \fB$1\fR." "$MAN_PAGE" | sed 's/\\-/-/g' | grep -oE -e '--[a-z-]+' | sort -u
}
sed -n 's/^See \\fB\(.*\)\\fR\.$/\1/p' "$MAN_PAGE" | sort -u >shared
[ -s shared ] || fail "no section is referred to"
while read -r section; do
  diff -u <(referred "$section") <(described "$section") >&2 || fail "$section does not describe exactly the options that are referred to it"
done <shared

list_commands >commands
while read -r command; do
  grep -q "^\.SS $command\$" "$MAN_PAGE" || fail "the manual page lacks $command"
  expect_exit 0 "$ELMAN" $command --help
  groups_in_help <"$results/stdout" | grep -vx -e --help >options
  grep -qx -e --config options || fail "$command has no --config"
  if [ "$command" = inspect ]; then cat options; else grep -vx -e --config options; fi >in_help
  page_options "$command" >in_page
  diff -u in_help in_page >&2 || fail "--help and the manual page differ for $command"
done <commands
