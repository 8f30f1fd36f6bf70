# Help goes to stdout with exit code 0. A wrong command line gives 64 and nothing on stdout.

expect_exit 64 "$ELMAN"
expect_stdout
expect_stderr_match '^Usage: elman COMMAND'

expect_exit 0 "$ELMAN" --version
expect_stdout 'elman 0.1.0'

# Details for a bug report; the BLAS family, if one was chosen.
expect_output '^elman 0.1.0$' --version --verbose
expect_stdout_match '^BLAS +OpenBLAS [0-9]'
expect_stdout_match "^kernels +${OPENBLAS_CORETYPE:-[A-Za-z0-9_]+}, "
expect_stdout_match '^threads +[1-9][0-9]*$'
if [ -n "${OPENBLAS_CORETYPE-}" ]; then
  expect_stdout_match 'set by OPENBLAS_CORETYPE'
fi
expect_refused "--version: unexpected '--verbos'" --version --verbos

for ask in help --help -h; do
  expect_output '^  translate ' $ask
  expect_no_stderr
done

list_commands >commands
grep -qx 'corpus check' commands || fail "subcommands are missing: $(xargs <commands)"
for command in corpus subwords; do
  echo $command
done >>commands
while read -r command; do
  expect_output "^Usage: elman $command " $command --help
  expect_no_stderr
  cp "$results/stdout" first
  expect_same first help $command
  [ "$(wc -L <first)" -le 100 ] || fail "help $command has a line of more than 100 columns"
done <commands

# Many options are grouped, in a fixed order; few options form one list.
expect_exit 0 "$ELMAN" help train
groups_in_help <"$results/stdout" | grep ':' | xargs >found
[ "$(cat found)" = 'Input: Output: Training: Validation: Optimization: Regularization: Network: Attention: Tokenization: General:' ] ||
  fail "wrong groups of train: $(cat found)"
expect_output '^Options:$' help average

# Help names the defaults, also after other options.
expect_output '--batch-size N .*default: 32' train --batch-size 7 --help

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

expect_refused "unknown command 'trian'; did you mean 'train'\?" trian
for pair in 'quantize convert' 'subwords:train learn' 'subwords:encode apply'; do
  command=${pair% *}
  expect_refused "unknown command '${command#*:}'; did you mean '${pair#* }'\?" ${command/:/ }
done
expect_refused "unknown command 'hlep'; did you mean 'help'\?" hlep
# A word that differs in two of three letters gets no suggestion.
for other in xyzzy hex rex; do
  expect_refused "unknown command '$other'" help $other
  ! grep -q 'did you mean' "$results/stderr" || fail "a suggestion for $other"
done
expect_refused "unknown command 'check'; did you mean 'corpus check'\?" check
expect_refused "unknown command 'version'; did you mean '--version'\?" version
expect_refused "unknown option '--translate'; did you mean 'translate'\?" --translate
expect_output '^Usage: elman corpus check' --help corpus check
expect_refused "unknown option '--frob'" --frob
