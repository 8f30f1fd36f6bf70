# `corpus convert` writes the pairs of CSV, TMX, JSON and other files, names what it found, and reports bad records.

convert() { # convert NOTE ARGUMENT...: the command succeeds with this note; its pairs are compared by expect_stdout
  expect_exit 0 "$ELMAN" corpus convert "${@:2}"
  expect_stderr_match "$1"
}
refused() { # refused CODE MESSAGE ARGUMENT...
  expect_no_output "$1" "$2" corpus convert "${@:3}"
}

# ---- CSV: separators, quotation marks, headers ----

printf 'en,de,note\r\n"Hello, world.","Hallo, Welt.",x\r\n"She said ""hi"".","Sie sagte ""hallo"".",\r\n' >a.csv
printf '"Two\r\n lines\there","Zwei\n\nZeilen",y\r\n\r\nplain,  einfach ,,,\r\n' >>a.csv
pairs=('Hello, world.	Hallo, Welt.	x' 'She said "hi".	Sie sagte "hallo".' 'Two lines here	Zwei Zeilen	y'
  'plain	einfach')
convert '^a\.csv: format csv, separator comma, with a header; source: column 1 \(en\), target: column 2 \(de\)$' a.csv
expect_stdout "${pairs[@]}"
expect_stderr_match '^4 pairs$'
convert . --from csv --separator comma --header yes --columns 1,2 a.csv
expect_stdout "${pairs[@]}"
convert 'source: column 2 \(de\), target: column 1 \(en\)$' --columns DE,en a.csv
expect_stdout_match '^Hallo, Welt\.	Hello, world\.	x$'
convert . --languages de,en a.csv
expect_stdout_match '^Hallo, Welt\.	Hello, world\.	x$'
convert 'separator comma; source: column 3, target: column 1$' --header no --columns 3,1 a.csv
expect_stderr_match 'a\.csv:3: skipped: has an empty source side$'
expect_stdout 'note	en	de' 'x	Hello, world.	Hallo, Welt.' 'y	Two lines here	Zwei Zeilen'
convert 'separator semicolon, with a header' - < <(printf 'Français;Deutsch\nBonjour, toi;Hallo, du\nOui;Ja\n')
expect_stdout 'Bonjour, toi	Hallo, du' 'Oui	Ja'
printf '中文,英文\n你好，世界。,"Hello, world."\n' >zh.csv
convert '\(中文\), target: column 2 \(英文\)$' zh.csv
expect_stdout '你好，世界。	Hello, world.'
convert '^standard input: .* comma; source: column 1, target: column 2$' - < <(printf 'мир,शांति\nсон,नींद\n')
expect_stdout 'мир	शांति' 'сон	नींद'

# Text of spreadsheets: columns separated by tabs in UTF-16, fields in quotation marks where needed.
printf '"Hello, you"\tBonjour\nYes\t"Oui ""bon"" 🎉"\n' | iconv -f UTF-8 -t UTF-16 >excel.txt
convert '^excel\.txt: format csv, separator tab; ' excel.txt
expect_stdout 'Hello, you	Bonjour' 'Yes	Oui "bon" 🎉'
# These quotation marks belong to the sentences.
printf '"Go," he said.\t« Va », dit-il.\n"Why?"\t« Pourquoi ? »\n' >quotes.tsv
convert '^quotes\.tsv: format pairs, separator tab; ' quotes.tsv
cmp quotes.tsv "$results/stdout" || fail "pairs changed"

# Columns that are not clear.
printf 'id,text,label\n1,Hello,x\n2,Bye,y\n' >ids.csv
refused 64 'ids\.csv: the columns of the pairs are not clear; its first record is: id, text, label; .*--columns A,B' ids.csv
refused 64 'the header has no column .nope.; its first record is: id, text, label' --columns text,nope ids.csv
refused 64 'a column can have a name only in a file with a header' --header no --columns text,label ids.csv
convert 'with a header; source: column 2 \(text\), target: column 3 \(label\)$' --columns 2,3 ids.csv
expect_stdout 'Hello	x	1' 'Bye	y	2'
printf 'en\tde\tFrench\nHello\tHallo\tSalut\n' >three.tsv
refused 64 'the columns of the pairs are not clear; its first record is: en, de, French; .*--columns A,B' three.tsv
convert 'with a header; source: column 3 \(French\), target: column 1 \(en\)$' --columns French,en three.tsv
tail -n +2 ids.csv >numbers.csv
refused 64 'numbers\.csv: column 1 has numbers, not sentences' numbers.csv
for columns in 0,1 1 1,1 1001,2 1,2,3 , ''; do
  refused 64 "columns: '$columns' is (not|neither) two" --columns "$columns" ids.csv
done

# ---- tatoeba.org, fast_align, Moses ----

printf '\xef\xbb\xbf1\t我很好。\t2\tI am fine.\n3\tСпасибо.\t4\tThanks.\n' >tatoeba.tsv
convert '^tatoeba\.tsv: format tatoeba, separator tab; source: column 2, target: column 4$' tatoeba.tsv
expect_stdout '我很好。	I am fine.	1	2' 'Спасибо.	Thanks.	3	4'
printf 'Hello .  ||| Bonjour .\nYes ||| Oui ||| 0-0\n' >bars
convert '^bars: format bars, separator \|\|\|; ' bars
expect_stdout 'Hello .	Bonjour .' 'Yes	Oui	0-0'
printf 'Hello.\nThe\ttab.\n\nYes.\n' >en
printf 'Bonjour.\nLe tab.\nvide\nOui.\n' >fr
convert '^en:3: skipped: is empty$' --source en --target fr
expect_stdout 'Hello.	Bonjour.' 'The tab.	Le tab.' 'Yes.	Oui.'
expect_stderr_match '^3 pairs; 1 record skipped$'
refused 64 '--source needs --target' --source en
refused 64 'FILE and --source cannot be combined' --source en --target fr a.csv
refused 64 '--from applies to FILE' --source en --target fr --from csv
# Two files are refused like one file, whichever side is not UTF-8.
iconv -f UTF-8 -t LATIN1 <<<$'thé\ncafé\nx\ny' >latin
refused 65 '^elman: 2 of 4 records are not valid UTF-8, the first one at latin:1; convert ' --source latin --target fr
refused 65 '^elman: 2 of 4 records are not valid UTF-8, the first one at latin:1; convert ' --source fr --target latin
echo more >>fr
refused 65 '^elman: en: has 4 lines, but fr has 5' --source en --target fr

# ---- JSON ----

printf '{"translation": {"en": "A\\tb", "ro": "Câine\\nmare"}}\n\n{"translation": {"en": "x", "ro": null}}\nbad\n' >wmt.jsonl
printf '{"translation": {"en": "Yes", "ro": "Da", "de": "Ja"}}\n' >>wmt.jsonl
convert '^wmt\.jsonl: format jsonl; source: translation\.en, target: translation\.ro$' wmt.jsonl
expect_stderr_match "^wmt\.jsonl:3: skipped: the value of 'translation\.ro' is not a text$"
expect_stderr_match '^wmt\.jsonl:4: skipped: is not valid JSON: byte 1: '
expect_stderr_match '^2 pairs; 2 records skipped$'
expect_stdout 'A b	Câine mare' 'Yes	Da'
refused 65 "^elman: wmt\.jsonl:3: the value of 'translation\.ro' is not a text" --strict wmt.jsonl
convert . --languages ro,en wmt.jsonl
expect_stdout 'Câine mare	A b' 'Da	Yes'
convert . --columns translation.ro,translation.en wmt.jsonl
expect_stdout 'Câine mare	A b' 'Da	Yes'
convert 'source: en, target: de$' - < <(printf '{"en": "Two young men", "de": "Zwei junge M\\u00e4nner", "id": "7"}\n')
expect_stdout 'Two young men	Zwei junge Männer'
convert 'standard input:2: skipped: item 2 of the list is missing' - < <(printf '["a", "b"]\n["c"]\n["d", "e"]\n')
expect_stdout 'a	b' 'd	e'
printf '[\n {"id": 1,\n  "target": "]b", "source": "a,\\""},\n 7, {"id": 2, "source": "c", "target": "d"}\n]\n' >records.json
convert '^records\.json: format json; source: source, target: target$' records.json
expect_stderr_match '^records\.json:4: skipped: is neither a JSON object nor a list$'
expect_stdout 'a,"	]b' 'c	d'
printf '{"x": "1", "y": "2", "z": "3"}\n' >keys.jsonl
refused 64 'keys\.jsonl:1: the keys of the pairs are not clear; .* keys: x, y, z; choose two' keys.jsonl
refused 64 'keys\.jsonl:1: it lacks a key of --columns; .* keys: x, y, z' --columns x,w keys.jsonl
refused 64 'keys\.jsonl:1: it lacks a language of --languages; .* keys: x, y, z' --languages x,w keys.jsonl
head -c 30 records.json >cut.json
refused 65 'cut\.json:2: the JSON array ends too early; its last record starts here' cut.json

# ---- TMX ----

cat >t.tmx <<'TMX'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" datatype="xml"/>
<body>
<tu tuid="1"><prop type="x">not text</prop>
 <tuv xml:lang="en-US"><seg>Click <bpt i="1">&lt;b <sub>no</sub>&gt;</bpt>here<ept i="1">&lt;/b&gt;</ept> &amp; now.</seg></tuv>
 <tuv xml:lang="de-DE"><note>no</note><seg>Klicken Sie <hi>hier</hi><ph x="1"/>
   jetzt.</seg></tuv>
 <tuv xml:lang="fr"><seg><![CDATA[Cliquez <ici>.]]></seg></tuv>
</tu>
<tu><tuv xml:lang="en-US"><seg>Only</seg></tuv><tuv lang="fr"><seg>Seulement</seg></tuv></tu>
<tu><tuv lang="EN_us"><seg>caf&eacute;</seg></tuv><tuv lang="de-DE"><seg>Kaffee</seg></tuv></tu>
</body></tmx>
TMX
if ! "$ELMAN" corpus convert t.tmx >/dev/null 2>text && grep -q 'built without Expat (Debian package libexpat1-dev)' text; then
  echo "without Expat, TMX is not tested" >&2
else
  convert '^t\.tmx: format tmx; source: en-US, target: de-DE; other languages, for --languages: fr$' t.tmx
  expect_stderr_match '^t\.tmx:11: skipped: has no text in de-DE; it has: en-US, fr$'
  expect_stderr_match '^t\.tmx:12: skipped: refers to an entity that the file does not declare$'
  expect_stdout 'Click here & now.	Klicken Sie hier jetzt.'
  convert . --languages FR,en t.tmx
  expect_stdout 'Cliquez <ici>.	Click here & now.' 'Seulement	Only'
  sed '1s/UTF-8/UTF-16/' t.tmx | iconv -f UTF-8 -t UTF-16 >wide.tmx
  convert 'target: de-DE' wide.tmx
  expect_stdout 'Click here & now.	Klicken Sie hier jetzt.'
  sed '1s/UTF-8/ISO-8859-1/' t.tmx >latin.tmx
  gzip -c latin.tmx >packed
  convert '^packed: format tmx' packed
  expect_stdout 'Click here & now.	Klicken Sie hier jetzt.'
  refused 65 '^elman: t\.tmx:11: has no text in de;' --strict --languages de,en t.tmx
  refused 65 'no usable sentence pair; format tmx; 3 records skipped; the first, t\.tmx:5, has no text in es;' \
    --languages es,en t.tmx
  refused 64 "the format 'tmx' has no columns; choose languages" --columns 1,2 t.tmx
  refused 64 "the format 'tmx' has no header" --header yes t.tmx

  # Entities could expand to gigabytes, or read other files.
  for entity in '"lol"' 'SYSTEM "/etc/hostname"' '"&a;&a;"'; do
    printf '<!DOCTYPE tmx [<!ENTITY a "x"><!ENTITY b %s>]><tmx><body><tu><tuv lang="en"><seg>&b;</seg></tuv></tu></body></tmx>' \
      "$entity" >entity.tmx
    refused 65 "^elman: entity\.tmx:1: declares the entity 'a', which is refused for safety" entity.tmx
  done
  printf '<tmx><body><tu><tuv xml:lang="en"><seg>x</seg></tuv>\n<tuv xml:lang="de"><seg>y</tuv></tu>' >bad.tmx
  refused 65 '^elman: bad\.tmx:2: is not valid XML: mismatched tag' bad.tmx
  printf '<?xml version="1.0"?><xliff version="1.2"/>' >other.tmx
  refused 65 '^elman: other\.tmx:1: is XML but not TMX: its root element is <xliff>' other.tmx
  printf '<?xml version="1.0" encoding="GB18030"?><tmx/>' >gb.tmx
  refused 65 '^elman: gb\.tmx:1: its XML declaration names an encoding that is not supported' gb.tmx
  printf '<tmx><body/></tmx>' >none.tmx
  refused 65 '^elman: none\.tmx: no sentence pair: the file has no records' none.tmx
  head -c 3000000 /dev/zero | tr '\0' x | { printf '<tmx><!--'; cat; printf -- '--></tmx>'; } >comment.tmx
  refused 65 'comment\.tmx:1: the record has more than 1000 bytes; --max-bytes sets the limit' --max-bytes 1000 comment.tmx
fi

# ---- bad records ----

printf 'a,"b\nc,d\n"x","y"z,q\ne,f\n' >stray.csv
convert '^stray\.csv:1: skipped: has text between a closing quotation mark and the separator$' stray.csv
expect_stdout 'c	d' 'e	f'
(printf 'a,b\nc,"d\n'; for i in $(seq 200); do echo "$i x,y"; done) >open.csv
convert '^open\.csv:2: skipped: its quotation mark is not closed within 100 lines$' open.csv
expect_stderr_match '^201 pairs; 1 record skipped$'
refused 65 '^elman: open\.csv:2: its quotation mark' --strict open.csv
printf 'thé,tea\ncafé,coffee\nx,y\n' | iconv -f UTF-8 -t LATIN1 >latin.csv
refused 65 'latin\.csv: 2 of 3 records are not valid UTF-8, the first one at latin\.csv:1; convert .*iconv -f WINDOWS-1252' \
  latin.csv
(for i in $(seq 20); do echo "a $i,b"; done; printf 'th\xe9,tea\na\0b,c\none\n') >some.csv
convert '^some\.csv:21: skipped: its source side is not valid UTF-8 at byte 3$' some.csv
expect_stderr_match '^some\.csv:22: skipped: its source side contains NUL at byte 2$'
expect_stderr_match '^some\.csv:23: skipped: has 1 column; column 2 is required$'
expect_stderr_match '^20 pairs; 3 records skipped$'

# ---- files of other kinds, limits, outputs ----

: >empty
refused 65 '^elman: empty: is empty' empty
refused 65 '^elman: empty: is empty' --from csv empty
printf 'en,de\n' >header.csv
refused 65 '^elman: header\.csv: no sentence pair: the file has no records' header.csv
printf 'Hello\nworld\n' >one
refused 65 '^elman: one: its format is not clear: .*; state the format with --format; .* name .* with --target-file' one
refused 66 '^elman: nowhere: cannot open' nowhere
refused 64 'no FILE given' -q
refused 64 "--from must be one of csv, tatoeba, bars, pairs, tmx, jsonl, json, not 'xml'" --from xml a.csv
refused 64 "the format 'json' has no separator" --from json --separator tab records.json
refused 64 '--columns and --languages cannot be combined' --columns 1,2 --languages en,de a.csv
refused 64 "standard input \('-'\) can be read only once" - -
refused 65 'is not a JSON array; --format jsonl reads' --from json keys.jsonl
printf 'PK\3\4\n\0\0\0\0\0\0\0\0\0fra.txt' >fra-eng.zip
refused 65 '^elman: fra-eng\.zip: is (a|a damaged) zip file' fra-eng.zip
# A zip archive with one text, if the build has libzip.
if command -v python3 >/dev/null && python3 - <<'END'
import zipfile
def archive(name, **entries):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, text in entries.items():
            file.writestr(entry.replace("__", "."), text)
pairs = "Go.\tVa !\tCC-BY 2.0 (France) #1\nRun!\tCours\u202f!\tCC-BY 2.0 (France) #2\n" * 20
archive("deu-eng.zip", fra__txt=pairs, _about__txt="About")
archive("table.zip", **{"x/": "", "x/names__csv": "en,fr\nHi,Salut\nYes,Oui\n"})
archive("two.zip", a__txt=pairs, b__txt=pairs)
archive("office.zip", **{"word/document__xml": "<x/>"})
archive("bomb.zip", fra__txt=pairs * 5000)
data = bytearray(open("deu-eng.zip", "rb").read())
data[45] ^= 0xFF
open("damaged.zip", "wb").write(data)
END
then
  if "$ELMAN" corpus convert two.zip 2>&1 | grep -q 'is a zip file.*; extract'; then
    echo "without libzip, zip files are not tested" >&2
  else
    convert '^deu-eng\.zip: format pairs' deu-eng.zip
    [ "$(head -n 1 "$results/stdout")" = $'Go.\tVa !\tCC-BY 2.0 (France) #1' ] || fail "the pairs differ"
    [ "$(wc -l <"$results/stdout")" -eq 40 ] || fail "expected 40 pairs"
    convert '^table\.zip: format csv' table.zip
    expect_stdout 'Hi	Salut' 'Yes	Oui'
    refused 65 '^elman: two\.zip: contains several texts, such as a\.txt and b\.txt; ' two.zip
    refused 65 '^elman: office\.zip: is a zip file without a text of pairs' office.zip
    refused 65 '^elman: bomb\.zip: unpacks to more than 100000 bytes; --max-unpacked sets the limit$' --max-unpacked 100000 bomb.zip
    refused 65 '^elman: damaged\.zip: is a damaged' damaged.zip
    convert '^standard input: format pairs' - <deu-eng.zip
  fi
fi
printf '<!DOCTYPE html>\n<html><body>404</body></html>\n' >page.csv
refused 65 '^elman: page\.csv: is a web page' page.csv
refused 65 'a\.csv: line 2 has more than 20 bytes; --max-bytes sets the limit' --max-bytes 20 a.csv
refused 65 'records\.json:2: the record has more than 20 bytes; --max-bytes sets the limit' --max-bytes 20 records.json
gzip -c a.csv >a.csv.gz
refused 65 'has more than 50 bytes after decompression; --max-unpacked sets the limit' --max-unpacked 50 a.csv.gz
convert . a.csv.gz
expect_stdout "${pairs[@]}"

expect_exit 0 "$ELMAN" corpus convert -q -o all.tsv a.csv tatoeba.tsv
expect_no_stderr
[ "$(wc -l <all.tsv)" -eq 6 ] || fail "the files are not joined"
refused 73 '^elman: all\.tsv: already exists; add --force' -o all.tsv a.csv
refused 64 "'a\.csv' is also an input file" -f -o a.csv a.csv
expect_exit 0 "$ELMAN" corpus convert -q -f -o all.tsv a.csv
printf '%s\n' "${pairs[@]}" | cmp - all.tsv || fail "wrong output file"
# After an error the old file is unchanged.
refused 65 'is empty' -f -o all.tsv tatoeba.tsv empty
printf '%s\n' "${pairs[@]}" | cmp - all.tsv || fail "an error replaced the file"
expect_exit 0 "$ELMAN" corpus check all.tsv
