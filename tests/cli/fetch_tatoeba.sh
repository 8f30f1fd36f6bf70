# tools/fetch-tatoeba converts a file of the archive and reports errors.

fetch=$DATA/../tools/fetch-tatoeba
export ELMAN
refused() { # refused CODE REGEX ARGUMENT...
  expect_message "$1" "$2" "$fetch" "${@:3}"
  expect_stdout
  [ ! -e out ] || fail "files were written: $*"
}

for i in $(seq 100); do
  printf 'Sentence %d.\t句子%d。\tCC-BY 2.0 (France) Attribution: tatoeba.org #%d (a) & #%d (b)\n' \
    $i $i $i $((i + 1000))
done >cmn.txt

expect_exit 0 "$fetch" --convert cmn.txt out
expect_stdout_match '^0 leaking pairs; 0 bad lines$'
expect_stdout_match 'CC-BY 2\.0 FR'
expect_stdout_match 'train .*out/train\.tsv$'
awk -F '\t' -v OFS='\t' '{ print $2, $1, $3 }' cmn.txt | sort >expected
sort out/*.tsv | cmp - expected || fail "the pairs differ from those of the file"
[ "$(ls out | xargs)" = 'dev.tsv test.tsv train.tsv' ] || fail "wrong files"
expect_message 73 'out/train\.tsv already exists' "$fetch" --convert cmn.txt out

# Further pairs of OPUS.
if command -v python3 >/dev/null; then
  python3 -c 'import zipfile
with zipfile.ZipFile("cmn-en.txt.zip", "w") as z:
  z.writestr("Tatoeba.cmn-en.cmn", "你好。\n\n再见。\nx\n")
  z.writestr("Tatoeba.cmn-en.en", "Hello.\nempty\nGoodbye.\ny\n")
with zipfile.ZipFile("uneven.zip", "w") as z:
  z.writestr("Tatoeba.cmn-en.cmn", "你好。\n")
  z.writestr("Tatoeba.cmn-en.en", "Hello.\nGoodbye.\n")'
  expect_exit 0 "$fetch" --convert cmn.txt more cmn-en.txt.zip
  [ "$(cut -f 1,2 more/extra.tsv)" = $'你好。\tHello.\n再见。\tGoodbye.' ] || fail "wrong further pairs"
  [ "$(cut -f 3 more/extra.tsv | grep -c '^CC-BY 2.0 .*tatoeba.org')" -eq 2 ] || fail "no attribution"
  cmp out/train.tsv more/train.tsv || fail "further pairs change the parts"
  rm -r more
  expect_message 65 'uneven.zip: its sides differ' "$fetch" --convert cmn.txt more uneven.zip
  expect_message 65 'cmn.txt: contains no pairs' "$fetch" --convert cmn.txt more cmn.txt
  expect_message 66 'nowhere: no such file' "$fetch" --convert cmn.txt more nowhere
  for i in $(seq 27); do printf 'Line %d.\nLine %d.\n' "$i" "$i"; done | gzip >en.txt.gz
  expect_exit 0 "$fetch" --convert cmn.txt more cmn-en.txt.zip en.txt.gz
  [ "$(wc -l <more/english.txt)" -eq 3 ] || fail "not a ninth of the different sentences"
  expect_message 73 'more/train.tsv already exists' "$fetch" --convert cmn.txt more cmn-en.txt.zip en.txt.gz
  rm more/*.tsv
  expect_message 73 'more/english.txt already exists' "$fetch" --convert cmn.txt more cmn-en.txt.zip en.txt.gz
  rm -r more
  expect_message 65 'cmn.txt: is damaged' "$fetch" --convert cmn.txt more cmn-en.txt.zip cmn.txt
  [ ! -e more ] || fail "files were written"
fi

# The zip archive; Windows line ends.
if command -v python3 >/dev/null; then
  sed 's/$/\r/' cmn.txt >dos.txt
  python3 -c 'import zipfile
with zipfile.ZipFile("cmn-eng.zip", "w") as z: z.write("dos.txt", "cmn.txt")
with zipfile.ZipFile("other.zip", "w") as z: z.write("dos.txt", "notes/about")
with zipfile.ZipFile("fra-eng.zip", "w") as z:
  z.writestr("_about.txt", "about")
  z.writestr("fra.txt", "".join(f"Sentence {i}.\tCafé n° {i}.\tCC-BY 2.0 (France) Attribution: tatoeba.org #{i}\r\n" for i in range(60)))
with zipfile.ZipFile("empty.zip", "w") as z: z.writestr("deu.txt", "")'
  expect_exit 0 "$fetch" --convert cmn-eng.zip zipped
  cmp out/train.tsv zipped/train.tsv || fail "the archive and the file give different pairs"
  # Another language, in an archive and in a text.
  expect_exit 0 "$fetch" --convert fra-eng.zip french
  expect_stdout_match 'train .*french/train\.tsv$'
  sort french/*.tsv >found
  [ "$(wc -l <found)" -eq 60 ] && grep -qP '^Café n° 7\.\tSentence 7\.\tCC-BY .*#7$' found || fail "wrong French pairs"
  parts=$(ls french | xargs)
  [ "$parts" = 'dev.tsv test.tsv train.tsv' ] || fail "wrong files: $parts"
  python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile("fra-eng.zip").read("fra.txt"))' >fra.txt
  expect_exit 0 "$fetch" --convert fra.txt french-too
  cmp french/train.tsv french-too/train.tsv || fail "the archive and the file give different French pairs"
  rm -r french french-too
  head -c 100 cmn-eng.zip >damaged.zip
  rm -r out
  refused 65 'damaged.zip: is damaged or contains no cmn.txt' --convert damaged.zip out
  refused 65 'other.zip: is damaged or contains no cmn.txt' --convert other.zip out
  refused 65 'empty.zip: is not English<TAB>deu<TAB>attribution' --convert empty.zip out
  refused 64 'fra-eng.zip has the language fra; EXTRA and ENGLISH are only for Chinese' --convert fra-eng.zip out cmn-en.txt.zip
  awk -F '\t' -v OFS='\t' '{ sub(/\r$/, ""); print $2, $1, $3 }' fra.txt >swapped.txt
  mkdir turned
  mv swapped.txt turned/fra.txt
  refused 65 'turned/fra.txt: is not English<TAB>fra<TAB>attribution' --convert turned/fra.txt out
fi
rm -rf out

# Wrong input and wrong command lines.
: >empty
awk -F '\t' -v OFS='\t' '{ print $2, $1, $3 }' cmn.txt >swapped
cut -f 1,2 cmn.txt >columns
for file in empty swapped columns "$DATA/toy.zh-en.tsv"; do
  refused 65 'is not English<TAB>Chinese<TAB>attribution' --convert "$file" out
done
refused 66 'nowhere: no such file' --convert nowhere out
refused 64 'tools/fetch-tatoeba \[OUTPUT_DIR\]' --help
refused 64 'tools/fetch-tatoeba' --convert cmn.txt
refused 64 'tools/fetch-tatoeba' out more
refused 64 'tools/fetch-tatoeba --language CODE' --language
refused 64 'tools/fetch-tatoeba' --language fra out more
for code in French fr ../a ''; do
  refused 64 "'$code' is not a code of three letters" --language "$code" out
done
refused 64 'tools/fetch-tatoeba' --convert cmn.txt out one two three
: >file
expect_message 73 'file/out: cannot create the directory' "$fetch" --convert cmn.txt file/out

# Failing downloads, with substitutes for the programs that download.
mkdir bin
for tool in awk bash cat cp dirname env gzip head mkdir mktemp paste rm sed sort tail tr unzip wc; do
  tool=$(command -v $tool) && ln -s "$tool" bin/
done
printf '#!/bin/bash\nexit 6\n' >wget
cat >curl <<'END'
#!/bin/bash
while [ "$1" != --output ]; do shift; done
head -c "$BYTES" /dev/zero >"$2"
END
chmod +x wget curl
refused_download() { # refused_download CODE REGEX ARGUMENT...
  PATH=$PWD/bin expect_exit "$1" "$fetch" "${@:3}" out
  expect_stderr_match "$2"
  [ ! -e out ] || fail "files were written"
}
refused_download 69 'neither curl nor wget was found'
mv wget bin/
refused_download 69 'cmn-eng.zip could not be downloaded; check the network'
mv curl bin/
export BYTES=1000
refused_download 65 'cmn-eng.zip gave 1000 bytes, so it cannot be the archive'
refused_download 65 'https://www.manythings.org/anki/fra-eng.zip gave 1000 bytes' --language fra
BYTES=3000
refused_download 65 'fra-eng.zip: is not English<TAB>fra' --language fra
BYTES=600000
refused_download 65 'cmn-eng.zip: is not English<TAB>Chinese'
