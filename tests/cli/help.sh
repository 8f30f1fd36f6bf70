# Help goes to stdout with exit code 0. A wrong command line gives 64 and nothing on stdout.

expect_exit 64 "$ELMAN"
expect_stdout
expect_stderr_match '^Usage: elman COMMAND'

expect_exit 0 "$ELMAN" --version
expect_stdout 'elman 0.1.0'

# Details for a bug report; the BLAS family, if one was chosen.
expect_exit 0 "$ELMAN" --version --verbose
expect_stdout_match '^elman 0.1.0$'
expect_stdout_match '^BLAS +OpenBLAS [0-9]'
expect_stdout_match "^kernels +${OPENBLAS_CORETYPE:-[A-Za-z0-9_]+}, "
expect_stdout_match '^threads +[1-9][0-9]*$'
if [ -n "${OPENBLAS_CORETYPE-}" ]; then
  expect_stdout_match 'set by OPENBLAS_CORETYPE'
fi
expect_exit 64 "$ELMAN" --version --verbos
expect_stderr_match "--version: unexpected '--verbos'"

for ask in help --help -h; do
  expect_exit 0 "$ELMAN" $ask
  expect_no_stderr
  expect_stdout_match '^  translate '
done

list_commands >commands
grep -qx 'corpus check' commands || fail "subcommands are missing: $(xargs <commands)"
for command in corpus subwords; do
  echo $command
done >>commands
while read -r command; do
  expect_exit 0 "$ELMAN" $command --help
  expect_no_stderr
  expect_stdout_match "^Usage: elman $command "
  cp "$results/stdout" first
  expect_exit 0 "$ELMAN" help $command
  cmp first "$results/stdout" || fail "'help $command' and '$command --help' differ"
  [ "$(wc -L <first)" -le 100 ] || fail "help $command has a line of more than 100 columns"
done <commands

# Many options are grouped, in a fixed order; few options form one list.
expect_exit 0 "$ELMAN" help train
groups_in_help <"$results/stdout" | grep ':' | xargs >found
[ "$(cat found)" = 'Input: Output: Training: Validation: Optimization: Regularization: Network: Attention: Tokenization: General:' ] ||
  fail "wrong groups of train: $(cat found)"
expect_exit 0 "$ELMAN" help average
expect_stdout_match '^Options:$'

# Help names the defaults, also after other options.
expect_exit 0 "$ELMAN" train --batch-size 7 --help
expect_stdout_match '--batch-size N .*default: 32'

# Help names the defaults of a preset.
preset() { # preset NAME OPTION=DEFAULT...
  expect_exit 0 "$ELMAN" train --preset "$1" --help
  # Join an option and the continuation lines of its text.
  sed -Ez 's/\n {10,}/ /g' -i "$results/stdout"
  for default in "${@:2}"; do
    expect_stdout_match "--${default%=*} .*default: ${default#*=}\\)"
  done
}
preset plain embedding-size=128 hidden-size=128 batch-size=32 dropout=0 label-smoothing=0 average=0 \
  min-count=1 attention=dot
! grep -q 'default: on' "$results/stdout" || fail "the preset plain turns on a switch"
shared=(batch-size=64 label-smoothing=0.1 average=0.999 min-count=2 attention=additive
  bidirectional=on attentional-layer=on orthogonal=on source-tokens=auto-bpe target-tokens=auto-bpe
  subword-dropout=0.1 tune-search=on)
gated=(cell=gru lr-schedule=linear warm-up=400)
preset small "${gated[@]}" embedding-size=128 hidden-size=256 subwords=1200 dropout=0.3 lr=0.003 epochs=30 "${shared[@]}"
large=(embedding-size=512 hidden-size=512 tie-embeddings=on subwords=2000 lr=0.002 "${shared[@]}")
preset base "${large[@]}" cell=elman layer-norm=on lr-schedule=late-linear warm-up=400 dropout=0.4 epochs=36
preset strong "${large[@]}" "${gated[@]}" dropout=0.5 epochs=28

expect_exit 64 "$ELMAN" trian
expect_stderr_match "unknown command 'trian'; did you mean 'train'\?"
for pair in 'quantize convert' 'subwords:train learn' 'subwords:encode apply'; do
  command=${pair% *}
  expect_exit 64 "$ELMAN" ${command/:/ }
  expect_stderr_match "unknown command '${command#*:}'; did you mean '${pair#* }'\?"
done
expect_exit 64 "$ELMAN" hlep
expect_stderr_match "unknown command 'hlep'; did you mean 'help'\?"
# A word that differs in two of three letters gets no suggestion.
for other in xyzzy hex rex; do
  expect_exit 64 "$ELMAN" help $other
  expect_stderr_match "unknown command '$other'"
  ! grep -q 'did you mean' "$results/stderr" || fail "a suggestion for $other"
done
expect_exit 64 "$ELMAN" check
expect_stderr_match "unknown command 'check'; did you mean 'corpus check'\?"
expect_exit 64 "$ELMAN" version
expect_stderr_match "unknown command 'version'; did you mean '--version'\?"
expect_exit 64 "$ELMAN" --translate
expect_stderr_match "unknown option '--translate'; did you mean 'translate'\?"
expect_exit 0 "$ELMAN" --help corpus check
expect_stdout_match '^Usage: elman corpus check'
expect_exit 64 "$ELMAN" --frob
expect_stderr_match "unknown option '--frob'"
