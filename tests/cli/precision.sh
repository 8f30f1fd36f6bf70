# Training with operands in bfloat16, alone and together with other options.
head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs
cut -f 1 "$DATA/daily.test.zh-en.tsv" | head -n 20 >sentences
small=(--hidden-size 24 --embedding-size 16 --epochs 2)
long=(--hidden-size 24 --embedding-size 16 --epochs 4)

# The model, the log and inspect name the precision. A model of float32 does not contain the name, so that earlier
# versions can read it.
expect_exit 0 "$ELMAN" train -q "${small[@]}" --precision bfloat16 --log log -o half pairs
expect_exit 0 "$ELMAN" train -q "${small[@]}" --precision float32 -o named pairs
expect_exit 0 "$ELMAN" train -q "${small[@]}" -o single pairs
cmp single named || fail "float32 is not the default"
! cmp -s single half || fail "--precision has no effect"
grep -q '"precision":"bfloat16"' log || fail "the log does not name the precision"
head -c 8000 half | grep -aq 'precision' || fail "the model does not name the precision"
! head -c 8000 single | grep -aq 'precision' || fail "a model of float32 names the precision"
expect_output '^precision +bfloat16$' inspect -m half
expect_output '^precision = bfloat16$' inspect -m half --config
[ "$(stat -c %s single)" -le "$(stat -c %s half)" ] || fail "the weights of the model are not float32"
expect_exit 0 "$ELMAN" translate -m half -i sentences
expect_exit 0 "$ELMAN" average -o mean half single

# Another precision is another run. A model may continue in either one.
expect_refused 'the checkpoint belongs to another run: precision was "bfloat16" and is now "float32"' train -q \
  "${long[@]}" --resume -o half pairs
expect_refused 'the checkpoint belongs to another run: precision was "float32" and is now "bfloat16"' train -q \
  "${long[@]}" --resume --precision bfloat16 -o single pairs
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from half -o continued pairs
expect_output '^precision +float32$' inspect -m continued

# A run that stops and resumes has the bits of one that does not.
expect_exit 0 "$ELMAN" train -q "${long[@]}" --precision bfloat16 -o whole pairs
expect_exit 0 "$ELMAN" train -q "${long[@]}" --precision bfloat16 --resume -o half pairs
cmp whole half || fail "a resumed run has other bits"

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

# A processor without the instructions rounds the operands, and says that this takes no less time.
expect_note '^bfloat16 is not faster here, because the processor or the chosen kernel has no AVX512-BF16: ' train \
  "${small[@]}" --precision bfloat16 -o rounded pairs
unset ELMAN_PRODUCT_KERNEL
expect_exit 0 "$ELMAN" train "${small[@]}" -f -o single pairs
! grep -q bfloat16 "$results/stderr" || fail "a run in float32 mentions bfloat16"

expect_refused "'int8' is not one of: float32, bfloat16" train "${small[@]}" --precision int8 -o other pairs
expect_refused "'half' is not one of: float32, bfloat16" train "${small[@]}" --precision half -o other pairs
