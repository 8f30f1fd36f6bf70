# Help goes to stdout with exit code 0. A wrong command line gives 64 and nothing on stdout.

expect_exit 64 "$ELMAN"
expect_stdout
expect_stderr_match '^Usage: elman COMMAND'

expect_prints 'elman 0.1.0' --version

# Details for a bug report; the BLAS family, if one was chosen.
expect_output '^elman 0.1.0$' --version --verbose
expect_stdout_match '^BLAS +OpenBLAS [0-9]'
expect_stdout_match "^kernels +${OPENBLAS_CORETYPE:-[A-Za-z0-9_]+}, "
expect_stdout_match '^threads +[1-9][0-9]*$'
if [ -n "${OPENBLAS_CORETYPE-}" ]; then
  expect_stdout_match 'set by OPENBLAS_CORETYPE'
fi
expect_refused "--version: unexpected '--verbos'" --version --verbos

for ask in help --help -h; do
  expect_output '^  translate ' $ask
  expect_no_stderr
done

list_commands >commands
grep -qx 'corpus check' commands || fail "subcommands are missing: $(xargs <commands)"
for command in corpus subwords; do
  echo $command
done >>commands
while read -r command; do
  expect_output "^Usage: elman $command " $command --help
  expect_no_stderr
  cp "$results/stdout" first
  expect_same first help $command
  [ "$(wc -L <first)" -le 100 ] || fail "help $command has a line of more than 100 columns"
  # The usage has -o if and only if the output has no default.
  output=$(sed -Ez 's/\n {10,}/ /g' first | grep '^  -o, ') &&
    [ "$(head -n 1 first | grep -c -e ' -o ')" = "$(grep -c '(default: ' <<<"$output")" ] &&
    fail "help $command: the usage and --output disagree about -o"
done <commands

# Many options are grouped, in a fixed order; few options form one list.
expect_exit 0 "$ELMAN" help train
groups_in_help <"$results/stdout" | grep ':' | xargs >found
[ "$(cat found)" = 'Input: Output: Training: Validation: Optimization: Regularization: Augmentation: Network: Attention: Tokenization: General:' ] ||
  fail "wrong groups of train: $(cat found)"
expect_output '^Options:$' help average

# Help names the defaults, also after other options.
expect_output '--batch-size N .*default: 32' train --batch-size 7 --help

# Help names the defaults of a preset.
preset() { # preset NAME OPTION=DEFAULT...
  expect_exit 0 "$ELMAN" train --preset "$1" --help
  # Join an option and the continuation lines of its text.
  sed -Ez 's/\n {10,}/ /g' -i "$results/stdout"
  for default in "${@:2}"; do
    expect_stdout_match "--${default%=*} .*default: ${default#*=}\\)"
  done
}
preset plain embedding-size=128 dropout=0 attention=dot
! grep -q 'default: on' "$results/stdout" || fail "the preset plain turns on a switch"

# Help names what replaces a default: the model, the names of the files, or another option.
has_default() { # has_default COMMAND OPTION DEFAULT
  "$ELMAN" "$1" --help | sed -Ez 's/\n {10,}/ /g' | grep -q -e "^ *--$2 .*(default: $3)\$" ||
    fail "help of $1: --$2 lacks '(default: $3)'"
}
for command in translate repl attention evaluate; do
  has_default $command beam '1, or as stored in the model'
  has_default $command length-penalty '1, or as stored in the model'
  has_default $command precision 'float32, or int8 for an int8 file'
done
has_default train guide-weight '0.3 with --guide'
has_default gradcheck guide-weight '0.3 with --guide'
has_default train target-language 'from the names of the files'
preset quick optimizer=muon epochs=6 drop-source-mark=0.05
preset small cell=gru subwords=4000 dropout=0.3 bidirectional=on
preset strong hidden-size=512 dropout=0.45 tie-embeddings=on

expect_refused "unknown command 'trian'; did you mean 'train'\?" trian
for pair in 'quantize convert' 'subwords:train learn' 'subwords:encode apply'; do
  command=${pair% *}
  expect_refused "unknown command '${command#*:}'; did you mean '${pair#* }'\?" ${command/:/ }
done
expect_refused "unknown command 'hlep'; did you mean 'help'\?" hlep
# A word that differs in two of three letters gets no suggestion.
for other in xyzzy hex rex; do
  expect_refused "unknown command '$other'" help $other
  ! grep -q 'did you mean' "$results/stderr" || fail "a suggestion for $other"
done
expect_refused "unknown command 'check'; did you mean 'corpus check'\?" check
expect_refused "unknown command 'version'; did you mean '--version'\?" version
expect_refused "unknown option '--translate'; did you mean 'translate'\?" --translate
expect_output '^Usage: elman corpus check' --help corpus check
expect_refused "unknown option '--frob'" --frob

# ---- the manual page ----

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
