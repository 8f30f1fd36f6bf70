# gzip-compressed text is decompressed wherever text is read, whatever the name of the file.

toy=$DATA/toy.zh-en.tsv
small=(--hidden-size 6 --embedding-size 4 --epochs 2)
cut -f 1 "$toy" >source
cut -f 2 "$toy" >target
cut -f 1,2 "$toy" >pairs
for file in source target pairs; do gzip -c "$file" >"$file.gz"; done

expect_exit 0 "$ELMAN" train -q "${small[@]}" pairs
mv model.safetensors expected
same() { # same COMMAND...: the command trains the same model
  expect_model expected -q "${small[@]}" "$@"
}
same pairs.gz
same --source source.gz --target target
same --source source.gz --target target.gz
same - <pairs.gz
same - < <(cat pairs.gz)
expect_exit 0 "$ELMAN" train -q "${small[@]}" --dev pairs pairs
mv model.safetensors expected
same --dev pairs.gz pairs.gz

# same_output COMMAND...: the command prints the same in the folder of plain files and in that of compressed files.
mkdir plain packed
for file in source target pairs; do
  cp $file plain
  cp $file.gz packed/$file
done
same_output() {
  cd plain
  output_to ../output "$@"
  cd ../packed
  expect_exit 0 "$ELMAN" "$@"
  cd ..
  diff output "$results/stdout" || fail "the output differs: $*"
}
model=(-m ../model.safetensors)
same_output evaluate "${model[@]}" pairs
same_output evaluate --hypothesis target --reference target
same_output translate "${model[@]}" -i source
same_output attention "${model[@]}" --summary -i source
same_output attention "${model[@]}" --references target --format pharaoh -i source
same_output corpus check pairs
same_output corpus split --dev 2 --test 2 -o parts pairs
diff -r -x pairs -x source -x target plain packed || fail "the parts differ"
output_to translations translate -i source
expect_same translations translate <source.gz

# ---- damaged ----

head -c -9 pairs.gz >cut
head -c -9 source.gz >cut_source
{ cat source.gz; echo more; } >more
for command in train evaluate 'corpus check'; do
  expect_error 65 '^elman: cut: damaged gzip data: it ends too early' $command cut
done
expect_error 65 '^elman: standard input: damaged gzip data' train - <cut
expect_error 65 '^elman: more: damaged gzip data: data that is not gzip follows' train --source more --target target
expect_error 65 '^elman: cut_source: damaged gzip data: it ends too early' translate -i cut_source
for write in "translate -q" "attention -q --format json" "score -q"; do
  echo old >out
  input=(-i cut_source)
  [ "$write" != "score -q" ] || input=(cut)
  # shellcheck disable=SC2086
  expect_exit 65 "$ELMAN" $write "${input[@]}" -f -o out
  [ "$(cat out)" = old ] || fail "$write replaced a file by a part of the output"
done
expect_error 65 '^elman: more: damaged gzip data: data that is not gzip follows' translate -i more

# A line is translated as soon as it is available, compressed or not.
coproc translator { exec "$ELMAN" translate -q; }
exec 4>&"${translator[1]}"
echo 我 >&4
read -r -t 60 line <&"${translator[0]}" || fail "no translation before the end of the input"
exec 4>&-

# A small file that decompresses to gigabytes is not decompressed completely: the first block shows zero bytes,
# and lines and files have size limits.
limited() {
  (ulimit -v 2000000 && exec timeout 60 "$@")
}
if limited "$ELMAN" help >/dev/null 2>&1; then
  many() { # many NAME: three gigabytes of this input
    head -c 20000000 | gzip -1 >one
    for ((i = 0; i < 150; i++)); do cat one; done >"$1"
  }
  many zeros.gz </dev/zero
  tr '\0' a </dev/zero | many letters.gz
  yes $'a\tb' | many lines.gz
  expect_message 65 '^elman: zeros.gz: is a binary file, not UTF-8 text$' limited "$ELMAN" train zeros.gz
  expect_exit 65 limited "$ELMAN" corpus check zeros.gz
  expect_message 65 '^elman: zeros.gz: is a binary file, not UTF-8 text$' limited "$ELMAN" evaluate --hypothesis \
    zeros.gz --reference target
  expect_message 65 '^elman: letters.gz: line 1 has more than 16777216 bytes; --max-bytes sets the limit$' limited \
    "$ELMAN" train letters.gz
  expect_message 65 '^elman: letters.gz: line 1 has more than 1048576 bytes$' limited "$ELMAN" subwords apply -c \
    letters.gz -i source
  for command in train evaluate 'corpus check' 'corpus split -o a --dev 1 --test 1'; do
    # shellcheck disable=SC2086 # words of a command
    expect_exit 65 limited "$ELMAN" $command --max-unpacked 1000000 lines.gz
    expect_stderr_match '^elman: lines.gz: has more than 1000000 bytes after decompression; --max-unpacked sets the limit$'
  done
fi
expect_error 65 '^elman: pairs: line 1 has more than 1 byte; --max-bytes sets the limit$' train --max-bytes 1 pairs
expect_error 65 '^elman: pairs: line [0-9]* has more than 10 bytes; --max-bytes sets the limit$' train --max-bytes 10 \
  pairs
expect_exit 65 "$ELMAN" train --max-bytes 10 --source source.gz --target target
printf 'a\tb\n' >short
expect_error 65 '^elman: pairs: line [0-9]* has more than 10 bytes; --max-bytes sets the limit$' train --max-bytes 10 --dev pairs short
expect_exit 64 "$ELMAN" evaluate --max-bytes 10 --hypothesis target --reference target
