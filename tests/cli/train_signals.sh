# A signal ends the training after the step; the model keeps what was learnt.

stop() { # stop SIGNAL CODE
  # timeout runs the program in the foreground: a shell's background jobs ignore SIGINT.
  expect_exit "$2" timeout --foreground --preserve-status -s "$1" 1 \
    "$ELMAN" train -t 1 --epochs 1000000 "$DATA/toy.zh-en.tsv"
  expect_stderr_match '^stopped in epoch [0-9]+; the model keeps what it has learnt$'
  expect_stderr_match '^model.safetensors is written'
  expect_exit 0 "$ELMAN" translate 我
  expect_files model.safetensors
  rm model.safetensors
}
stop INT 130
stop TERM 143

# Nobody reads the messages any more: the training goes on.
"$ELMAN" train -t 1 --epochs 300 "$DATA/toy.zh-en.tsv" 2> >(head -n 1 >/dev/null)
[ $? -eq 0 ] || fail "a closed stderr ended the training"
expect_files model.safetensors
