# Augmentation changes pairs at random, depending only on seed and epoch.

sed 's/\t/。\t/; s/\(\t[^\t]*\)\t.*/\1./; s/\([^ ]\) \([^A-Za-z]\)/\1\2/g' "$DATA/daily.train.zh-en.tsv" |
  sed 's/ 。/。/' | head -n 1200 >pairs
head -n 2 pairs | grep -q '。.*\.$' || fail "the pairs have no marks"
small=(-q --hidden-size 16 --embedding-size 8 --subwords 100)
chinese=("${small[@]}" --source-tokens chars --target-tokens bpe)
english=("${small[@]}" --source-tokens bpe --target-tokens chars --columns 2,1)
all=(--drop-source-mark 0.3 --drop-marks 0.1 --upper-case 0.1 --title-case 0.1 --typos 0.1 --merge 0.2 --copy-noise 0.2
  --copy-numbers 1)

# weights FILE: print the tensors, without the header that names the options.
weights() { tail -c "+$(($(od -An -t u8 -N 8 "$1") + 9))" "$1"; }
same_weights() { cmp -s <(weights "$1") <(weights "$2"); }

# Each option changes the model; --typos and the case need a source with letters.
expect_exit 0 "$ELMAN" train "${chinese[@]}" -t 1 --epochs 1 -o plain pairs
expect_exit 0 "$ELMAN" train "${english[@]}" -t 1 --epochs 1 -o english pairs
for option in drop-source-mark drop-marks merge copy-noise; do
  expect_exit 0 "$ELMAN" train "${chinese[@]}" -t 1 --epochs 1 --$option 0.3 -o one pairs
  same_weights plain one && fail "--$option has no effect"
done
for option in upper-case title-case typos; do
  expect_exit 0 "$ELMAN" train "${chinese[@]}" -t 1 --epochs 1 --$option 0.3 -o one pairs
  same_weights plain one || fail "--$option changes pairs without letters"
  expect_note "^--$option changes no pair of this epoch; " train "${chinese[@]:1}" -t 1 --epochs 1 --$option 0.3 -o one pairs
  expect_no_note 'changes no pair' train "${english[@]:1}" -t 1 --epochs 1 --$option 0.3 -o one pairs
  expect_exit 0 "$ELMAN" train "${english[@]}" -t 1 --epochs 1 --$option 0.3 -o one pairs
  same_weights english one && fail "--$option has no effect"
done

# The model does not depend on the number of threads or on stops, whatever forms the batches.
for batches in '--batch-size 20' '--batch-tokens 300 --shards 2 --subword-dropout 0.2'; do
  train=("${chinese[@]}" "${all[@]}" $batches)
  expect_exit 0 "$ELMAN" train "${train[@]}" -t 1 --epochs 3 -o a pairs
  expect_model a "${train[@]}" --epochs 3 -t 3 -o b pairs
  expect_exit 0 "$ELMAN" train "${train[@]}" -t 1 --epochs 2 -o c pairs
  expect_model a "${train[@]}" -t 2 --epochs 3 --resume -o c pairs
  expect_exit 0 "$ELMAN" train "${train[@]}" -t 1 --epochs 3 --hours 1e-10 -o d pairs
  expect_exit 0 "$ELMAN" train "${train[@]}" -t 1 --epochs 3 --hours 1e-10 --resume -o d pairs
  expect_model a "${train[@]}" -t 1 --epochs 3 --resume -o d pairs
  rm -f a* b* c* d*
done
# A resumed run must have the same options and pairs. The texts of the pairs are compared, because
# rare words have the same id.
words=("${small[@]:0:5}" --typos 0.2 --max-vocabulary 20)
sed 's/apple/Apfel/' pairs >others
expect_exit 0 "$ELMAN" train "${words[@]}" --epochs 1 -o a pairs
expect_message 64 'typos was 0\.2 and is now 0\.3' last_wins "$ELMAN" train "${words[@]}" --typos 0.3 --epochs 2 --resume -o a pairs
expect_message 64 'others' "$ELMAN" train "${words[@]}" --epochs 2 --resume -o a others

# Guided alignment links words, which augmentation changes.
for option in drop-source-mark drop-marks upper-case title-case typos merge copy-noise copy-numbers; do
  expect_refused "--$option cannot be combined with --guide$" train --$option 0.1 --guide 3 "$DATA/daily.train.zh-en.tsv"
  expect_refused "--$option cannot be combined with --guide-weight$" train --$option 0.1 --guide 3 --guide-weight 1 \
    "$DATA/daily.train.zh-en.tsv"
done

# All sources end with a mark: a note recommends to drop some.
expect_note '^100 % of the source sentences end with a mark, so that sentences without one will be translated worse; --drop-source-mark 0\.3 drops some marks$' \
  train "${chinese[@]:1}" --epochs 1 -o a pairs
for option in --drop-source-mark --drop-marks; do
  expect_no_note 'end with a mark' train "${chinese[@]:1}" --epochs 1 $option 0.1 -o a pairs
done
expect_no_note 'end with a mark' train "${chinese[@]:1}" --epochs 1 -o a "$DATA/daily.train.zh-en.tsv"

# A model that learned to copy replaces unknown words, unless an option disables this. With portable
# arithmetic, training gives the same model on every machine.
head -n 600 pairs >few
expect_exit 0 "$ELMAN" train "${chinese[@]:5}" -q --arithmetic portable --cell gru --bidirectional --hidden-size 64 \
  --embedding-size 48 --batch-size 16 --learning-rate 0.005 --copy-noise 0.4 --epochs 12 -o copies few
expect_note '^from the model: replacement of unknown words$' translate -m copies '我喜欢茶。☃'
for search in '' '--beam 3' '--beam 2 --n-best 2' '--precision int8'; do
  expect_output '☃' translate -q -m copies $search '我喜欢茶。☃'
  expect_output '(^| )https://a\.example/b( |$)' translate -q -m copies $search 'https://a.example/b'
  expect_exit 0 "$ELMAN" translate -q -m copies $search --no-replace-unknown '我喜欢茶。☃' 'https://a.example/b'
  ! grep -qE '☃|<unk>|example' "$results/stdout" || fail "an unknown word was written"
done
expect_exit 0 "$ELMAN" evaluate -m copies few
expect_refused 'bpe and has no unknown words' translate -m plain --replace-unknown x

# Validation replaces unknown words, as translation does.
for i in $(seq 60); do printf '他 有 %d 本 书\tHe has %d books\n' "$i" "$i"; done >counted
for i in 777 888 999 555; do printf '他 有 %d 本 书\tHe has %d books\n' "$i" "$i"; done >unseen
expect_exit 0 "$ELMAN" train -q --min-count 2 --copy-noise 0.6 --epochs 30 --seed 3 --dev unseen --log log -o copying counted
best=$(grep -o '"bleu":[0-9.]*' log | cut -d : -f 2 | sort -g | tail -n 1)
[ "${best%.*}" -ge 50 ] || fail "the best BLEU of the unseen numbers is $best"
expect_exit 0 "$ELMAN" evaluate -q --beam 1 --json -m copying unseen
expect_stdout_match "\"bleu\":$best[,}]"

# A model that learned to copy numbers writes numbers that it has never read, in several forms.
expect_exit 0 "$ELMAN" train -q --arithmetic portable --copy-numbers 1 --epochs 20 --seed 3 -o numbers counted
for number in 90210 '$3,500' 7:45; do
  expect_output "^He has ${number/\$/\\$} books\$" translate -q -m numbers "他 有 $number 本 书"
done
