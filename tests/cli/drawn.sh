# Pictures as PNG and PDF, drawn by another program.

toy_model

# Without that program no file is written.
mkdir empty
expect_message 69 'PNG needs rsvg-convert, which is not installed \(Debian: apt-get install librsvg2-bin\)' env \
  PATH="$PWD/empty" "$ELMAN" attention -o matrix.png '我 爱 学习'
expect_message 69 'PDF needs rsvg-convert, which is not installed' env PATH="$PWD/empty" "$ELMAN" attention -o matrix.pdf '我 爱 学习'
for format in png pdf; do
  expect_exit 69 env PATH="$PWD/empty" "$ELMAN" trace --format $format '我 爱 学习' 'I love studying'
  expect_stdout
done
expect_refused 'matrix.png: ' attention --matrices -o matrix.png "$DATA/attention/six-words.txt"
[ ! -e matrix.png ] && [ ! -e matrix.pdf ] || fail "a file was written without the program"

# If the program fails, the old file is unchanged.
printf '#!/bin/sh\ncat >/dev/null; [ "$1" = --version ]\n' >empty/rsvg-convert
chmod +x empty/rsvg-convert
echo kept >kept.png
expect_message 70 'rsvg-convert: failed to draw the PNG' env PATH="$PWD/empty:$PATH" "$ELMAN" attention -f -o kept.png \
  '我 爱 学习'
[ "$(cat kept.png)" = kept ] || fail "the old file changed"

command -v rsvg-convert >/dev/null || exit 77
# Print the four bytes at an offset, big-endian: 16 is the width, 20 the height.
number() { od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }
# The picture has twice the size of the SVG.
check_picture() {
  [ "$(head -c 4 "$2" | tail -c 3)" = PNG ] || fail "$2 is not a PNG file"
  size=$(sed -n 's/^<svg.* width="\([0-9]*\)" height="\([0-9]*\)".*/\1 \2/p' "$1")
  [ "$(number "$2" 16) $(number "$2" 20)" = "$((2 * ${size% *})) $((2 * ${size#* }))" ] ||
    fail "$2 is not twice as large as $1"
}
expect_exit 0 "$ELMAN" attention -o matrix.png '我 爱 学习' '她 是 我 的 老师'
expect_exit 0 "$ELMAN" attention -o matrix.svg '我 爱 学习' '她 是 我 的 老师'
check_picture matrix.svg matrix.png
expect_same matrix.png attention --format png '我 爱 学习' '她 是 我 的 老师'
expect_exit 0 "$ELMAN" trace -o reach.png '我 爱 学习' 'I love studying'
expect_exit 0 "$ELMAN" trace -o reach.svg '我 爱 学习' 'I love studying'
check_picture reach.svg reach.png

# PDF: one page of the size of the SVG, in points of 3/4 pixels, with the fonts inside; the same bytes at any time.
expect_exit 0 "$ELMAN" attention -o matrix.pdf '我 爱 学习' '她 是 我 的 老师'
expect_exit 0 "$ELMAN" trace -o reach.pdf '我 爱 学习' 'I love studying'
for name in matrix reach; do
  python3 - $name <<'END' || fail "$name.pdf is not the picture $name.svg"
import re, sys
svg, pdf = open(sys.argv[1] + ".svg").read(), open(sys.argv[1] + ".pdf", "rb").read()
sizes = [float(size) * 3 / 4 for size in re.search(r'width="(\d+)" height="(\d+)"', svg).groups()]
assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")
boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
assert len(boxes) == 1 and all(abs(float(found) - size) < 1 for found, size in zip(boxes[0], sizes)), (boxes, sizes)
assert b"/FontFile" in pdf and b"/Subtype /Image" not in pdf
assert b"/CreationDate (19700101000000" in pdf
END
done
sleep 1.1 # the file must not contain the current time
expect_same matrix.pdf attention --format pdf '我 爱 学习' '她 是 我 的 老师'
SOURCE_DATE_EPOCH=86400 expect_exit 0 "$ELMAN" attention --format pdf '我 爱 学习'
grep -aq '/CreationDate (19700102000000' "$results/stdout" || fail "SOURCE_DATE_EPOCH has no effect"

for i in $(seq 400); do echo '我 爱 学习'; done >many
expect_error 70 'use svg, or fewer sentences at once' attention -i many -o many.png
[ ! -e many.png ] || fail "an incomplete picture was written"
expect_message 74 'No space left' on_full_disk "$ELMAN" trace --format png '我' 'I'

# A picture that cannot be read back is an error. Needs strace to make system calls fail.
strace -o /dev/null true 2>/dev/null || exit 0 # not installed, or tracing is not permitted
export ASAN_OPTIONS=detect_leaks=0 # the leak checker and strace both trace the process
strace -qq -o trace -e trace=read "$ELMAN" attention -f -o matrix.png '我 爱 学习' || fail "attention under strace failed"
which=$(grep -n 'read([0-9]*, "\\211PNG' trace | head -n 1 | cut -d : -f 1)
[ -n "$which" ] || fail "the picture was not read"
cp matrix.png old.png
code=0
strace -qq -o trace -e trace=read -e inject=read:error=EIO:when="$which" \
  "$ELMAN" attention -f -o matrix.png '她 是 我 的 老师' 2>"$results/stderr" || code=$?
[ "$code" -eq 74 ] || fail "exit code $code although the picture cannot be read"
expect_stderr_match 'a temporary file: cannot be read: Input/output error'
cmp old.png matrix.png || fail "the old file changed"
