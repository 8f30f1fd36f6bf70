# If writing a file fails, the old file is unchanged and an error is printed.
# Needs strace to make system calls fail.

strace -o /dev/null true 2>/dev/null || exit 77 # not installed, or tracing is not permitted
export ASAN_OPTIONS=detect_leaks=0 # the leak checker and strace both trace the process
small=(--hidden-size 8 --embedding-size 8)

# A snapshot whose folder could not be synchronized is deleted like the others.
for ((which = 1; which <= 4; which++)); do
  expect_message 0 '^elman: kept.update[12]: ' strace -qq -f -o trace -e trace=fsync -e \
    inject="fsync:error=EIO:when=$which" "$ELMAN" train --epochs 4 "${small[@]}" --keep-last 1 -o kept \
    "$DATA/toy.zh-en.tsv"
  [ "$(ls kept.update*)" = kept.update4 ] || fail "fsync number $which: not deleted: $(ls kept.update*)"
  rm kept*
done

# A snapshot that cannot be deleted is deleted with the next one.
expect_message 0 '^elman: kept.update1: cannot delete a snapshot: Input/output error$' strace -qq -f -o trace -P \
  kept.update1 -e trace=unlink,unlinkat -e inject=unlink,unlinkat:error=EIO:when=1 "$ELMAN" train --epochs 4 \
  "${small[@]}" --keep-last 1 -o kept "$DATA/toy.zh-en.tsv"
expect_stderr_match '^snapshots can be written again$'
[ "$(ls kept.update*)" = kept.update4 ] || fail "a snapshot was not deleted later: $(ls kept.update*)"
rm kept*

# If stat fails with an error other than ENOENT, the name counts as taken: the target of a link keeps
# its contents and mode.
failing_stat() { # failing_stat CODE CALLS ERROR FILE ARGUMENT...
  local code=$1 calls=$2 error=$3 file=$4
  shift 4
  expect_exit "$code" strace -qq -f -o trace -P "$file" -e trace="$calls" \
    -e inject="$calls:error=$error" "$ELMAN" train -q --epochs 2 --seed 2 "$@" \
    "$DATA/toy.zh-en.tsv"
}
echo precious >victim
chmod 600 victim
ln -s victim link
for error in EACCES EIO; do
  failing_stat 73 %%stat $error link -o link
  expect_stderr_match '^elman: link: cannot create the file: '
  [ "$(cat victim) $(stat -c %a victim)" = 'precious 600' ] || fail "the target of the link changed"
done

# A checkpoint for which stat fails is not treated as missing.
expect_exit 0 "$ELMAN" train -q --epochs 1 --seed 2 --save-every 0.000001 "$DATA/toy.zh-en.tsv"
cp model.safetensors.checkpoint checkpoint
for error in EACCES EIO; do
  for resume in '' --resume; do
    failing_stat 66 %file $error model.safetensors.checkpoint $resume
    expect_stderr_match '^elman: model.safetensors.checkpoint: cannot access the file: '
    cmp -s checkpoint model.safetensors.checkpoint || fail "the checkpoint was overwritten"
  done
done

# A part of a corpus for which stat fails is not overwritten.
echo precious >c.dev.tsv
expect_message 73 '^elman: c.dev.tsv: cannot create the file: Input/output error$' strace -qq -f -o trace -P c.dev.tsv \
  -e trace=%%stat -e inject=%%stat:error=EIO "$ELMAN" corpus split -q --dev 1 --test 1 -o c \
  "$DATA/daily.test.zh-en.tsv"
[ "$(cat c.dev.tsv)" = precious ] || fail "the part was overwritten"

# A message is one write, because other processes may write to the same log.
expect_exit 66 strace -qq -o trace -e trace=write "$ELMAN" translate -m nowhere 我
[ "$(grep -c '^write(2, ' trace)" -eq 1 ] || fail "a message was written in $(grep -c '^write(2, ' trace) pieces"
