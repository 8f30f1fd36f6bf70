# The log of a training: JSON Lines.

command -v python3 >/dev/null || exit 77
train=$DATA/daily.train.zh-en.tsv
head -n 30 "$DATA/daily.test.zh-en.tsv" >dev.tsv
settings=(-q -t 1 --hidden-size 8 --embedding-size 8 --batch-size 64 --dev dev.tsv)

# check_log UPDATES VALIDATIONS: events, keys and values of the file `log`.
check_log() {
  python3 - log "$@" <<'END' || fail "the log is wrong"
import json, sys
starts, *records = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for r in [starts, *[r for r in records if r["event"] == "start"]]: # the settings, once a run
    assert r["event"] == "start" and r["batch_size"] == 64 and r["hidden_size"] == 8, r
    assert r["learning_rate"] == 0.001 and r["seed"] == 1 and r["version"] and r["epochs"] >= 1, r
records = [r for r in records if r["event"] != "start"]
keys = {
    "update": ["event", "epoch", "update", "loss", "epoch_loss", "gradient_norm", "lr",
               "tokens_per_second", "skipped"],
    "validation": ["event", "epoch", "update", "loss", "perplexity", "exact_match", "bleu", "chrf",
                   "best"],
}
for record in records:
    assert list(record) == keys[record["event"]], record
updates = [r for r in records if r["event"] == "update"]
validations = [r for r in records if r["event"] == "validation"]
assert [r["update"] for r in updates] == list(range(1, int(sys.argv[2]) + 1))
assert len(validations) == int(sys.argv[3]), validations
for r in updates:
    assert r["epoch"] == (r["update"] - 1) // 29 + 1, r
    assert r["loss"] > 0 and r["gradient_norm"] > 0 and r["lr"] > 0 and r["skipped"] == 0, r
for r in validations:
    assert r["best"] in (True, False) and 0 <= r["bleu"] <= 100 and 0 <= r["exact_match"] <= 1, r
    position = records.index(r)
    assert records[position - 1]["update"] == r["update"], r
END
}

expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --log log "$train"
expect_no_stderr
check_log 58 2
grep -q '"update":1,.*"lr":0.001,' log || fail "another learning rate"

# The rate follows the schedule.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 --lr-schedule inverse-sqrt --warm-up 4 \
  --log log "$train"
check_log 29 1
grep -q '"update":1,.*"lr":0.00025,' log || fail "no warm-up"
grep -q '"update":4,.*"lr":0.001,' log || fail "no peak"
grep -q '"update":16,.*"lr":0.0005,' log || fail "no inverse root"

# A resumed run goes on in the same file; any other starts a new one.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 2 --save-every 0.001 --log log "$train"
check_log 58 2
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 3 --resume --log log "$train"
check_log 87 3

# The log is not written over what is read, nor over the model.
cp "$train" pairs
refused() { # refused REGEX FILE
  expect_exit 64 "$ELMAN" train "${settings[@]}" --epochs 1 --log "$2" pairs
  expect_stderr_match "$1"
}
refused "^elman: train: --log: 'pairs' holds the pairs; name another file$" pairs
refused "^elman: train: --log: 'dev.tsv' holds the pairs; name another file$" dev.tsv
refused "^elman: train: --log: 'model.safetensors' is the model; name another file$" model.safetensors
cmp pairs "$train" || fail "the pairs are lost"
expect_exit 0 "$ELMAN" inspect

# A log that cannot be written.
expect_exit 0 "$ELMAN" train "${settings[@]}" --epochs 1 "$train"
expect_exit 73 "$ELMAN" train "${settings[@]}" --epochs 1 --log no/such "$train"
expect_stderr_match '^elman: no/such: cannot create the log: No such file or directory$'
expect_exit 74 "$ELMAN" train "${settings[@]}" --epochs 1 --log /dev/full -o kept "$train"
told='elman: /dev/full: cannot write the log: No space left on device; training goes on without it'
[ "$(cat "$results/stderr")" = "$told" ] || fail "told in other words, or more than once"
expect_exit 0 cmp kept model.safetensors
# It is told when it happens.
expect_exit 74 "$ELMAN" train "${settings[@]:1}" --epochs 1 --log /dev/full -o kept "$train"
[ "$(grep -E 'the log|^epoch' "$results/stderr" | head -n 1)" = "$told" ] || fail "told too late"
expect_exit 0 "$ELMAN" inspect -m kept
