# `corpus split` writes every line once and unchanged, without leaks; after an error no file is lost.

# 300 pairs; every tenth has the source of the pair before, spelled differently.
for i in $(seq 300); do
  if [ $((i % 10)) -eq 0 ]; then
    printf '句子%d！\tSentence %d\tCC-BY #%d\n' $((i - 1)) $i $i
  else
    printf '句子%d\tSentence %d\tCC-BY #%d\n' $i $i $i
  fi
done >all.tsv
split() { # split CODE ARGUMENT...
  expect_exit "$1" "$ELMAN" corpus split "${@:2}"
  expect_stdout
}
same_lines() { # same_lines FILE...
  sort "$@" | cmp - <(sort all.tsv) || fail "lines are missing or changed"
}

split 0 -o a all.tsv
expect_stderr_match '^300 pairs$'
expect_stderr_match '^270 groups of pairs, .*; the largest group has 2 pairs$'
expect_stderr_match '^a\.train\.tsv: 270 pairs$'
expect_stderr_match '^a\.dev\.tsv: 15 pairs$'
same_lines a.train.tsv a.dev.tsv a.test.tsv
expect_exit 0 "$ELMAN" corpus check a.train.tsv a.dev.tsv a.test.tsv

# The split is reproducible; prefixes with a directory; given sizes.
mkdir b
split 0 -q -o b/ all.tsv
expect_no_stderr
for part in train dev test; do cmp a.$part.tsv b/$part.tsv || fail "the same seed gives another split"; done
split 0 -q --force -o b/ --dev 7 --test 1.5% all.tsv
[ "$(cat b/dev.tsv | wc -l) $(cat b/test.tsv | wc -l)" = '7 5' ] || fail "wrong sizes"
rm -r b

# Without a test part no file is written; a note names the file of an earlier split.
split 0 -o c --test 0 all.tsv
[ ! -e c.test.tsv ] || fail "an empty part was written"
split 0 -f -o a --test 0 all.tsv
expect_stderr_match '^a\.test\.tsv belongs to an earlier split'
rm a.* c.*

# Bad lines are skipped and reported.
{ cat all.tsv; printf 'bad\n\xff\tx\n'; } >worse.tsv
split 0 -o a worse.tsv
expect_stderr_match '^worse\.tsv:301: skipped: '
same_lines a.*.tsv
rm a.*
split 65 --strict -o a worse.tsv
expect_stderr_match '^elman: worse\.tsv:301: '
rm worse.tsv

# CRLF line ends are removed; columns in another order; several files.
sed 's/$/\r/' all.tsv | head -n 200 >first.tsv
tail -n 100 all.tsv | split 0 -q -o a --columns 2,1 first.tsv -
same_lines a.*.tsv
rm a.* first.tsv

# Existing files are not overwritten.
echo precious >a.dev.tsv
split 73 -o a all.tsv
expect_stderr_match '^elman: a\.dev\.tsv: already exists; add --force to overwrite it, or name another file$'
[ "$(cat a.dev.tsv)" = precious ] || fail "the old file is lost"
expect_files a.dev.tsv all.tsv
rm a.dev.tsv

# One group that contains most pairs.
for i in $(seq 40); do printf '一样\tSentence %d\n' $i; done >giant.tsv
split 65 -o a giant.tsv
expect_stderr_match 'too large for dev \(2 pairs requested\); the largest group has 40 of 40 pairs; request more pairs$'
tail -n 3 all.tsv >>giant.tsv
split 0 -o a --dev 2 --test 3 giant.tsv
expect_stderr_match '^dev has 1 pair; 2 were requested, '
expect_stderr_match 'the largest group has 40 pairs'
rm a.* giant.tsv

# Wrong command lines and input.
mkdir directory closed
: >empty
head -c 4096 "$ELMAN" >binary
refused() { # refused CODE REGEX ARGUMENT...
  split "$1" "${@:3}"
  expect_stderr_match "$2"
  expect_files all.tsv binary closed directory empty
}
refused 64 'no output prefix given' all.tsv
refused 64 'no output prefix given' -o '' all.tsv
refused 64 'cannot be written to standard output' -o - all.tsv
refused 64 'no PAIRS' -o a
refused 64 --source -o a --source x
for size in x -1 1.5 % 1.2.3% 100% 1e2% 101% 99999999999999999999 ''; do
  refused 64 --dev -o a "--dev=$size" all.tsv
done
refused 64 'must be less than the 300 pairs' -o a --dev 150 --test 150 all.tsv
refused 65 '^elman: empty: ' -o a empty
refused 65 '^elman: binary: is a binary file' -o a binary
refused 73 '^elman: all\.tsv/x\.train\.tsv: ' -o all.tsv/x all.tsv

# If one part cannot be written, none is.
mkdir -p d/x.test.tsv
split 73 -f -o d/x all.tsv
expect_stderr_match '^elman: d/x\.test\.tsv: is a directory'
[ "$(ls d)" = x.test.tsv ] || fail "incomplete files remain"
for i in $(seq 4000); do printf '长句子%d\tLong sentence %d\n' $i $i; done >many.tsv
(ulimit -f 8 && "$ELMAN" corpus split -q -o e many.tsv) 2>&1 | cat >"$results/stderr"
[ "${PIPESTATUS[0]}" -eq 74 ] || fail "expected exit code 74 at the file size limit"
expect_stderr_match '^elman: e\.train\.tsv: cannot write: File too large$'
[ -z "$(ls | grep '^e\.')" ] || fail "incomplete files remain"
if [ "$(id -u)" -ne 0 ]; then
  chmod 500 closed
  split 73 -o closed/a all.tsv
  expect_stderr_match 'cannot create the file: Permission denied'
fi
