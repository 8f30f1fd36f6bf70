# Portable arithmetic and the kernel of elman's own products, alone and together with other options.
head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs
cut -f 1 "$DATA/daily.test.zh-en.tsv" >all
head -n 20 all >sentences
small=(--hidden-size 24 --embedding-size 16 --epochs 2)

expect_exit 0 "$ELMAN" train -q "${small[@]}" --arithmetic portable -o portable pairs
expect_exit 0 "$ELMAN" train -q "${small[@]}" -o fast pairs

# Translation uses the arithmetic of the model: its bits do not depend on the kernel.
for options in '' '--beam 3' '--sample --seed 3'; do
  output_to expected translate -m portable --json $options -i sentences
  ELMAN_PRODUCT_KERNEL=fmaf OPENBLAS_CORETYPE=Prescott "$ELMAN" translate -m portable --json $options -i sentences |
    cmp - expected || fail "translations differ with $options"
done

# An ensemble may mix both; each model uses its own arithmetic.
expect_lines 20 translate -m portable -m fast -i sentences

# A run cannot be resumed with another arithmetic, and models of different arithmetic cannot be
# averaged.
expect_refused 'another run: arithmetic' train -q "${small[@]}" --resume -o portable pairs
expect_refused 'arithmetic' average -o mean portable fast
expect_refused --init-from train -q --init-from portable --arithmetic fast -o other pairs
expect_exit 0 "$ELMAN" train -q --epochs 1 --init-from portable -o continued pairs
expect_output '^arithmetic +portable$' inspect -m continued

# A kernel that no processor has.
export ELMAN_PRODUCT_KERNEL=mmx
expect_refused '^elman: ELMAN_PRODUCT_KERNEL: "mmx" is not one of: .*fmaf$' translate -m portable -i sentences
expect_refused '^elman: ELMAN_PRODUCT_KERNEL: "mmx" is not one of: .*fmaf$' train -q "${small[@]}" -o other pairs
[ ! -e other ] || fail "a model was written"
expect_refused '^elman: ELMAN_PRODUCT_KERNEL: "mmx" is not one of: .*fmaf$' --version --verbose
expect_output '^elman [0-9]' --version
unset ELMAN_PRODUCT_KERNEL

expect_output '; products [A-Za-z]' --version --verbose
