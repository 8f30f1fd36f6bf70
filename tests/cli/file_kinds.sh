# Every command recognizes files that are not text or not a model, by any option or operand that names an
# input file, and says what they are. The options are those of help; one without a row below is a fault.
. "$(dirname "$case_file")/repl_player"
toy_model
model=model.safetensors
pairs=$DATA/toy.zh-en.tsv
cut -f 1 "$pairs" >zh
cut -f 2 "$pairs" >en
"$ELMAN" subwords learn -q -n 2 -o codes en || fail "no codes"

# The kinds: a word of the message, and the file.
kind() { # kind NAME WORDS: standard input is the file
  cat >"kind.$1"
  words[$1]=$2
}
declare -A words
shopt -s lastpipe # so that `kind` sets the words of this shell
iconv -f UTF-8 -t UTF-16LE "$pairs" | (printf '\xff\xfe' && cat) | kind utf16 'UTF-16 text'
iconv -f UTF-8 -t UTF-16BE "$pairs" | (printf '\xfe\xff' && cat) | kind utf16be 'UTF-16 text'
iconv -f UTF-8 -t UTF-16LE "$pairs" | kind unmarked 'UTF-16 text without'
printf '\xfd7zXZ\0\0\4\xe6\xd6\xb4\x46' | kind xz 'compressed by xz'
printf 'BZh91AY&SY\x4e\xec\xe8\x36' | kind bz2 'compressed by bzip2'
printf '\x28\xb5\x2f\xfd\x04\x58' | kind zst 'compressed by zstd'
(printf 'PK\3\4\n\0\0\0\0\0\0\0\0\0pairs.tsv' && cat "$pairs") | kind zip 'zip file'
printf 'PK\3\4\0\0\0\0\0\0archive/data.pklFB\0' | kind pt 'PyTorch file'
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 3800000\n' | kind lfs 'git lfs pull'
printf '<!DOCTYPE html>\n<html><body>404</body></html>\n' | kind html 'web page'
(printf '%%PDF-1.7\n' && cat "$pairs") | kind pdf 'PDF document'

# Inputs: COMMAND|OPTION|ARGUMENTS, in which @ is the file.
inputs="
train|--source|--source @ --target en -o x
train|--target|--source zh --target @ -o x
train|--dev|--dev @ -o x $pairs
train|--guide|--guide @ -o x $pairs
train|--init-from|--init-from @ -o x $pairs
train|--config|--config @ -o x $pairs
train|PAIRS|-o x $pairs @
translate|--model|-m @ 我
translate|--input|-i @
translate|--config|--config @ 我
repl|--model|-m @
repl|--config|--config @
attention|--model|-m @ 我
attention|--input|-i @
attention|--references|-i zh --references @
attention|--config|--config @ 我
attention|--weights|--matrices --attention general --weights @ matrix
attention|QUERIES|--matrices @
evaluate|--model|-m @ $pairs
evaluate|--source|--source @ --target en
evaluate|--target|--source zh --target @
evaluate|--hypothesis|--hypothesis @ --reference en
evaluate|--reference|--hypothesis en --reference @
evaluate|--config|--config @ $pairs
evaluate|PAIRS|@
score|--model|-m @ $pairs
score|--source|--source @ --target en
score|--target|--source zh --target @
score|--config|--config @ $pairs
score|PAIRS|@
average|--config|--config @ -o x $model $model
average|MODEL|-o x $model @
convert|--model|-m @ -o x
convert|--config|--config @ -o x
inspect|--model|-m @
page|--model|-m @
page|--config|--config @
serve|--model|-m @ --listen 127.0.0.1:0
serve|--token|--token @ --listen 127.0.0.1:0
serve|--config|--config @ --listen 127.0.0.1:0
gradcheck|--model|-m @ 我 I
gradcheck|--config|--config @ 我 I
trace|--model|-m @ 我 I
trace|--config|--config @ 我 I
plot|--config|--config @ -o x run.jsonl
plot|LOG|-o x @
corpus convert|--source|--source @ --target en
corpus convert|--target|--source zh --target @
corpus convert|--config|--config @ $pairs
corpus check|--source|--source @ --target en
corpus check|--target|--source zh --target @
corpus check|--config|--config @ $pairs
corpus check|PAIRS|$pairs @
corpus split|--config|--config @ -o x $pairs
corpus split|PAIRS|-o x @
subwords learn|--config|--config @ en
subwords learn|FILE|en @
subwords apply|--codes|-c @ -i en
subwords apply|--model|-m @ -i en
subwords apply|--input|-c codes -i @
subwords apply|--config|--config @ -c codes -i en
subwords show|--model|-m @
subwords show|--config|--config @
"
printf '1 2\n3 4\n' >matrix
mkdir folder

# Help has no option with an input file and no operand that the list lacks.
commands=$("$ELMAN" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vx -e help -e corpus -e subwords)
for group in corpus subwords; do
  commands+=$'\n'$("$ELMAN" help $group | sed -n "s/^  \([a-z]*\) .*/$group \1/p" | grep -v ' help$')
done
[ "$(wc -l <<<"$commands")" -ge 18 ] || fail "commands: $commands"
while IFS= read -r command; do
  "$ELMAN" help $command >help || fail "no help for $command"
  for name in $(sed -nE 's/^  .{4}(--[a-z-]+) .*(FILE|MODEL|PAIRS)\b.*/\1/p' help | sort -u) \
    $(sed -n 's/^Usage: elman //p' help | grep -oE '\[?(PAIRS|MODEL|QUERIES|LOG)(\.\.\.)?\]?' | tr -d '[].'); do
    case $name in --output | --log | --sentence-scores) continue ;; esac
    # Only the name of the value counts, and not help that mentions a file.
    [[ $name != --* ]] || grep -qE -e "$name \[?(NAME=\])?([A-Z]+\|)?(FILE|MODEL|PAIRS)\b" help || continue
    grep -q -e "^$command|$name|" <<<"$inputs" || fail "no row for $command $name"
  done
done <<<"$commands"

# Each input refuses each kind, and names it. It also names a file that does not exist, and a folder.
count=0
while IFS='|' read -r command option arguments; do
  [ -n "$command" ] || continue
  for kind in "${!words[@]}"; do
    rm -rf x x.*
    code=0
    timeout 60 "$ELMAN" $command ${arguments//@/kind.$kind} >"$results/stdout" 2>"$results/stderr" </dev/null || code=$?
    [ "$command $code" != "page 69" ] || continue # a build without the playground
    [ "$command $code" != "serve 69" ] || continue # a build without the service
    [ $code -eq 65 ] || fail "exit code $code instead of 65: $command $option of kind $kind"
    expect_stderr_match "^elman: kind\.$kind: .*${words[$kind]}"
    count=$((count + 1))
  done
  for input in nowhere folder; do
    code=0
    timeout 60 "$ELMAN" $command ${arguments//@/$input} >"$results/stdout" 2>"$results/stderr" </dev/null || code=$?
    [ $code -eq 66 ] || [ $code -eq 69 ] || fail "exit code $code instead of 66: $command $option $input"
    [ $code -eq 69 ] || expect_stderr_match "^elman: $input: "
  done
done <<<"$inputs"
[ $count -ge 500 ] || fail "only $count combinations were tried"

# Standard input, also through a pipe and compressed.
for kind in "${!words[@]}"; do
  for command in translate repl attention score "subwords learn" "subwords apply -c codes" "train -o x -" "corpus check -"; do
    expect_error 65 "^elman: standard input: .*${words[$kind]}" $command <"kind.$kind"
    expect_error 65 "^elman: standard input: .*${words[$kind]}" $command < <(gzip -c "kind.$kind")
  done
done

# The REPL loads a model from a file.
loads=()
for kind in "${!words[@]}"; do loads+=(":load kind.$kind"); done
session C.UTF-8 "${loads[@]}" :q
for kind in "${!words[@]}"; do
  expect_stdout_match "^elman: kind\.$kind: .*${words[$kind]}"
done

# A model may also be compressed, empty, truncated or text.
gzip -c $model >packed
head -c 100 $model >truncated
: >empty
for file in "packed compressed by gzip" "truncated truncated to 100 bytes" "empty it is empty" "zh is a text file"; do
  expect_error 65 "^elman: ${file%% *}: .*${file#* }" translate -m "${file%% *}" 我
done

# Options are also read from a pipe.
expect_exit 0 "$ELMAN" translate --config <(echo 'beam = 2') 我
