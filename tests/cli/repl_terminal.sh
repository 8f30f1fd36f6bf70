# The REPL at a terminal, which `script` plays. What is typed comes back on it, CRLF and all.

. "$(dirname "$case_file")/repl_player"
toy_model
cp model.safetensors other.safetensors
echo broken >broken.safetensors

for locale in C.UTF-8 C; do
  rm -f m.json n.json
  session $locale :help '我 爱 学习' :dump ':dump m.json' ':dump m.gif' '我爱猫' ':attention on' \
    '我 爱 学习' ^C ':attention maybe' ':model broken.safetensors' ':model other.safetensors' \
    ':dump n.json' :quti '   ' '  :attention  off' '：attention　on ' $'\u3000： dump' '：att maybe' ^D
  expect_stdout_match ':help lists the commands$'
  expect_stdout_match '(^|> )I love studying$'
  expect_stdout_match '^  :attention '
  expect_stdout_match '(^|> )elman: :dump: name a file'
  expect_stdout_match '(^|> )wrote m.json$'
  expect_stdout_match '(^|> )elman: m.gif: unknown suffix; use one of: \.txt \.json '
  expect_stdout_match '(^|> )not in the vocabulary: 猫 \(1 of 3 words\)$'
  expect_stdout_match '(^|> )studying [·░▒▓█ ]+$'
  expect_stdout_match "(^|> )elman: :attention: use"
  expect_stdout_match '(^|> )elman: broken.safetensors'
  expect_stdout_match '(^|> )the previous model stays loaded$'
  expect_stdout_match '(^|> )loaded other.safetensors$'
  expect_stdout_match '(^|> )elman: :dump: nothing has been translated yet$'
  expect_stdout_match "(^|> )elman: unknown command ':quti'; did you mean ':quit'\?$"
  [ "$(grep -c 'elman: :dump: nothing has been translated yet' "$results/stdout")" -eq 2 ] ||
    fail "blanks and a full-width colon"
  [ "$(grep -c 'elman: :attention: use' "$results/stdout")" -eq 2 ] || fail "a name's start"
  [ "$(grep -c 'unknown command\|vocabulary' "$results/stdout")" -eq 2 ] || fail "a command is a sentence"
  ! grep -q 'never mind.*elman' "$results/stdout" || fail "Ctrl-C did not clear the line"
  grep -q '"translation":"I love studying"' m.json || fail "the dump differs"
  rm m.json
done

# Letters at full width are a command too; a short name that is none, words behind one that takes none,
# and sentences that look as if somebody wanted to leave.
session C.UTF-8 '：ａｔｔ　ｏｎ' '我 爱 学习' :attn ':q now' exit 退出 help :q
expect_stdout_match '(^|> )studying [·░▒▓█ ]+$'
expect_stdout_match "unknown command ':attn'; did you mean ':attention'\?$"
expect_stdout_match "elman: ':quit' takes no argument; remove 'now'$"
expect_stdout_match "^'exit' was treated as a sentence; ':quit' or Ctrl-D quits$"
expect_stdout_match "^'退出' was treated as a sentence; ':quit' or Ctrl-D quits$"
expect_stdout_match "^'help' was treated as a sentence; ':help' lists the commands$"
expect_stdout_match 'not in the vocabulary: exit \(1 of 1 word\)$'

# A dump holds all translations of the sentence.
options='--n-best 2'
session C.UTF-8 '我 爱 学习' ':dump two.json' :q
expect_stdout_match '(^|> )  1\. I love studying \(-0\.[0-9]+\)$'
expect_stdout_match '(^|> )  2\. .+ \(-[0-9.]+\)$'
options=
[ "$(grep -c '^{"sentence":1,"hypothesis":[12],' two.json)" -eq 2 ] || fail "not two translations"

# What is shown and dumped is in words where the model has parts of them, unless parts are asked for.
"$ELMAN" train -q -t 1 --hidden-size 8 --subwords 5 -o parts.safetensors "$DATA/toy.zh-en.tsv" ||
  fail "no model with parts"
session C.UTF-8 ':units subwords' ':model parts.safetensors' '我 爱 学习' ':dump words.json' ':units subwords' \
  ':dump parts.json' ':units letters' ':model other.safetensors' ':att on' '我 爱 学习' :q
[ "$(grep -c 'elman: .*\.safetensors: has no subwords: .*use :units words or :units tokens$' "$results/stdout")" -eq 2 ] ||
  fail "subwords of a model that has none"
expect_stdout_match '(^|> ):units is reset to auto$'
expect_stdout_match "(^|> )elman: :units: use ':units auto', "
expect_stdout_match '(^|> )studying [·░▒▓█ ]+$'
grep -q '"target_units":"words"' words.json || fail "parts without being asked for"
! grep -q '"target_units"' parts.json || fail "words although parts were asked for"

# :quit leaves too. The history is its owner's alone; a build without readline keeps none and takes the
# tabulator for a blank.
session C.UTF-8 $':att\tmaybe' $'：atten\tnever' $':set be\t4' $':units subw\t' :quit
[ "$(grep -c 'elman: :attention: use' "$results/stdout")" -eq 2 ] || fail "the tabulator"
if [ -e state ]; then
  expect_stdout_match '^beam is 4$'
  expect_stdout_match ': has no subwords: '
  [ "$(stat -c %a state/elman/history state/elman | tr '\n' ' ')" = '600 700 ' ] || fail "modes"
  grep -qx '我 爱 学习' state/elman/history || fail "the history lacks a line"
  grep -qx ':attention maybe' state/elman/history || fail "a command was not completed"
  grep -qx '：attention never' state/elman/history || fail "nor one with a full-width colon"
  ! grep -q 'never mind' state/elman/history || fail "the history has a line that was cleared"
fi
