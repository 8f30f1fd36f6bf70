# Threads of a training wait for each other only briefly, unless the user has said how they are to.
[ "$(nproc)" -ge 2 ] && ldd "$ELMAN" | grep -q libgomp || exit 77
unset OMP_WAIT_POLICY GOMP_SPINCOUNT

# environment_of_training [VARIABLE=VALUE]: the variables of a training that has begun.
environment_of_training() {
  : >"$results/stderr"
  env "$@" "$ELMAN" train --epochs 1000000 "$DATA/toy.zh-en.tsv" >/dev/null 2>"$results/stderr" &
  local pid=$! tries=0
  until grep -q '^epoch 1 ' "$results/stderr"; do
    [ $((tries += 1)) -lt 600 ] || { kill "$pid"; fail "the training did not begin"; }
    sleep 0.05
  done
  [ "$(cat "/proc/$pid/comm")" = elman ] || fail "the training has another name"
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

# The program starts anew, and whatever it was given is still there: a closed stream, standard input.
expect_exit 0 "$ELMAN" train -q --epochs 1 - <"$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" train -q --epochs 1 "$DATA/toy.zh-en.tsv" <&-
expect_files model.safetensors

# A program that was replaced while it ran goes on as it is.
cp "$ELMAN" program
exec 8<program
rm program
printf '#!/bin/sh\ntouch "%s"\n' "$PWD/other" >program
cp program 'program (deleted)'
chmod +x program 'program (deleted)'
expect_exit 0 /proc/self/fd/8 train -q --epochs 1 "$DATA/toy.zh-en.tsv"
exec 8<&-
[ ! -e other ] || fail "another program was run"
[ -e model.safetensors ] || fail "there is no model"
