# elman plot draws curves of training logs.

command -v python3 >/dev/null || exit 77

cat >run.jsonl <<'END'
{"event":"start","seed":1}
{"event":"update","epoch":1,"update":1,"loss":3.1,"learning_rate":0.001}
{"event":"update","epoch":1,"update":2,"loss":2.9,"learning_rate":0.002}
{"event":"update","epoch":1,"update":3,"loss":null}
{"event":"validation","epoch":1,"update":3,"loss":2.8,"perplexity":16.4,"bleu":3.4,"best":true,"bleu_signature":"x"}
{"event":"update","epoch":2,"update":4,"loss":2.5,"learning_rate":0.004}
{"event":"validation","epoch":2,"update":4,"loss":2.4,"bleu":7.5}
{"event":"upd
END

# curves FILE: print a line for each curve: its panel, color, and its points as x:y in the units of the axes, which are found
# from the first and the last tick. The panels must have the same left and right end.
curves() {
  python3 - "$@" <<'END' || fail "the picture $1 is wrong"
import math, re, sys, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
name = lambda e: e.tag.split("}")[1]
words = "".join(root.itertext())
assert "prefers-color-scheme" not in words
log_x, log_y = "x" in sys.argv[2:], "y" in sys.argv[2:]
ends = set()
for panel in [e for e in root if name(e) == "g"]:
    parts = list(panel)
    axis = next(e for e in parts if e.get("class") == "axis").get("d")
    left, top, height, width = map(int, re.fullmatch(r"M(\d+) (\d+)v(\d+)h(\d+)", axis).groups())
    ends.add((left, width))
    def scale(letter, log):
        """Return a function that converts a position to a value."""
        marks = []
        for grid, label in zip(parts, parts[1:]):
            if grid.get("class") == "grid" and letter in grid.get("d"):
                x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)", grid.get("d")).groups())
                marks.append((x if letter == "v" else y, float(label.text)))
        assert len(marks) >= 2, (letter, marks)
        (a, low), (b, high) = marks[0], marks[-1]
        if log: low, high = math.log(low), math.log(high)
        return lambda at: (lambda v: math.exp(v) if log else v)(low + (at - a) * (high - low) / (b - a))
    to_x, to_y = scale("v", log_x), scale("h", log_y)
    for e in parts:
        if e.get("class") == "curve":
            points = [tuple(map(float, p.split())) for p in re.split("[ML]", e.get("d"))[1:]]
            assert all(left <= x <= left + width and top <= y <= top + height for x, y in points), points
            print(panel[0].text, e.get("stroke"), *(f"{to_x(x):.3g}:{to_y(y):.2g}" for x, y in points))
assert len(ends) == 1, ends
END
}

expect_note '^run.jsonl: skipped 1 line without an event$' plot -o run.svg run.jsonl
expect_exit 0 curves run.svg
expect_stdout 'loss #0072B2 1:3.1 2:2.9 4:2.5' 'loss #D55E00 3:2.8 4:2.4' 'BLEU #D55E00 3:3.4 4:7.5'
for word in training validation update loss BLEU; do
  grep -q ">$word<" run.svg || fail "the picture lacks: $word"
done
output_to standard plot -q run.jsonl
cmp run.svg standard || fail "standard output gets another picture"

# CSV, gzip and standard input give the same picture.
printf '%s\r\n' event,epoch,update,loss,learning_rate,perplexity,bleu,bleu_signature update,1,1,3.1,0.001,,, update,1,2,2.9,0.002,,, \
  update,1,3,,,,, validation,1,3,2.8,,16.4,3.4,nrefs:1 update,2,4,2.5,0.004,,, validation,2,4,2.4,,,7.5, upd >csv.csv
expect_note '^csv.csv: skipped 1 line without an event$' plot -o csv.svg csv.csv
cmp csv.svg run.svg || fail "CSV gives another picture"
gzip -c run.jsonl >packed.gz
expect_same run.svg plot -q packed.gz
expect_same run.svg plot -q - <run.jsonl
expect_note '^standard input: skipped 1 line without an event$' plot -o standard.svg - <run.jsonl

# A resumed run repeats updates: the last ones count.
log() { # log FILE "EPOCH UPDATE LOSS"...
  local file=$1
  shift
  printf '%s\n' "$@" | awk '{ printf "{\"event\":\"update\",\"epoch\":%s,\"update\":%s,\"loss\":%s}\n", $1, $2, $3 }' >"$file"
}
log again.jsonl '1 1 9' '1 2 8' '2 3 7' '2 4 6' '1 2 5' '2 3 4' '2 4 3'
expect_exit 0 "$ELMAN" plot -o again.svg again.jsonl
expect_no_stderr
expect_exit 0 curves again.svg
expect_stdout 'loss #0072B2 1:9 2:5 3:4 4:3'
! grep -q '>BLEU<' again.svg || fail "an empty panel is drawn"

# Panels, the horizontal axis, means of points at the same place; a validation has the number of the update before it.
expect_exit 0 "$ELMAN" plot -q -o epochs.svg --panel loss --panel learning_rate --x-axis epoch run.jsonl
expect_exit 0 curves epochs.svg
expect_stdout 'loss #0072B2 1:3 2:2.5' 'loss #D55E00 1:2.8 2:2.4' 'learning rate #0072B2 1:0.0015 2:0.004'
expect_exit 0 "$ELMAN" plot -q -o rates.svg --x-axis learning_rate --log-x --log-y run.jsonl
expect_exit 0 curves rates.svg x y
expect_stdout 'loss #0072B2 0.001:3.1 0.002:2.9 0.004:2.5' 'loss #D55E00 0.002:2.8 0.004:2.4' 'BLEU #D55E00 0.002:3.4 0.004:7.5'

# A long curve becomes means; a single point, equal values and large ranges have ticks.
seq 2000 | awk '{ print 1, $1, $1 % 4 }' >long
mapfile -t lines <long
log long.jsonl "${lines[@]}"
expect_exit 0 "$ELMAN" plot -o long.svg long.jsonl
expect_exit 0 curves long.svg
[ "$(grep -o ':1\.5' "$results/stdout" | wc -l) $(wc -w <"$results/stdout")" = '500 502' ] || fail "expected 500 means of 1.5"
log single.jsonl '1 1 2.5'
log equal.jsonl '1 1 0' '1 2 0'
log wide.jsonl '1 1 1e30' '1 2 1e-30' '1 3 -5' '1 4 0'
for one in single equal; do
  expect_exit 0 "$ELMAN" plot -o $one.svg $one.jsonl
  expect_exit 0 curves $one.svg
done
expect_exit 0 "$ELMAN" plot --log-y -o wide.svg wide.jsonl
expect_exit 0 curves wide.svg y
expect_stdout_match '^loss #0072B2 1:1e\+30 2:(1|9\.[89])e-3[01]$' # the other values have no logarithm

# Several logs in one picture: colors, the legend, the labels.
mkdir a b
cp run.jsonl a/log.jsonl
cp again.jsonl b/log.jsonl
legend() { python3 -c 'import sys, xml.etree.ElementTree as x; print(*[e.text for e in x.parse(sys.argv[1]).getroot() if e.tag.endswith("text")], sep="|")' "$1"; }
expect_exit 0 "$ELMAN" plot -q -o both.svg run.jsonl again.jsonl
expect_exit 0 curves both.svg
expect_stdout 'loss #0072B2 1:3.1 2:2.9 4:2.5' 'loss #D55E00 1:9 2:5 3:4 4:3' 'loss #0072B2 3:2.8 4:2.4' 'BLEU #0072B2 3:3.4 4:7.5'
expect_exit 0 legend both.svg
expect_stdout 'run|again|training|validation|update'
expect_exit 0 "$ELMAN" plot -q -o both.svg -f a/log.jsonl b/log.jsonl
expect_exit 0 legend both.svg
expect_stdout 'a/log.jsonl|b/log.jsonl|training|validation|update'
expect_exit 0 "$ELMAN" plot -q -o both.svg -f --title 'T <&"> 我' --label '<b>' --label $'\e]0;x' a/log.jsonl b/log.jsonl
expect_exit 0 legend both.svg
expect_stdout 'T <&"> 我|<b>|\u{1B}]0;x|training|validation|update'
expect_exit 0 "$ELMAN" plot -q -o many.svg again.jsonl again.jsonl again.jsonl again.jsonl again.jsonl again.jsonl again.jsonl again.jsonl
expect_exit 0 curves many.svg
[ "$(grep -c 'class="curve" stroke="#0072B2" stroke-dasharray="none"' many.svg)" -eq 2 ] || fail "two runs have the same line"

# Errors.
expect_refused 'no LOG given' plot
expect_refused '--label: 1 label for 2 logs; give one for each' plot --label x run.jsonl again.jsonl
expect_refused 'unknown suffix; use one of: .svg .png .pdf' plot -o picture.gif run.jsonl
expect_error 66 '^elman: nowhere: ' plot nowhere
expect_error 73 '^elman: no/such.svg: ' plot -q -o no/such.svg run.jsonl
echo '{"event":"start","seed":1}' >start.jsonl
for wrong in start.jsonl "$DATA/toy.zh-en.tsv"; do
  expect_no_output 65 'is not the log of a training run: no line is an update or a validation' plot -q "$wrong"
done
echo '{"event":"update","update":1}' >nothing.jsonl
expect_no_output 64 'nothing.jsonl: has no numbers "loss" over "update"; its keys are update$' plot nothing.jsonl
expect_no_output 64 'run.jsonl: has no numbers "blue" over "update"; its keys are epoch, update, loss, learning_rate, perplexity, bleu$' \
  plot -q --panel blue run.jsonl
expect_no_output 65 'again.jsonl: has no numbers for any panel' plot -q --panel bleu run.jsonl again.jsonl
head -c 70000 /dev/zero | tr '\0' x >wide.txt
expect_no_output 65 '^elman: wide.txt: line 1 has more than 65536 bytes; name another file$' plot wide.txt
log negative.jsonl '1 1 -2'
expect_no_output 64 'has no positive numbers "loss"' plot --log-y negative.jsonl
[ ! -e picture.gif ] || fail "a file was written"
ls | grep -q tmp && fail "a temporary file remains"

command -v rsvg-convert >/dev/null || exit 77
for format in png pdf; do
  expect_exit 0 "$ELMAN" plot -q -o run.$format run.jsonl
  expect_same run.$format plot -q --format $format run.jsonl
done
[ "$(head -c 4 run.png | tail -c 3)" = PNG ] || fail "run.png is not a PNG file"
[ "$(head -c 5 run.pdf)" = %PDF- ] || fail "run.pdf is not a PDF file"
