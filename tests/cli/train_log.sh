# The log of a training run: JSON Lines or CSV.

command -v python3 >/dev/null || exit 77
train=$DATA/daily.train.zh-en.tsv
head -n 30 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(-q -t 1 --hidden-size 8 --embedding-size 8 --batch-size 64 --dev dev.tsv)

# check_log UPDATES VALIDATIONS: check the events, keys and values of the file `log`.
check_log() {
  python3 - log "$@" <<'END' || fail "the log differs"
import datetime, json, sys
starts, *records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for r in [starts, *[r for r in records if r["event"] == "start"]]: # the settings, once per run
    assert r["event"] == "start" and r["batch_size"] == 64 and r["hidden_size"] == 8, r
    assert r["learning_rate"] == 0.001 and r["seed"] == 1 and r["version"] and r["epochs"] >= 1, r
    assert r["training_pairs"] == 1800 and r["pairs_file"].endswith("daily.train.zh-en.tsv"), r
    assert r["dev_pairs"] == 30 and r["dev_file"] == "dev.tsv", r
    assert r["model_file"] == "model.safetensors" and r["run"] == "model", r
    begun = datetime.datetime.strptime(r["time"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    now = datetime.datetime.now(datetime.timezone.utc)
    assert now - datetime.timedelta(days=1) < begun <= now, r # the time is in UTC; a run takes less than a day
records = [r for r in records if r["event"] != "start"]
keys = {
    "update": ["event", "epoch", "update", "loss", "epoch_loss", "gradient_norm", "learning_rate",
               "tokens_per_second", "seconds", "skipped"],
    "validation": ["event", "epoch", "update", "loss", "seconds", "perplexity", "exact_match", "bleu", "chrf",
                   "best", "bleu_signature"],
}
for record in records:
    assert list(record) == keys[record["event"]], record
updates = [r for r in records if r["event"] == "update"]
validations = [r for r in records if r["event"] == "validation"]
assert [r["update"] for r in updates] == list(range(1, int(sys.argv[2]) + 1))
assert len(validations) == int(sys.argv[3]), validations
for r in updates:
    assert r["epoch"] == (r["update"] - 1) // 29 + 1, r
    assert r["loss"] > 0 and r["gradient_norm"] > 0 and r["learning_rate"] > 0 and r["skipped"] == 0, r
for r in validations:
    assert r["bleu_signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"), r
    assert r["best"] in (True, False) and 0 <= r["bleu"] <= 100 and 0 <= r["exact_match"] <= 1, r
    position = records.index(r)
    assert records[position - 1]["update"] == r["update"], r
END
}

expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --log log "$train"
expect_no_stderr
check_log 58 2
grep -q '"update":1,.*"learning_rate":0.001,' log || fail "wrong learning rate"

# A resumed run appends to the log; any other run starts a new log.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --save-every 0.001 --log log "$train"
check_log 58 2
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 3 --resume --log log "$train"
check_log 87 3

# CSV: RFC 4180, the names and numbers of JSON, flags as 1 or 0; a resumed run appends rows without a second header.
check_csv() { # check_csv LOG.csv LOG.jsonl
  python3 - "$@" <<'END' || fail "CSV and JSON Lines differ"
import csv, json, sys
text = open(sys.argv[1], "rb").read()
assert text.endswith(b"\r\n") and text.count(b"\n") == text.count(b"\r\n"), text[-40:]
header, *rows = csv.reader(text.decode().splitlines())
assert header == ["event", "epoch", "update", "loss", "epoch_loss", "gradient_norm", "learning_rate", "tokens_per_second", "seconds", "skipped",
                  "guide_loss", "linked", "perplexity", "exact_match", "bleu", "chrf", "best", "bleu_signature"], header
records = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
records = [r for r in records if r["event"] != "start"]
assert len(rows) == len(records), (len(rows), len(records))
for row, record in zip(rows, records):
    assert len(row) == len(header), row
    fields = {k: v if k in ("event", "bleu_signature") else float(v) for k, v in zip(header, row) if v != ""}
    record = {k: v for k, v in record.items() if v is not None}
    assert fields.pop("tokens_per_second", 1) > 0 and record.pop("tokens_per_second", 1) > 0
    assert fields.pop("seconds") > 0 and record.pop("seconds") > 0
    assert fields == record, (fields, record)
END
}
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --save-every 0.001 --log log.csv "$train"
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 3 --resume --log log.csv "$train"
check_csv log.csv log
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log rows --log-format csv "$train"
head -n 31 log.csv | cut -d, -f 1-7 >expected
cut -d, -f 1-7 rows | cmp - expected || fail "--log-format csv gives another log than the suffix"
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log objects.csv --log-format json "$train"
head -c 16 objects.csv | grep -qF '{"event":"start"' || fail "the suffix overrides --log-format"

# The name of the run.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log log --run-name 'first "try"' "$train"
head -n 1 log | grep -qF '"run":"first \"try\"","model_file":"model.safetensors",' || fail "the run has another name"
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log log -o sub.safetensors.old "$train"
head -n 1 log | grep -qF '"run":"sub.safetensors.old"' || fail "the run has another name"
expect_refused --run-name train "${settings[@]}" --run-name x "$train"
expect_refused --run-name train "${settings[@]}" --run-name x --log log.csv "$train"
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 3 --log log "$train"

# The format of a log does not change within a file, and nothing is appended to a file that is not a log.
not_added() { # not_added REGEX LOG [OPTION]...
  local regex=$1 log=$2
  cp "$log" before
  expect_error 73 "^elman: $log: $regex\$" train "${settings[@]}" --epochs 4 --resume --log "$log" "${@:3}" "$train"
  cmp "$log" before || fail "$log changed"
}
other='and lines of another format cannot be appended to it; use --log-format'
not_added "is a CSV log, $other csv, or name another file" rows
not_added "is a CSV log, $other csv, or name another file" log.csv --log-format json
not_added "is a JSON Lines log, $other json, or name another file" log --log-format csv
echo event,epoch >columns.csv
not_added 'is not a training log, so nothing can be appended to it; name another file' columns.csv
cp dev.tsv dev.copy
not_added 'is not a training log, so nothing can be appended to it; name another file' dev.copy

# Only a log is replaced, unless --force is given.
kept() { # kept FILE: it is not a log and is not replaced
  cp "$1" before
  for option in -q --log-format=csv --log-format=json; do
    expect_exit 73 "$ELMAN" train "${settings[@]}" --epochs 1 --log "$1" $option "$train"
    expect_stderr_match "^elman: $1: is not a training log and would be overwritten; add --force to overwrite it, or name another file with --log\$"
    cmp "$1" before || fail "$1 changed"
  done
  # The error precedes all reading of data.
  expect_exit 73 "$ELMAN" train "${settings[@]}" --log "$1" nowhere.tsv
}
kept columns.csv
echo '{"name": "settings"}' >settings.json
kept settings.json
echo '{"event":"login","user":7}' >events.jsonl # of another program
kept events.jsonl
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --force --log settings.json "$train"
head -c 16 settings.json | grep -qF '{"event":"start"' || fail "no log was written"
: >empty
printf '{"eve' >killed
head -n 3 log.csv | cut -d, -f 1-9 >earlier.csv
for replaced in empty killed earlier.csv rows objects.csv; do
  expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log "$replaced" --log-format json "$train"
  expect_no_stderr
  [ "$(grep -c '^{"event":"start"' "$replaced")" -eq 1 ] || fail "$replaced was not replaced"
done
for written in rows killed; do
  expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log "$written" --log-format csv "$train"
  [ "$(grep -c '^event,epoch,' "$written")" -eq 1 ] || fail "expected one header"
  [ "$(wc -l <"$written")" -eq 31 ] || fail "expected a header, 29 updates and a validation"
done

# A link that another user made in a directory that all may write to is not followed.
if [ "$(id -u)" -eq 0 ]; then
  mkdir -m 1777 shared
  cp log shared-log
  ln -s ../shared-log shared/log
  ln -s ../missing shared/new
  chown -h 65534 shared/log shared/new
  for planted in log new; do
    for option in --epochs=1 --resume; do
      expect_error 73 "^elman: shared/$planted: is a symbolic link of another user in a world-writable directory; " \
        train "${settings[@]}" --log shared/$planted $option "$train"
    done
  done
  cmp log shared-log || fail "a link was followed"
  [ ! -e missing ] || fail "a link was followed"
fi
# The user's own link is followed.
cp rows linked
ln -s linked link
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --log link --log-format csv "$train"
[ -L link ] && [ "$(wc -l <linked)" -eq 31 ] || fail "the link was replaced or not followed"

# An incomplete line of a killed run is not joined to the next one.
printf 'update,3,88,0.5' >>log.csv
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 4 --resume --log log.csv "$train"
grep -qx $'update,3,88,0.5\r' log.csv || fail "a row was joined to an incomplete one"
printf '{"event":"upd' >>log
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 5 --resume --log log "$train"
grep -qx '{"event":"upd' log || fail "an object was joined to an incomplete one"

# A log that cannot be written.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 "$train"
# The error is reported before the pairs are read, and no file is created.
expect_exit 73 "$ELMAN" train "${settings[@]}" --log no/such missing.tsv
expect_exit 66 "$ELMAN" train "${settings[@]}" --log never missing.tsv
[ ! -e never ] || fail "a log was created without training"
expect_exit 74 "$ELMAN" train "${settings[@]}" --epochs 1 --log /dev/full -o kept "$train"
message='elman: /dev/full: cannot write the log: No space left on device; training continues without it'
[ "$(cat "$results/stderr")" = "$message" ] || fail "expected this message once, got other messages"
expect_exit 0 cmp kept model.safetensors
# An error during training is reported when it occurs.
expect_exit 74 "$ELMAN" train "${settings[@]:1}" --epochs 1 --log /dev/full -o kept "$train"
[ "$(grep -E 'the log|^epoch' "$results/stderr" | head -n 1)" = "$message" ] || fail "the error was reported after the epoch"
expect_exit 0 "$ELMAN" inspect -m kept

# A skipped update has no loss, nor has an epoch without other updates. The last event has their number.
wild=(-t 1 --epochs 2 --hidden-size 8 --embedding-size 8 --learning-rate 1e30 --cell relu --clip-norm 0 -o wild)
expect_note '^epoch 2 of 2  loss nan  0 tokens/s$' train "${wild[@]}" --log wild.jsonl "$DATA/toy.zh-en.tsv"
expect_stderr_match '^1 update skipped: the loss or its gradient was not finite; lower the learning rate '
tail -n 1 wild.jsonl | grep -q '"update":2,"loss":null,"epoch_loss":null,.*"skipped":1' || fail "a loss without an update"
expect_exit 0 "$ELMAN" train -q "${wild[@]}" --log wild.csv "$DATA/toy.zh-en.tsv"
expect_no_stderr
tail -n 1 wild.csv | grep -qE '^update,2,2,,,,1e\+30,[^,]*,[^,]*,1,' || fail "a loss without an update"

# No file named '-' is created.
expect_refused --log train "${settings[@]}" --log - "$train"
[ ! -e ./- ] || fail "a file named - was created"
