# Several processes give the scores of one process.
. "$(dirname "$case_file")/start.sh"

"$ELMAN" train -q -t 1 --attention scaled --epochs 2 "$DATA/daily.train.zh-en.tsv" || fail "training failed"
for options in '' '--json --beam 2 --alignments 3 -t 1' '-m model.safetensors -m model.safetensors --json'; do
  expect_exit 0 "$ELMAN" evaluate $options "$DATA/daily.test.zh-en.tsv"
  cp "$results/stdout" expected
  for count in 2 3; do
    expect_exit 0 processes $count "$ELMAN" evaluate $options "$DATA/daily.test.zh-en.tsv"
    cmp expected "$results/stdout" || fail "the scores differ with $count processes"
  done
done

# `translate` runs as one process only.
expect_exit 64 processes 2 "$ELMAN" translate 我
expect_stdout
expect_stderr_match '^elman: started as one of 2 processes \(OMPI_COMM_WORLD_SIZE\), but translate runs as one process; '
