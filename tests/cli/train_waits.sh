# Threads of a training wait for each other only briefly, unless the user has said how they are to.
[ "$(nproc)" -ge 2 ] || exit 77
unset OMP_WAIT_POLICY GOMP_SPINCOUNT

# environment_of_training [VARIABLE=VALUE]: the variables of a training that has begun.
environment_of_training() {
  env "$@" "$ELMAN" train --epochs 1000000 "$DATA/toy.zh-en.tsv" 2>"$results/stderr" &
  local pid=$! tries=0
  until grep -q '^epoch 1 ' "$results/stderr" || [ $((tries += 1)) -gt 200 ]; do sleep 0.05; done
  grep -q libgomp "/proc/$pid/maps" || exit 77
  tr '\0' '\n' <"/proc/$pid/environ" | grep -E '^(GOMP_SPINCOUNT|OMP_WAIT_POLICY)=' >"$results/stdout"
  kill "$pid"
  wait "$pid"
  rm -f model.safetensors model.safetensors.checkpoint
}

environment_of_training
expect_stdout GOMP_SPINCOUNT=10000
environment_of_training GOMP_SPINCOUNT=5
expect_stdout GOMP_SPINCOUNT=5
environment_of_training OMP_WAIT_POLICY=active
expect_stdout OMP_WAIT_POLICY=active
