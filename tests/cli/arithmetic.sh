# Portable arithmetic and the kernel of elman's own products, alone and together with other options.
head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs
cut -f 1 "$DATA/daily.test.zh-en.tsv" >all
head -n 20 all >sentences
small=(--hidden-size 24 --embedding-size 16 --epochs 2)

# The model, the log and inspect name the arithmetic. A model of fast arithmetic does not contain the name, so
# that earlier versions can read it.
expect_exit 0 "$ELMAN" train -q "${small[@]}" --arithmetic portable --log log -o portable pairs
expect_exit 0 "$ELMAN" train -q "${small[@]}" -o fast pairs
grep -q '"arithmetic":"portable"' log || fail "the log does not name the arithmetic"
head -c 4000 portable | grep -aq 'arithmetic' || fail "the model does not name the arithmetic"
! head -c 4000 fast | grep -aq 'arithmetic' || fail "a model of fast arithmetic names it"
expect_exit 0 "$ELMAN" inspect -m portable
expect_stdout_match '^arithmetic +portable$'
expect_exit 0 "$ELMAN" inspect -m portable --config
expect_stdout_match '^arithmetic = portable$'

# Translation uses the arithmetic of the model: its bits do not depend on the kernel.
for options in '' '--beam 3' '--sample --seed 3'; do
  expect_exit 0 "$ELMAN" translate -m portable --json $options -i sentences
  cp "$results/stdout" expected
  ELMAN_PRODUCT_KERNEL=fmaf OPENBLAS_CORETYPE=Prescott "$ELMAN" translate -m portable --json $options -i sentences |
    cmp - expected || fail "translations differ with $options"
done

# An ensemble may mix both; each member uses its own.
expect_exit 0 "$ELMAN" translate -m portable -m fast -i sentences
[ "$(wc -l <"$results/stdout")" -eq 20 ] || fail "not 20 translations"

# Another arithmetic is another run, and another model.
expect_exit 64 "$ELMAN" train -q "${small[@]}" --resume -o portable pairs
expect_stderr_match 'the checkpoint belongs to another run: arithmetic was "portable" and is now "fast"'
expect_exit 64 "$ELMAN" average -o mean portable fast
expect_stderr_match 'differs from portable: arithmetic: expected portable, got fast'
expect_exit 64 "$ELMAN" train -q --init-from portable --arithmetic fast -o other pairs
expect_stderr_match 'arithmetic has no effect with --init-from'
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from portable -o continued pairs
expect_exit 0 "$ELMAN" inspect -m continued
expect_stdout_match '^arithmetic +portable$'

# An unknown name, and a kernel that no processor has.
expect_exit 64 "$ELMAN" train -q --arithmetic exact -o other pairs
expect_stderr_match 'fast, portable'
export ELMAN_PRODUCT_KERNEL=mmx
expect_exit 64 "$ELMAN" translate -m portable -i sentences
expect_stderr_match '^elman: ELMAN_PRODUCT_KERNEL: "mmx" is not one of: .*fmaf$'
expect_exit 64 "$ELMAN" train -q "${small[@]}" -o other pairs
expect_stderr_match '^elman: ELMAN_PRODUCT_KERNEL: "mmx" is not one of: .*fmaf$'
[ ! -e other ] || fail "a model was written"
unset ELMAN_PRODUCT_KERNEL

expect_exit 0 "$ELMAN" --version --verbose
expect_stdout_match '; products [A-Za-z]'
