# Training with operands in bfloat16, alone and together with other options.

head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs
cut -f 1 "$DATA/daily.test.zh-en.tsv" | head -n 20 >sentences
small=(--hidden-size 24 --embedding-size 16 --epochs 2)
long=(--hidden-size 24 --embedding-size 16 --epochs 4)

# The model, the log and inspect name the precision.
expect_exit 0 "$ELMAN" train -q "${small[@]}" --precision bfloat16 --log log -o half pairs
expect_exit 0 "$ELMAN" train -q "${small[@]}" --precision float32 -o named pairs
expect_model named -q "${small[@]}" -o single pairs
grep -q '"precision":"bfloat16"' log || fail "the log does not name the precision"
expect_output '^precision +bfloat16$' inspect -m half
[ "$(stat -c %s single)" -le "$(stat -c %s half)" ] || fail "the weights of the model are not float32"
expect_exit 0 "$ELMAN" translate -m half -i sentences
expect_exit 0 "$ELMAN" average -o mean half single

# Another precision is another run. A model may continue in either one.
expect_refused 'another run: precision' train -q "${long[@]}" --resume -o half pairs
expect_refused 'another run: precision' train -q "${long[@]}" --resume --precision bfloat16 -o single pairs
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from half -o continued pairs
expect_output '^precision +float32$' inspect -m continued

# A run that stops and resumes has the bits of one that does not.
expect_exit 0 "$ELMAN" train -q "${long[@]}" --precision bfloat16 -o whole pairs
expect_model whole -q "${long[@]}" --precision bfloat16 --resume -o half pairs

# The bits depend on neither the number of threads nor, for a given number of shards, on where these are computed. The
# sizes are large enough for threads.
head -n 192 "$DATA/daily.zh-en.tsv" >more
for settings in '--hidden-size 256' '--hidden-size 128 --cell gru --shards 4 --batch-size 64' \
  '--hidden-size 256 --cell lstm --arithmetic portable'; do
  for threads in 1 2 5; do
    # shellcheck disable=SC2086 # words of a command
    expect_exit 0 "$ELMAN" train -q -t $threads --epochs 1 --precision bfloat16 --dropout 0.1 $settings -f -o model.$threads more
    cmp model.1 model.$threads || fail "the model depends on the number of threads: $settings"
  done
done

# In portable arithmetic, the bits do not depend on the kernel. No kernel is faster there.
for kernel in '' fmaf; do
  [ -z "$kernel" ] || export ELMAN_PRODUCT_KERNEL=$kernel
  expect_note '^bfloat16 is not faster in portable arithmetic: ' train "${small[@]}" --precision bfloat16 --arithmetic \
    portable -f -o "portable$kernel" pairs
done
cmp portable portablefmaf || fail "the bits of portable arithmetic depend on the kernel"

# Without the instructions, updates are computed in float32, and a note says so.
expect_note '^bfloat16 is not faster here, because the processor, the chosen kernel or the system does not offer fast instructions ' train \
  "${small[@]}" --precision bfloat16 -o asked pairs
"$ELMAN" train -q "${small[@]}" -o exact pairs
cmp <("$ELMAN" score -q -m asked pairs) <("$ELMAN" score -q -m exact pairs) || fail "an update in float32 is rounded"
"$ELMAN" train -q "${small[@]}" --arithmetic portable -o exact.portable pairs
! cmp -s <("$ELMAN" score -q -m portable pairs) <("$ELMAN" score -q -m exact.portable pairs) ||
  fail "portable arithmetic does not round"
unset ELMAN_PRODUCT_KERNEL
expect_no_note bfloat16 train "${small[@]}" -f -o single pairs

# A processor with the instructions states how long an update takes.
case $("$ELMAN" --version --verbose) in
  *'bfloat16 AMX-BF16;'* | *'bfloat16 AVX512-BF16;'*)
    expect_note '^bfloat16 with A[MV]X.*: .*an update of a large network takes about 0\.[0-9]* times as long as in float32' train \
      "${small[@]}" --precision bfloat16 -f -o timed pairs ;;
esac


# ---- precision of translation ----

fresh
# --precision: every command that translates refuses other precisions. tests/unit/api_precision.c compares the results, and
# option_pairs finds an effect for each command.
pairs=$DATA/daily.test.zh-en.tsv
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 16 --embedding-size 8 -o model \
  "$DATA/daily.train.zh-en.tsv"
cut -f 1 "$pairs" | head -n 20 >sources

# A session.
expect_exit 0 "$ELMAN" translate -m model --precision int8 -i sources -o translations
expect_same translations repl -m model --precision int8 <sources

# Other precisions.
for command in translate evaluate score repl; do
  expect_exit 64 "$ELMAN" $command -m model --precision bfloat16 </dev/null
  grep -q -- "--precision must be one of float32, int8, not 'bfloat16'" \
    "$results/stderr" || fail "$command: the message does not say why"
done
