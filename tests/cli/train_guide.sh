# Guided alignment: sources of alignments, errors, and a result that does not depend on threads, shards or
# stops.

command -v python3 >/dev/null || exit 77
head -n 200 "$DATA/daily.train.zh-en.tsv" >train.tsv
cut -f 1 train.tsv >zh
cut -f 2 train.tsv >en
cut -f 3 train.tsv >links
settings=(--threads 1 --hidden-size 12 --embedding-size 8 --batch-size 16 --epochs 2 --learning-rate 0.01)

# ---- effect ----

expect_note '^guided alignment from column 3, weight 0\.3 \(--guide-weight\)$' train "${settings[@]}" --guide 3 --log \
  log train.tsv
cp model.safetensors guided
python3 - log <<'END' || fail "the log differs"
import json, sys
start, *updates = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
assert start["guide_weight"] == 0.3, start
assert all(u["linked"] > 40 and u["guide_loss"] > 0 for u in updates), updates
assert updates[-1]["guide_loss"] < 0.9 * updates[0]["guide_loss"]
END
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide 3 --log log.csv train.tsv
awk -F, 'NR > 1 && !($11 > 0 && $12 > 40) { bad = 1 } END { exit bad || NR < 27 }' log.csv ||
  fail "the CSV log lacks the guided-alignment loss"
expect_output '^guide weight +0\.3$' inspect -m guided

# Alignments from a file, for a column or two files of sentences, with the default weight.
expect_model guided -q "${settings[@]}" --guide links --guide-weight 0.3 train.tsv
expect_model guided -q "${settings[@]}" --guide links --source zh --target en
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide - train.tsv <links
cmp guided model.safetensors || fail "alignments from standard input give a different model"

# The model does not depend on the number of threads. Shards change rounding only, since the mean is over the batch.
expect_exit 0 last_wins "$ELMAN" train -q "${settings[@]}" --guide 3 --threads 2 train.tsv
cmp guided model.safetensors || fail "two threads train a different model"
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide 3 --shards 3 --log shards train.tsv
python3 - log shards <<'END' || fail "shards change the loss"
import json, sys
of = lambda path: [json.loads(line) for line in open(path, encoding="utf-8")][1:]
for a, b in zip(of(sys.argv[1])[:8], of(sys.argv[2])[:8]):
    assert a["linked"] == b["linked"] and abs(a["guide_loss"] - b["guide_loss"]) < 1e-2, (a, b)
END

# Without a dropped value, both copies of R-Drop are alike: the updates are the same, and count each pair once.
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide 3 --shards 3 --dropout 1e-10 --r-drop 1000 --log copies train.tsv
python3 - shards copies <<'END' || fail "copies of the pairs change the loss"
import json, math, sys
of = lambda path: [json.loads(line) for line in open(path, encoding="utf-8")][1:]
for a, b in zip(of(sys.argv[1]), of(sys.argv[2]), strict=True):
    assert a["linked"] == b["linked"], (a, b)
    assert all(math.isclose(a[k], b[k], rel_tol=1e-2) for k in ("loss", "epoch_loss", "guide_loss", "gradient_norm")), (a, b)
END

# Exported attention can be used as a guide.
"$ELMAN" attention -m guided --format pharaoh --references en -i zh >exported
expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide exported train.tsv

# ---- stop and resume ----

expect_exit 0 "$ELMAN" train -q "${settings[@]}" --guide links --save-every 0.001 train.tsv
expect_exit 0 last_wins "$ELMAN" train -q "${settings[@]}" --guide links --epochs 3 --resume train.tsv
cp model.safetensors resumed
expect_exit 0 last_wins "$ELMAN" train -q "${settings[@]}" --guide links --epochs 3 -o whole train.tsv
cmp resumed whole || fail "a guided run that was resumed trains a different model"
belongs='^elman: model.safetensors.checkpoint: the checkpoint belongs to another run: '
refused() { # refused REGEX ARGUMENT...
  expect_refused "$1" train -q "${settings[@]}" --resume "${@:2}" train.tsv
}
refused "${belongs}guide weight was 0\.3 and is now 1(\.0)?; " --guide links --guide-weight 1
refused "${belongs}guide weight was 0\.3 and is now 0(\.0)?; "
refused "${belongs}guide was links and is now exported; " --guide exported
sed -i '1s/ .*//' links
refused "${belongs}guide \(links\) changed; " --guide links

# ---- bad alignments ----

{
  printf '我 爱 学习\tI love studying\t0-0 1-1 2-2\n'
  printf '他 喝 茶\tHe drinks tea\t0-0 3-1\n'
  printf '你 好\tHello\t\n'
  printf '她 在 家\tShe is home\tat home\n'
  printf '我 在 家\tI am home\n'
} >bad
expect_note '^bad:2: skipped: alignment 3-1 is out of range: i-j counts from 0, and the sides have 3 and 3 words$' \
  train "${settings[@]}" --guide 3 bad
expect_stderr_match '^bad:4: skipped: "at home" is not an alignment of the form i-j; check the column or file$'
expect_stderr_match '^bad:5: skipped: has 2 columns; column 3 is required'
expect_stderr_match '^2 pairs; 3 lines skipped$'
expect_stderr_match '^guided alignment ignores 1 pair without alignment links$'
# In Chinese without spaces, alignments count tokens, so the token mode is needed to check them.
printf '我爱学习\tI love studying\t0-0 4-2\n' >unspaced
expect_error 65 '^elman: unspaced:1: alignment 4-2 is out of range: ' train -q "${settings[@]}" --source-tokens chars \
  --guide 3 unspaced
# In such text, too, a pair with a bad link is skipped, unless --strict is given or most links are bad.
{ cat unspaced; printf '我爱学习\tI love studying\t0-0 3-2\n他喝茶\tHe drinks tea\t2-2\n'; } >some
expect_note '^1 pair skipped because of the alignment, the first: some:1: alignment 4-2 is out of range' train \
  "${settings[@]}" --source-tokens chars --guide 3 some
expect_error 65 '^elman: some:1: alignment 4-2 is out of range: ' train -q "${settings[@]}" --source-tokens chars \
  --guide 3 --strict some
expect_exit 0 "$ELMAN" gradcheck -m model.safetensors --guide '0-1 1-0' '中华人民共和国 成立' 'founded PRC'
expect_exit 65 "$ELMAN" gradcheck -m model.safetensors --guide '2-0' '中华人民共和国 成立' 'founded PRC'
printf '我 爱\tI love\t\n你 好\tHello\t\n' >unlinked
expect_error 65 '^elman: no pair has a word alignment to guide attention' train -q "${settings[@]}" --guide 3 unlinked

# ---- invalid combinations of options ----

wrong() { # wrong REGEX ARGUMENT...
  expect_refused "$1" train -q "${settings[@]}" "${@:2}"
}
wrong --guide --guide 3 --guide-weight 0 train.tsv
wrong '--subword-dropout cannot be combined with --guide$' --guide 3 --subwords 9 --subword-dropout 0.1 train.tsv
wrong --guide --guide 0 train.tsv
wrong --guide --guide '' train.tsv
wrong --guide --guide 3 --source zh --target en
wrong --guide --guide links train.tsv train.tsv
wrong 'standard input .* once' --guide - -

# ---- the gradient ----

expect_output "^guided-alignment loss [0-9.]+, the mean over 3 linked target tokens$" gradcheck -m guided --guide \
  '0-0 1-1 2-2' '我 喜欢 书' 'I like books'
expect_stdout_match ': all gradients passed'
expect_output '"tokens":8,"guide_loss":[0-9.]+,"linked":1,"passed":true,"failed":false,' gradcheck -m guided --json \
  --attention-dropout 0.2 --guide '0-0' --guide '' --guide-weight 2 '我 喜欢 书' 'I like books' '他 忙' 'He is busy'
expect_refused --guide gradcheck -m guided --guide '0-0' '我' 'I' '他' 'He'
expect_exit 64 "$ELMAN" gradcheck -m guided --guide-weight 2 '我' 'I'
expect_error 65 'pair 1: alignment 0-9 is out of range' gradcheck -m guided --guide '0-9' '我' 'I'
