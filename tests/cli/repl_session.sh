# A REPL session: sentences, options, models and the history.

. "$(dirname "$case_file")/repl_player"
toy_model
"$ELMAN" train -q -t 1 --seed 3 --hidden-size 32 --epochs 30 -o other.safetensors "$DATA/toy.zh-en.tsv" || fail "training failed"
vocabulary=$("$ELMAN" inspect --vocabulary target | wc -l)

# Options have the names and limits of the command line, also in full-width letters; a dump equals the output of `attention`.
session C.UTF-8 ':set' ':set beam 5' ':set length-penalty = 0.6' '：ｓｅｔ　ｎ－ｂｅｓｔ　２' ':set beam 1' ':set beam x' \
  ':set bem 3' ':set beam' '我 爱 学习' ':dump beam.json' ':set beam default' ':set n-best 7' ':set' \
  ':set n-best default' ':set beam default' ':set length-penalty default' ':set replace-unk' ':set replace-unk no' \
  '我 爱 学习' ':dump plain.json' :q
expect_stdout_match '^  beam +1 +beam size; 1 = greedy decoding'
expect_stdout_match '^  max-length +0 +maximum tokens per translation; 0 = 2 S \+ 10'
expect_stdout_match '^  max-ratio +0 +maximum target tokens'
expect_stdout_match '^  threads +0 +number'
expect_stdout_match '^beam is 5$'
expect_stdout_match '^n-best is 2$'
expect_stdout_match '^beam is 2$'
expect_stdout_match '^elman: :set: n-best 2 needs beam 2 or more'
expect_stdout_match "^elman: :set: beam must be a whole number from 1 to 1024, not 'x'$"
expect_stdout_match "^elman: :set: unknown option 'bem'; did you mean 'beam'\?$"
expect_stdout_match '^elman: :set: beam needs a value: N$'
expect_stdout_match '^beam is raised to 7$'
expect_stdout_match '^  beam +7 '
expect_stdout_match '^replace-unknown is on$'
expect_same beam.json attention --format json --beam 5 --length-penalty 0.6 --n-best 2 '我 爱 学习'
expect_same plain.json attention --format json '我 爱 学习'

# Overrides of attention.
session C.UTF-8 ':override' ':override position=2 3:1=0.5' '我 爱 学习' ':dump changed.json' ':override' ':units words' \
  ':override nonsense' ':override off' ':units words' ':override 1:1=1' ':override uniform' '我 爱 学习' ':trace' \
  ':override 9:9=1' ':units auto' ':override 9:9=1' '我 爱 学习' :q
expect_stdout_match '^attention is unmodified$'
expect_stdout_match '^attention is overridden: position=2 3:1=0\.5$'
expect_stdout_match '^with unmodified attention, [01] of 1 translation '
expect_stdout_match "^elman: :override: 'nonsense' is not one of uniform, "
[ "$(grep -c '^elman: :override position=K and row:col=w count tokens and cannot be combined with :units words; use :units tokens$' \
  "$results/stdout")" -eq 3 ] || fail "expected positions of tokens to be refused for words"
[ "$(grep -c "^':trace' uses unmodified attention; ':override' does not apply$" "$results/stdout")" -eq 1 ] ||
  fail ":trace does not report that it ignores :override"
expect_stdout_match '^elman: :override: no matrix has target token 9 and source token 9: '
expect_same changed.json attention --format json --override position=2 --override 3:1=0.5 '我 爱 学习'

# A line is split into sentences; alternatives count the tokens of all of them.
session C.UTF-8 '我 爱 学习。 他 在 喝 茶。' ':alternatives 5 2' ':trace' ':reference I love tea' ':set split-sentences off' \
  '我 爱 学习。 他 在 喝 茶。' ':set split-sentences on' ':reference I love tea' ':override position=1' ':set split-sentences default' \
  ':override position=1' '我 爱 学习。 他 在 喝 茶。' 'How are you?' :q
first=$("$ELMAN" translate -q '我 爱 学习。') second=$("$ELMAN" translate -q '他 在 喝 茶。')
[ "$(tr -d '\r' <"$results/stdout" | grep -cx "$first $second")" -eq 1 ] || fail "expected one translation sentence by sentence"
expect_stdout_match "^token 5 of [0-9]+, ${second%% *}"
expect_stdout_match "^  \* +[0-9.]+ % +-[0-9.]+  ${second%% *}"
expect_stdout_match "^':trace' uses the text as one sentence$"
expect_stdout_match '^split-sentences is off$'
expect_stdout_match '^elman: a reference is the translation of one sentence, but the text is to be split$'
expect_stdout_match '^elman: :override: split-sentences on cannot be combined with an override of a position or cell$'
expect_stdout_match '^This model translates Chinese \(Han script\); the text is mostly in Latin script\.'

# A picture, if the program that draws it is installed.
session C.UTF-8 '我 爱 学习' ':dump last.png' ':dump last' ':dump -' :q
if command -v rsvg-convert >/dev/null; then
  [ "$(head -c 4 last.png | tail -c 3)" = PNG ] || fail "last.png is not a PNG file"
fi
expect_stdout_match '^elman: last: unknown suffix; use one of: .* \.png \.pdf$'
expect_stdout_match "^elman: :dump: name a file, as in ':dump matrix.json'$"

# Commands on the last translation: references, alternatives, gradients.
session C.UTF-8 ':reference I love' ':alternatives' ':trace' '我 爱 学习' ':reference' ':reference I love you' \
  ':dump forced.json' ':alternatives 3 2' ':att on' ':reference I love studying' ":alternatives 2 100" ':alternatives' \
  ':alternatives 5' ':alternatives 1 0' ':alternatives x' ':trace' ':trace I love you' :q
[ "$(grep -c '^elman: :[a-z]*: nothing has been translated yet$' "$results/stdout")" -eq 3 ] || fail "expected three errors without a translation"
expect_stdout_match "^elman: :reference: give a translation"
expect_stdout_match '^not in the target vocabulary: you '
expect_stdout_match '^token 3 of 4, you$'
expect_stdout_match '^  \* +[0-9.]+ % +-[0-9.]+  you$'
expect_stdout_match '^studying [·░▒▓█ ]+$'
expect_stdout_match "^elman: :alternatives: '5' is not a token from 1 to 4$"
expect_stdout_match "^elman: :alternatives: '0' is not a number of alternatives from 1 to 100$"
expect_stdout_match "^elman: :alternatives: 'x' is not a token from 1 to 4$"
cp "$results/stdout" shown
printf '我 爱 学习\tI love studying\n' >pair
expect_exit 0 "$ELMAN" score pair
sum=$(cut -f 1 "$results/stdout")
grep -q "^log-probability $(printf '%.4f' "$sum"), " shown || fail ":reference and score give different results"
expect_same forced.json attention --format json --reference 'I love you' '我 爱 学习'
# The list contains all tokens but <s>, in order of probability.
sed -n '/^token 2 of 4, love$/,/^> /p' shown | grep ' %' >list
[ "$(wc -l <list)" -eq $((vocabulary - 1)) ] || fail "the list lacks tokens"
sed 's/^  \*/   /' list | sort -s -k 3,3gr | cmp - <(sed 's/^  \*/   /' list) || fail "the list is not sorted by probability"
[ "$(grep -c '^  \* .*  love$' list)" -eq 1 ] || fail "the token of the translation is not marked"
sed 's/^  \*/   /' list | awk -v n="$vocabulary" '{ sum += $1 } END { exit !(sum > 98 && sum <= 100 + n * 0.005) }' ||
  fail "the probabilities do not sum to 1"
for step in 1 2 3 4; do
  grep -qE "^ +$step +[0-9.]+ %  [^ ]+; or [^ ]+ [0-9.]+ %, [^ ]+ [0-9.]+ %, [^ ]+ [0-9.]+ %$" shown || fail "the line of token $step differs"
done
for target in 'I love studying' 'I love you'; do
  expect_exit 0 "$ELMAN" trace '我 爱 学习' "$target"
  head -n 1 "$results/stdout" >first
  sed -n "/^$(sed 's/[.]/\\./g' first)\$/,/^> /p" shown | grep -v '^> ' | cmp - "$results/stdout" || fail ":trace differs for $target"
done

# A translation of one token has the same two forms of alternatives.
session C.UTF-8 ':set max-length 1' '我 爱 学习' ':alternatives' ':alternatives 1 2' :q
expect_stdout_match '^ +1 +[0-9.]+ %  I; or [^ ]+ [0-9.]+ %, [^ ]+ [0-9.]+ %, [^ ]+ [0-9.]+ %$'
[ "$(grep -c '^token 1 of 1, I$' "$results/stdout")" -eq 1 ] || fail ":alternatives without N prints the list of a token"

# Two models side by side, and the history of the session.
session C.UTF-8 ':compare 我' ':load' ':load nowhere.safetensors' '我 爱 学习' ':load other.safetensors' \
  ':alternatives' ':compare' ':set beam 2' ':compare 她 是 我 的 老师' ':override uniform' ':reference She' \
  ':load model.safetensors' ':units subwords' ':save' ':save session' ':save session.gif' ':save session.tsv' \
  ':save session.html' ':save nowhere/session.tsv' :q
expect_stdout_match "^elman: :compare: only one model is loaded; "
expect_stdout_match "^elman: :load: name a file, as in ':load model.safetensors'$"
expect_stdout_match '^elman: nowhere.safetensors: '
expect_stdout_match '^the previous model stays loaded$'
expect_stdout_match "^loaded other.safetensors; ':compare' compares it with model.safetensors$"
expect_stdout_match '^elman: :alternatives: nothing has been translated yet$'
[ "$(grep -c '^model.safetensors, log-probability -[0-9.e-]*:$' "$results/stdout")" -eq 2 ] || fail "the results of the first model differ"
[ "$(grep -c '^other.safetensors, log-probability -[0-9.e-]*:$' "$results/stdout")" -eq 2 ] || fail "the results of the second model differ"
expect_stdout_match '^elman: model.safetensors: has no subwords: '
expect_stdout_match "^elman: :save: name a file"
[ "$(grep -c '^elman: session.*: unknown suffix; use one of: .tsv .html$' "$results/stdout")" -eq 2 ] ||
  fail "wrong formats of the history"
expect_stdout_match '^wrote session.tsv with 6 translations$'
expect_stdout_match '^elman: nowhere/session.tsv: '
[ "$(sed -n 1p session.tsv)" = $'source\ttranslation\tlog-probability\tmodel\tsettings' ] || fail "the columns differ"
cut -f 1,4,5 session.tsv | tail -n +2 >rows
cat >expected <<'END'
我 爱 学习	model.safetensors	
我 爱 学习	model.safetensors	
我 爱 学习	other.safetensors	
她 是 我 的 老师	model.safetensors	beam=2
她 是 我 的 老师	other.safetensors	beam=2
她 是 我 的 老师	other.safetensors	beam=2 override=uniform reference
END
diff -u expected rows >&2 || fail "the history differs"
expect_exit 0 "$ELMAN" translate --json '我 爱 学习'
grep -q "\"log_probability\":$(sed -n 2p session.tsv | cut -f 3 | cut -c 1-8)" "$results/stdout" || fail "the log-probability differs"
[ "$(grep -c '<tr><td><bdi>.*<bdi>.*<bdi>.*<bdi>.*<bdi>' session.html)" -eq 6 ] || fail "expected six rows on the page"

# An existing file is replaced only by a command with an exclamation mark, and a model or checkpoint never.
echo kept >kept.json
echo kept >kept.tsv
session C.UTF-8 '我 爱 学习' ':dump kept.json' ':save kept.tsv' ':quit!' :q
expect_stdout_match "^elman: kept.json: already exists; ':dump! kept.json' overwrites it$"
expect_stdout_match "^elman: kept.tsv: already exists; ':save! kept.tsv' overwrites it$"
expect_stdout_match "^elman: ':quit' writes no file; remove '!'$"
[ "$(cat kept.json kept.tsv)" = $'kept\nkept' ] || fail "a file was replaced"
session C.UTF-8 '我 爱 学习' ':dump! kept.json' ':sa! kept.tsv' ':dump /dev/null.json' :q
expect_stdout_match '^wrote kept.json$'
expect_stdout_match '^wrote kept.tsv with 1 translation$'
grep -q '^{"sentence":1,' kept.json || fail "kept.json was not replaced"
grep -q '^我 爱 学习' kept.tsv || fail "kept.tsv was not replaced"
for kept in model.safetensors other.safetensors.checkpoint; do
  cp "$kept" kept.tsv
  cp "$kept" kept.json
  session C.UTF-8 '我 爱 学习' ':dump kept.json' ':dump! kept.json' ':save kept.tsv' ':save! kept.tsv' :q
  [ "$(grep -c "is a model or checkpoint, which ':[a-z]*' never overwrites; name another file$" "$results/stdout")" -eq 4 ] ||
    fail "a model is not protected"
  cmp "$kept" kept.json && cmp "$kept" kept.tsv || fail "a model was replaced"
done

# The session of docs/tour.md, with these models.
cp other.safetensors my.safetensors
for page in tour.md tour.zh-CN.md; do
  mapfile -t typed < <(sed -nE '/^\| `:|^\| `这/s/^\| `([^`]*)` \|.*/\1/p' "$DATA/../docs/$page")
  [ "${#typed[@]}" -ge 10 ] && [ "${typed[-1]}" = :quit ] || fail "$page contains no session"
  rm -f session.html
  session C.UTF-8 "${typed[@]}"
  ! grep -q '^elman: ' "$results/stdout" || fail "an error in the session of $page"
  expect_stdout_match '^wrote session.html with 4 translations$'
done

# ---- without a terminal ----

# The REPL without a terminal: no prompt, no commands, one translation per line.
printf '我 爱 学习\n\n:quit\n她 是 我 的 老师\n' >lines
expect_exit 0 "$ELMAN" repl -q <lines
expect_no_stderr
[ "$(sed -n 1p "$results/stdout")" = 'I love studying' ] || fail "the first line differs"
[ "$(sed -n 2p "$results/stdout")" = '' ] || fail "the second line is not empty"
[ "$(sed -n 4p "$results/stdout")" = 'She is my teacher' ] || fail "':quit' ended the session"

echo '我 爱 猫' >unknown
expect_note '^not in the vocabulary: 猫' repl <unknown
[ ! -e "$HOME/.local" ] || fail "a history file was written without a terminal"
