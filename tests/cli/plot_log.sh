# tools/plot-log draws curves of a training log.

plot=$DATA/../tools/plot-log
command -v python3 >/dev/null || exit 77

# Without gnuplot, the message names the package to install.
cat >run.jsonl <<'END'
{"event":"start","seed":1}
{"event":"update","epoch":1,"update":1,"loss":3.1,"learning_rate":0.001}
{"event":"update","epoch":1,"update":2,"loss":2.9}
{"event":"update","epoch":1,"update":3,"loss":NaN}
{"event":"validation","epoch":1,"update":3,"loss":2.8,"perplexity":16.4,"bleu":3.4}
{"event":"update","epoch":2,"update":1,"loss":2.5}
{"event":"validation","epoch":2,"update":3,"loss":2.4,"bleu":7.5}
{"event":"upd
END
mkdir bin
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
PATH=$PWD/bin expect_exit 69 "$plot" run.jsonl
expect_stderr_match 'apt-get install gnuplot-nox'
rm -r bin

expect_message 64 'tools/plot-log LOG.jsonl.LOG.csv' "$plot"
expect_message 64 'must end in .png or .svg' "$plot" run.jsonl picture.gif
expect_exit 66 "$plot" nowhere
echo '{"event":"update","update":1}' >nothing.jsonl
expect_message 65 'no loss and no BLEU in it' "$plot" nothing.jsonl
expect_files nothing.jsonl run.jsonl

# Updates that a resumed run repeats are drawn once, also across epochs. Update numbers that restart in each
# epoch are summed.
curve() { # curve "EPOCH UPDATE LOSS"...
  python3 -B - "$plot" "$@" <<'END'
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("plot_log", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot_log", loader))
loader.exec_module(module)
keys = ("epoch", "update", "loss")
records = [dict(zip(keys, map(int, words.split())), event="update") for words in sys.argv[2:]]
print(*(f"{x}:{y}" for x, y in module.curve(records, "loss", "update")))
END
}
expect_exit 0 curve '1 1 9' '1 2 8' '2 3 7' '2 4 6' '1 2 5' '2 3 4' '2 4 3'
expect_stdout '1:9 2:5 3:4 4:3'
expect_exit 0 curve '1 1 9' '1 2 8' '2 1 7' '2 2 6'
expect_stdout '1:9 2:8 3:7 4:6'
command -v gnuplot >/dev/null || exit 77

expect_message 0 '^plot-log: run.jsonl: skipped 1 lines that are not JSON objects' "$plot" run.jsonl
[ "$(head -c 4 run.png | tail -c 3)" = PNG ] || fail "run.png is not a PNG file"
expect_exit 0 "$plot" run.jsonl "it's.svg"
for word in loss BLEU training validation; do
  grep -q ">$word<" "it's.svg" || fail "the picture lacks: $word"
done
# A CSV log gives an equal picture.
printf '%s\r\n' event,epoch,update,loss,learning_rate,perplexity,bleu update,1,1,3.1,0.001,, update,1,2,2.9,,, update,1,3,,,, \
  validation,1,3,2.8,,16.4,3.4 update,2,1,2.5,,, validation,2,3,2.4,,,7.5 upd >run.csv
expect_message 0 '^plot-log: run.csv: skipped 1 lines that are not rows of its columns' "$plot" run.csv csv.svg
expect_exit 0 "$plot" run.jsonl json.svg
cmp csv.svg json.svg || fail "CSV gives another picture"
# A log without validation gives one panel; a single point is drawn.
head -n 2 run.jsonl >short.jsonl
expect_exit 0 "$plot" short.jsonl short.svg
expect_no_stderr
! grep -q '>BLEU<' short.svg || fail "an empty panel is drawn"
expect_message 73 '^plot-log: no/such.png: No such file' "$plot" run.jsonl no/such.png
[ -z "$(ls | grep tmp)" ] || fail "a temporary file remains"
