# `elman page` writes a page with a model inside. $WITH_PAGE is the command with tests/data/playground.html in
# place of the playground.

page=$PWD/template.html
toy_model
# The command leaves out the model with which the page begins.
sed 's/c3RhcnRlcg==//' "$DATA/../tests/data/playground.html" >"$page"
! cmp -s "$page" "$DATA/../tests/data/playground.html" || fail "the template has no model to leave out"

# expect_inside PAGE MODEL: the page contains the bytes of the model file.
expect_inside() {
  sed -n 's/^<script .* id="model">\([^<]*\)<.*/\1/p' "$1" | base64 -d | cmp - "$2" || fail "$1 has another model than $2"
}

# A build without the playground, and one with it.
if [ "$HAS_PLAYGROUND" = 0 ]; then
  for options in '' '-f -o lesson.html' '--empty'; do
    expect_error 69 '^elman: this build has no playground; .* -DELMAN_WASM=build/wasm/playground.html$' page $options
    expect_stdout
  done
  expect_exit 64 "$ELMAN" page model.safetensors
  expect_files model.safetensors model.safetensors.checkpoint template.html
else
  expect_exit 0 "$ELMAN" page -f -o lesson.html
  expect_inside lesson.html model.safetensors
  rm lesson.html
fi
ELMAN=$WITH_PAGE

# The page differs from the template in the model only. Base64 depends on the size modulo 3.
residues=
for sizes in "1 1" "1 2" "1 3" "2 1" "2 2" "2 3" "3 1" "3 3"; do
  expect_exit 0 "$ELMAN" train -q --epochs 0 --hidden-size ${sizes% *} --embedding-size ${sizes#* } -o small "$DATA/toy.zh-en.tsv"
  expect_exit 0 "$ELMAN" page -m small -f -o lesson.html
  expect_stdout
  expect_stderr_match "^wrote the playground with small to lesson.html: [1-9][0-9]* parameters, $(stat -c %s lesson.html) bytes$"
  python3 - "$page" small lesson.html <<'END' || fail "the page is wrong with a model of the sizes $sizes"
import base64, sys
page, model, lesson = (open(path, "rb").read() for path in sys.argv[1:])
head, tail = page.split(b' id="model"></script>')
assert lesson == head + b' id="model">' + base64.b64encode(model) + b"</script>" + tail
END
  residues="$residues $(($(stat -c %s small) % 3))"
done
for residue in 0 1 2; do
  [[ $residues == *" $residue"* ]] || fail "no model file whose size is $residue modulo 3"
done

# Standard output and the default model; the name of the model is reported.
expect_note '^wrote the playground with model.safetensors to standard output: [0-9]+ parameters, ' page
cp "$results/stdout" printed
expect_exit 0 "$ELMAN" page -q -m model.safetensors -f -o lesson.html
expect_no_stderr
cmp printed lesson.html || fail "standard output gives another page"
expect_note "^wrote the playground without a model to standard output: $(stat -c %s "$page") bytes$" page --empty
cmp "$results/stdout" "$page" || fail "the page without a model differs from the template"

# A model of half the size, and one of several megabytes.
expect_exit 0 "$ELMAN" convert -q -o half
for model in half "$DATA/everyday.zh-en.safetensors"; do
  expect_exit 0 "$ELMAN" page -q -m "$model" -f -o lesson.html
  expect_inside lesson.html "$model"
done

# Refused command lines and models; the old page is unchanged.
echo precious >lesson.html
expect_refused half page half
if command -v script >/dev/null; then
  script -qec "$(printf '%q ' "$ELMAN" page -m half)" typescript </dev/null >/dev/null && fail "the page is written to a terminal"
  grep -q 'the page is too long for a terminal; name a file with -o FILE' typescript || fail "no message at a terminal"
fi
head -c 500 half >damaged
truncate -s 64M largest
truncate -s 67108865 too-large
mkdir folder
expect_no_output 65 '^elman: damaged: ' page -m damaged -f -o lesson.html
expect_no_output 65 '^elman: largest: [^0-9]*' page -m largest -f -o lesson.html
expect_no_output 65 '^elman: too-large: 67108865 bytes .* 67108864 bytes' page -m too-large -f -o lesson.html
expect_exit 66 "$ELMAN" page -m <(cat half) -f -o lesson.html
expect_exit 73 "$ELMAN" page -m half -o folder
rm half
mv model.safetensors elsewhere
expect_error 66 "name another model with -m FILE" page -f -o lesson.html
[ "$(cat lesson.html)" = precious ] || fail "the old page changed"
rm damaged largest too-large

# Failing writes.
everyday=$DATA/everyday.zh-en.safetensors
for options in "-m elsewhere" "-m $everyday" --empty; do
  expect_error 74 '^elman: /dev/full: cannot write: No space left on device$' page $options -o /dev/full
  expect_message 74 '^elman: standard output: cannot write: No space left on device$' on_full_disk "$ELMAN" page $options
  [ "$(wc -l <"$results/stderr")" -eq 1 ] || fail "expected one message"
done
"$ELMAN" page -m "$everyday" 2>"$results/stderr" | head -n 1 >/dev/null
[ "${PIPESTATUS[0]}" -eq 141 ] || fail "expected the exit code of SIGPIPE"
expect_no_stderr
[ "$(cat lesson.html)" = precious ] || fail "the old page changed"

# A failing read, and a signal while the page is written, leave no incomplete file. Needs strace.
strace -o /dev/null true 2>/dev/null || exit 0 # not installed, or tracing is not permitted
export ASAN_OPTIONS=detect_leaks=0 # the leak checker and strace both trace the process
expect_message 74 "^elman: $everyday: cannot read: Input/output error$" strace -qq -o trace -e trace=read -P \
  "$everyday" -e inject=read:error=EIO:when=2 "$ELMAN" page -m "$everyday" -f -o lesson.html
expect_exit 130 strace -qq -o trace -e trace=write -e inject=write:signal=INT:when=2 \
  "$ELMAN" page -m "$everyday" -f -o lesson.html
expect_no_stderr
[ -z "$(ls -A | grep '^lesson.html.')" ] || fail "an incomplete file remains"
[ "$(cat lesson.html)" = precious ] || fail "the old page changed"
