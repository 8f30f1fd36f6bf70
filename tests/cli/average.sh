# The mean of models.

train() { # train FILE OPTION...
  expect_exit 0 "$ELMAN" train -q -t 1 -o "$@" "$DATA/toy.zh-en.tsv"
}
small=(--hidden-size 3 --embedding-size 2)
train start "${small[@]}" --epochs 2
train one --epochs 1 --init-from start
train two --epochs 3 --init-from start

expect_exit 0 "$ELMAN" average -o mean one two
expect_stdout
expect_stderr_match '^mean: the mean of 2 models$'
# Weight by weight, and the history of the one that has learnt longer.
python3 - <<'END_PYTHON' || fail "not the mean"
import json, struct
def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    training = json.loads(header["__metadata__"]["elman.training"])
    return [x for x, in struct.iter_unpack("<f", data[8 + length:])], training["updates"]
f32 = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
(one, few), (two, more), (mean, updates) = read("one"), read("two"), read("mean")
assert one != two and few < more == updates
assert mean == [f32((a + b) / 2) for a, b in zip(one, two)]
END_PYTHON
expect_exit 0 "$ELMAN" translate -m mean -q '我 爱 学习'

# The mean of equals is what they are; the file is written whole or not at all.
expect_exit 0 "$ELMAN" average -q -o same one one one
expect_no_stderr
cmp one same || fail "the mean of a model and itself is another one"
expect_exit 0 "$ELMAN" average -q -o same one
cmp one same || fail "the mean of one model is another one"

train larger --epochs 0 --hidden-size 4 --embedding-size 2
expect_exit 64 "$ELMAN" average -o mean one larger
expect_stderr_match '^elman: larger: differs from one: hidden size is 3 there and 4 here$'
head -n 2 "$DATA/toy.zh-en.tsv" >few.tsv
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 0 "${small[@]}" -o few few.tsv
expect_exit 64 "$ELMAN" average -o mean one few
expect_stderr_match "^elman: few: differs from one: the source vocabulary's size is 19 there and [0-9]+ here$"
expect_exit 66 "$ELMAN" average -o mean one nowhere
expect_exit 65 "$ELMAN" average -o mean few.tsv
expect_exit 64 "$ELMAN" average -o one one two
expect_stderr_match "'one' is read"
expect_exit 73 "$ELMAN" average -o nowhere/mean one two
expect_exit 64 "$ELMAN" average -o mean
expect_stderr_match 'name the MODELs'
expect_exit 64 "$ELMAN" average one two
expect_stderr_match 'where does the mean go'
