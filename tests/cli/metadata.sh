# Extreme counts and other formats in models and checkpoints; inputs that are not regular files.

toy=$DATA/toy.zh-en.tsv
shape=(--hidden-size 8 --embedding-size 8)
train() {
  expect_exit 0 "$ELMAN" train -q -t 1 "$@" "$toy"
}

# change FROM TO KEY JSON: merge the entries of JSON into a metadata key; if JSON is a string, replace the key's value.
change() {
  alter "$1" "$2" '
key, new = arguments[0], json.loads(arguments[1])
metadata[key] = new if isinstance(new, str) else json.dumps({**json.loads(metadata[key]), **new})' "$3" "$4"
}

largest=$(((1 << 53))) too_large=$(((1 << 53) + 1)) overflow=9223372036854775807
train "${shape[@]}" -o M --epochs 5

# A model with the largest counts loads and can be trained further; sums saturate and remain readable.
change M large elman.training "{\"epochs\": $largest, \"updates\": $largest, \"tokens\": $largest}"
train --init-from large -o longer --epochs 3
expect_output "\"training\":\{\"epochs\":$largest,\"updates\":$largest,\"tokens\":$largest," inspect --json -m longer
expect_exit 0 "$ELMAN" translate -m longer '我 爱 学习'
for count in $too_large $overflow -1; do
  change M bad elman.training "{\"tokens\": $count}"
  expect_error 65 'elman: bad: .*elman\.training' train -q --init-from bad -o unwritten "$toy"
  [ ! -e unwritten ] || fail "a model was written"
done

# The same counts in checkpoints: those of the run, and those of its initial model.
expect_exit 124 timeout -s INT 1 "$ELMAN" train -q -t 1 "${shape[@]}" --epochs 1000000 \
  -o stopped "$toy"
resume() {
  cp stopped part
  "$ELMAN" train -q -t 1 "${shape[@]}" --epochs 1000000 --resume -o part "$toy"
}
for key in '"update": -1' "\"epoch\": $overflow"; do
  change stopped.checkpoint part.checkpoint elman.state "{$key}"
  expect_message 65 'elman: part.checkpoint: not a usable checkpoint: elman\.state' resume
done
change stopped.checkpoint part.checkpoint elman.start "{\"tokens\": $too_large}"
expect_message 65 'elman: part.checkpoint: not a usable checkpoint: elman\.start' resume

# A file of another format is refused, and the error names the format and the version that wrote the file.
change M newer elman.version '"0.10.0"'
expect_exit 0 "$ELMAN" translate -m newer '我 爱 学习'
change newer newest elman.format '"2"'
expect_error 65 'newest: has format 2 of elman 0\.10\.0; elman 0\.1\.0 reads format 1 only' translate -m newest '我 爱 学习'
change stopped.checkpoint part.checkpoint elman.format '"0"'
expect_message 65 'part\.checkpoint: has format 0 of elman 0\.1\.0; .* rename or delete it to start over$' resume

# Pipes, directories and devices are refused at once.
mkfifo pipe
mkdir folder
for input in pipe folder /dev/null; do
  expect_exit 66 timeout 10 "$ELMAN" translate -m $input '我 爱 学习'
  expect_message 66 "^elman: $input: is a (pipe or a device|directory); " timeout 10 "$ELMAN" train -q --init-from \
    $input -o unwritten "$toy"
done
for kind in 'mkfifo' 'mkdir'; do
  rm part.checkpoint
  $kind part.checkpoint
  cp stopped part
  expect_message 66 '^elman: part\.checkpoint: is a (pipe or a device; save|directory; name a file)' timeout 10 \
    "$ELMAN" train -q --resume -o part "$toy"
  [ $kind = mkfifo ] || rmdir part.checkpoint
done

# Standard input may be a model if it is a regular file; a pipe is refused.
expect_exit 0 "$ELMAN" translate -m /dev/stdin '我 爱 学习' <M
cat M | expect_exit 66 "$ELMAN" translate -m /dev/stdin '我 爱 学习'
expect_stderr_match '^elman: /dev/stdin: is a pipe or a device'
