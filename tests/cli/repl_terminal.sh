# The REPL on a terminal that `script` emulates. The terminal echoes the input, with CRLF.

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
  expect_stdout_match "(^|> )elman: attention must be on or off, not '[a-z]*'"
  expect_stdout_match '(^|> )elman: broken.safetensors'
  expect_stdout_match '(^|> )the previous model stays loaded$'
  expect_stdout_match '(^|> )loaded other.safetensors$'
  expect_stdout_match '(^|> )elman: :dump: nothing has been translated yet$'
  expect_stdout_match "(^|> )elman: unknown command ':quti'; did you mean ':quit'\?$"
  [ "$(grep -c 'elman: :dump: nothing has been translated yet' "$results/stdout")" -eq 2 ] ||
    fail "blanks or a full-width colon before a command fail"
  [ "$(grep -c 'elman: attention must be on or off, not ' "$results/stdout")" -eq 2 ] || fail "expected the values of :attention twice"
  [ "$(grep -c 'unknown command\|vocabulary' "$results/stdout")" -eq 2 ] || fail "a command was translated as a sentence"
  ! grep -q 'never mind.*elman' "$results/stdout" || fail "Ctrl-C did not clear the line"
  grep -q '"text":"I love studying"' m.json || fail "the dump differs"
  rm m.json
done

# Full-width letters form a command, too. Also: an ambiguous abbreviation, arguments of a command that takes none,
# and sentences that look like a command to quit.
session C.UTF-8 '：ａｔｔ　ｏｎ' '我 爱 学习' :attn ':q now' exit 退出 help :q
expect_stdout_match '(^|> )studying [·░▒▓█ ]+$'
expect_stdout_match "unknown command ':attn'; did you mean ':attention'\?$"
expect_stdout_match "elman: ':quit' takes no argument; remove 'now'$"
expect_stdout_match "^'exit' was treated as a sentence; ':quit' or Ctrl-D quits$"
expect_stdout_match "^'退出' was treated as a sentence; ':quit' or Ctrl-D quits$"
expect_stdout_match "^'help' was treated as a sentence; ':help' lists the commands$"
expect_stdout_match 'not in the vocabulary: exit \(1 of 1 word\)$'

# A dump contains all translations of the sentence.
options='--n-best 2'
session C.UTF-8 '我 爱 学习' ':dump two.json' :q
expect_stdout_match '(^|> )  1\. I love studying \(-0\.[0-9]+\)$'
expect_stdout_match '(^|> )  2\. .+ \(-[0-9.]+\)$'
options=
[ "$(grep -c '^{"sentence":1,"hypothesis":[12],' two.json)" -eq 2 ] || fail "expected two translations"

# Matrices are shown and dumped in words if the model uses subwords, unless subwords are selected.
"$ELMAN" train -q -t 1 --hidden-size 8 --subwords 5 -o parts.safetensors "$DATA/toy.zh-en.tsv" ||
  fail "training failed"
session C.UTF-8 ':units subwords' ':model parts.safetensors' '我 爱 学习' ':dump words.json' ':units subwords' \
  ':dump parts.json' ':units letters' ':model other.safetensors' ':att on' '我 爱 学习' :q
[ "$(grep -c 'elman: .*\.safetensors: has no subwords: .*use :units words or :units tokens$' "$results/stdout")" -eq 2 ] ||
  fail "subwords of a model without subwords"
expect_stdout_match '(^|> ):units is reset to auto$'
expect_stdout_match "(^|> )elman: units must be one of auto, .*, not 'letters'"
expect_stdout_match '(^|> )studying [·░▒▓█ ]+$'
grep -q '"target_units":"words"' words.json || fail "words are not the default"
! grep -q '"target_units"' parts.json || fail "words although subwords are selected"

# :quit ends the session. Only the owner can read the history. A build without readline keeps no history and treats
# a tab as a blank.
session C.UTF-8 $':att\tmaybe' $'：atten\tnever' $':set be\t4' $':units subw\t' :quit
[ "$(grep -c 'elman: attention must be on or off, not ' "$results/stdout")" -eq 2 ] || fail "expected the values of :attention twice"
if [ -e state ]; then
  expect_stdout_match '^beam is 4$'
  expect_stdout_match ': has no subwords: '
  [ "$(stat -c %a state/elman/history state/elman | tr '\n' ' ')" = '600 700 ' ] || fail "wrong modes of the history"
  grep -qx '我 爱 学习' state/elman/history || fail "the history lacks a line"
  grep -qx ':attention maybe' state/elman/history || fail "a command was not completed"
  grep -qx '：attention never' state/elman/history || fail "a command with a full-width colon was not completed"
  ! grep -q 'never mind' state/elman/history || fail "the history contains a line that was cleared"
fi

# The number type of a model is noted once.
"$ELMAN" convert -q -m other.safetensors --dtype int8 -o int8.safetensors || fail "conversion failed"
options='-m int8.safetensors'
session C.UTF-8 ':model int8.safetensors' :q
[ "$(grep -c 'from the model: precision int8$' "$results/stdout")" -eq 2 ] || fail "expected one note for each loading"
options=

# A tab in a sentence, such as one of pasted text, is a blank.
"$ELMAN" train -q -t 1 --hidden-size 8 --epochs 1 --columns 2,1 -o english.safetensors "$DATA/toy.zh-en.tsv" ||
  fail "training failed"
options='-m english.safetensors'
session C.UTF-8 $'\tI\tlove\tstudying' :q
! grep 'not in the vocabulary' "$results/stdout" || fail "the tabs were dropped"
options=

# Commands of the display print the current setting if they have no argument.
session C.UTF-8 :attention ':attention on' :attention :units :override :q
for setting in 'attention is off' 'attention is on' 'units is auto' 'attention is unmodified'; do
  expect_stdout_match "^$setting$"
done

# Ctrl-V Ctrl-J inserts a line break. A ranked text has it, as the only translation has.
options='--n-best 2'
session C.UTF-8 $'我 爱 学习。\x16\n我 爱 学习。' :q
if [ -e state ]; then
  expect_stdout_match '^  1\. I love studying[^ ]*$'
  expect_stdout_match '^I love studying.* \(-?[0-9.e-]+\)$'
fi
options=
