# Several runs with one output start at once and are killed at any moment: only one trains at a time, and
# the final model equals that of a single run.

toy=$DATA/toy.zh-en.tsv
head -n 3 "$toy" >dev.tsv
settings=(train -q -t 1 --epochs 2000 --hidden-size 16 --embedding-size 16 --dev dev.tsv
  --validate-every 7 --average 0.9 --dropout 0.1)
expect_exit 0 "$ELMAN" "${settings[@]}" -o expected "$toy"
rm expected.checkpoint

killed=0 refused=0
# rivals PAUSE: start three runs at once; after the pause, unless it is empty, kill all.
rivals() {
  local i code rivals=()
  for i in 1 2 3; do
    "$ELMAN" "${settings[@]}" --resume --save-every 0.005 --log log "$toy" 2>"$results/rival.$i" &
    rivals+=($!)
  done
  [ -z "$1" ] || { sleep "$1"; kill -KILL "${rivals[@]}" 2>/dev/null; }
  for i in 1 2 3; do
    code=0
    wait "${rivals[i - 1]}" 2>/dev/null || code=$?
    case $code in
      0) ;;
      73) refused=$((refused + 1)) ;;
      137) killed=$((killed + 1)) ;;
      *) fail "exit code $code: $(cat "$results/rival.$i")" ;;
    esac
  done
}
# On a busy machine a run may finish during the first pause.
for _ in 1 2 3 4 5 6 7 8; do
  rm -f model.safetensors* log
  for pause in 0.05 0.02 0.09 0.04 0.07 0.03 0.06 0.08; do rivals $pause; done
  [ $killed -eq 0 ] || break
done
[ $killed -gt 0 ] || fail "no run was killed: the test proves nothing"
rivals ''
[ $refused -gt 0 ] || fail "no run was refused: the test proves nothing"

expect_exit 0 "$ELMAN" "${settings[@]}" --resume --log log "$toy"
cmp expected model.safetensors || fail "the model differs"
expect_files dev.tsv expected log model.safetensors model.safetensors.checkpoint
! grep -vE '^\{[^{]*\}$' log || fail "an incomplete line in the log"
