# A preset fits its learning rate, warm-up, moving average and dropout to the length of the run.

pairs="$DATA/daily.train.zh-en.tsv"
small=(--preset small --hidden-size 8 --embedding-size 4 -t 1)
value() { # value MODEL NAME
  "$ELMAN" inspect -m "$1" | sed -n "s/^$2  *//p"
}

# A run that is shorter than that of the preset gets larger steps and less regularization.
expect_note '^preset small is made for 3681 updates, and this run has about 58; this run uses learning rate 0\.021, warm-up 12, ' \
  train "${small[@]}" --epochs 2 -o short "$pairs"
[ "$(value short 'learning rate')" = 0.021 ] || fail "the message differs from the model"
[ "$(value short 'warm-up')" = 12 ] || fail "the warm-up is longer than a fifth of the run"
[ "$(value short dropout)" = 0.22 ] || fail "dropout does not follow the epochs"
[ "$(value short 'moving average')" = 0.81 ] || fail "the average does not follow the updates"
expect_note 'this run has about 29000; this run uses learning rate 0\.0032, warm-up 562, moving average 0\.99962, dropout 0\.6' \
  train "${small[@]}" --epochs 1000 --hours 0.0001 -o long "$pairs"

# Explicit values are not fitted. In a run without updates nothing is fitted.
expect_note 'learning rate 0\.5, warm-up 12, moving average 0\.5, dropout 0\.22' \
  train "${small[@]}" --epochs 2 --learning-rate 0.5 --average 0.5 -o given "$pairs"
expect_exit 0 "$ELMAN" train "${small[@]}" --epochs 2 --learning-rate 0.5 --average 0.5 --dropout 0.1 --warm-up 3 \
  -o all "$pairs"
! grep 'made for' "$results/stderr" || fail "nothing was fitted"
expect_exit 0 "$ELMAN" train "${small[@]}" --epochs 0 -o none "$pairs"
! grep 'made for' "$results/stderr" || fail "a run without updates was fitted"
expect_exit 0 "$ELMAN" train -t 1 --hidden-size 8 --epochs 2 -o plain "$pairs"
! grep 'made for' "$results/stderr" || fail "the defaults were fitted"

# Joint subwords replace the choice of tokens by the preset.
expect_note '^source: bpe with ' train "${small[@]}" --joint-subwords --epochs 0 -o joint "$pairs"
expect_stderr_match '^target: bpe with .* \(Latin script\)$'

# A run that is continued for more epochs keeps its settings.
expect_note '^resuming in epoch 3' train "${small[@]}" --epochs 3 --resume -o short "$pairs"
[ "$(value short 'learning rate')" = 0.021 ] || fail "the rate changed"
expect_error 64 'learning rate' train "${small[@]}" --epochs 4 --learning-rate 0.02 --resume -o short "$pairs"

# A preset switches on augmentation and another metric, if the other options allow it.
expect_exit 0 "$ELMAN" train "${small[@]}" --epochs 1 -o alone "$pairs"
[ "$(value alone 'validation metric')" = auto ] || fail "a metric without dev pairs"
[ "$(value alone 'source mark dropping')" = 0.05 ] || fail "no augmentation"
! grep -q 'changes no pair' "$results/stderr" || fail "a note on an option that was not given"
head -n 20 "$DATA/daily.test.zh-en.tsv" >dev
expect_exit 0 "$ELMAN" train -q "${small[@]}" --epochs 1 --dev dev -o validated "$pairs"
[ "$(value validated 'validation metric')" = chrf ] || fail "the metric is not that of the preset"
expect_note '^preset small: with guided alignment, --drop-source-mark does not apply$' \
  train "${small[@]}" --epochs 1 --guide 3 -o guided "$pairs"
for preset in quick small base strong; do
  expect_exit 0 "$ELMAN" train -q -t 1 --preset $preset --hidden-size 8 --embedding-size 8 --epochs 1 --dev dev \
    -o $preset dev
  [ "$(value $preset optimizer)" = muon ] || fail "$preset: another optimizer"
done

# Notes: --upper-case has no effect on a source in lower case, and the learning rate of a preset is made for its
# optimizer.
expect_note '^--upper-case changes no pair of this epoch; ' \
  train "${small[@]}" --columns 2,1 --upper-case 1 --epochs 1 -o capitals "$pairs"
expect_note '^preset small: its learning rate is made for --optimizer muon; adam usually needs a smaller --learning-rate$' \
  train "${small[@]}" --optimizer adam --epochs 1 -o adam "$pairs"
expect_no_note 'made for --optimizer' train "${small[@]}" --optimizer adam --learning-rate 0.002 --epochs 1 -f -o adam "$pairs"
