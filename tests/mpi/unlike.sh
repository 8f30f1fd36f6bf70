# Processes of unlike machines: kernels, OpenBLAS and the number of threads differ between processes.
. "$(dirname "$case_file")/start.sh"

# unlike COUNT COMMAND...: run process 0 as it is, and the others with other kernels and another family.
unlike() {
  local other=(env ELMAN_PRODUCT_KERNEL=fmaf OPENBLAS_CORETYPE=Nehalem)
  "${mpirun[@]}" -n 1 "${@:2}" : -n $(($1 - 1)) "${other[@]}" "${@:2}"
}

head -n 300 "$DATA/daily.train.zh-en.tsv" >pairs
head -n 40 "$DATA/daily.test.zh-en.tsv" >dev
options=(--shards 3 --batch-size 30 --hidden-size 40 --embedding-size 24 --cell gru --learning-rate 0.02 --dropout 0.2
  --average 0.9 --dev dev --epochs 2)

# Portable: the same model, checkpoint and log.
expect_exit 0 "$ELMAN" train -q -t 1 --arithmetic portable "${options[@]}" --log log pairs
mkdir expected
mv model.safetensors model.safetensors.checkpoint expected
without_times log >expected/log
for count in 2 3; do
  expect_exit 0 unlike $count "$ELMAN" train -q -f -t 2 --arithmetic portable "${options[@]}" --log log pairs
  for file in model.safetensors model.safetensors.checkpoint; do
    cmp expected/$file $file || fail "$file differs with $count processes"
  done
  without_times log | cmp expected/log - || fail "the log differs with $count processes"
done

# The same translations.
output_to expected/scores evaluate -m model.safetensors --json --beam 3 dev
expect_exit 0 unlike 3 "$ELMAN" evaluate -m model.safetensors --json --beam 3 dev
cmp expected/scores "$results/stdout" || fail "the scores differ"

# Fast: the processes refuse to run together, and the message names the remedy.
expect_exit 64 unlike 2 "$ELMAN" train -q -f -t 1 "${options[@]}" pairs
expect_stderr_match '^elman: process 1: .* here, but .* in process 0; processors and compilers may differ only with portable arithmetic \(--arithmetic portable\)$'
expect_exit 0 "$ELMAN" train -q -f -t 1 "${options[@]}" -o fast pairs
expect_message 64 'kernels may differ in portable arithmetic' unlike 2 "$ELMAN" evaluate -m fast dev
