# Wrong input gives the right exit code and message; no file is written or lost.

toy=$DATA/toy.zh-en.tsv
"$ELMAN" train -q --epochs 1 "$toy" || fail "training failed"
cp model.safetensors "$results/precious"
refused() { # refused CODE REGEX ARGUMENT...
  expect_no_output "$1" "$2" train -t 1 --epochs 1 "${@:3}"
  cmp -s "$results/precious" model.safetensors || fail "the old model changed: $*"
  [ -z "$(find . -name '*.tmp')" ] || fail "a temporary file remains: $*"
}

mkdir directory
: >empty
printf 'only one column\n' >column
printf '我\tI\n\xff\xfe\tyou\n他\n\t\n' >mixed

refused 65 '^elman: empty: .*the file is empty; ' empty
refused 65 '^elman: ' column
refused 65 '^elman: mixed:2: ' --strict mixed
refused 65 '^elman: ' --source empty --target "$toy"
refused 66 'nowhere' "$toy" nowhere

# Wrong options are found before anything is read.
for wrong in '--attention multihead --attention-heads 3' '--residual' '--joint-subwords --source-tokens words'; do
  # shellcheck disable=SC2086
  expect_exit 64 "$ELMAN" train $wrong "$toy"
  [ "$(grep -vc 'explains the command' "$results/stderr")" -eq 1 ] || fail "$wrong: expected only the error"
done

# Missing files are reported in the same way.
expect_exit 66 "$ELMAN" train --dev nowhere "$toy"
[ "$(cat "$results/stderr")" = "elman: nowhere: cannot open the file: No such file or directory" ] || fail "expected only the error"

# An overwrite is announced after the pairs have been read.
expect_exit 66 "$ELMAN" train nowhere
! grep -q 'will be overwritten' "$results/stderr" || fail "an overwrite is announced although training failed"

# The output is checked before training.
refused 64 --output -o '' "$toy"
refused 73 '^elman: empty/x: cannot create' -o empty/x "$toy"

# Bad lines are skipped, reported and counted.
expect_note '^mixed:2: skipped: ' train --epochs 1 -o new mixed
expect_stderr_match '^mixed:3: skipped: '
expect_stderr_match '^1 pair; 3 lines skipped$'
for i in 1 2 3 4 5 6 7 8; do echo bad; done | cat - "$toy" >many
expect_note '^and 3 more$' train --epochs 1 -o new many
expect_exit 0 "$ELMAN" train -q --epochs 1 -o new many
expect_no_stderr
expect_note '^2 pairs skipped: a side has more than 4 tokens \(--max-length\)$' train --epochs 2 --max-length 4 -o new \
  "$toy"
[ "$(grep -c 'skipped' "$results/stderr")" -eq 1 ] || fail "skipped pairs are reported more than once"
expect_error 65 'no pair is left to train on; .*--max-length' train --epochs 2 --max-length 1 -o new "$toy"

# A token of ten megabytes.
{ printf '我\t'; head -c 10000000 /dev/zero | tr '\0' a; echo; } >long
expect_exit 0 "$ELMAN" train -q --epochs 1 --hidden-size 4 --embedding-size 4 -o new long

# ---- warnings before training ----

fresh
# Pairs that would give a useless model cause a warning. tests/unit/corpus_doubts.c has all kinds, docs/troubleshooting.md
# the texts.
printf '1277\tПривет.\t373330\tHello there.\n1280\tЯ тебя люблю.\t4\tI love you.\n1281\tОн ушёл.\t7\tHe left.\n' >ids.tsv
tiny=(train --epochs 0 --hidden-size 4 --embedding-size 4 -o model)
expect_note '^100 % of the training pairs: only digits, an id or a constant on a side, for example ids\.tsv:1; .*--columns 2,4' \
  "${tiny[@]}" ids.tsv
expect_no_note '^[0-9]+ % of the ' "${tiny[@]}" --columns 2,4 ids.tsv
expect_no_note '^[0-9]+ % of the ' "${tiny[@]}" -q ids.tsv
expect_no_note '^[0-9]+ % of the ' "${tiny[@]}" --dev "$DATA/daily.test.zh-en.tsv" "$DATA/daily.train.zh-en.tsv"
