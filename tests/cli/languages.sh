# The languages of a model: given, from the names of the pairs, stored, kept and compared.

printf 'hello\thallo\nthe cat\tdie Katze\nthe dog\tder Hund\n' >pairs.tsv
cp pairs.tsv x.en-de.tsv
cut -f1 pairs.tsv >t.en
cut -f2 pairs.tsv >t.de
cp t.de other.de
gzip -c t.en >t.en.gz
gzip -c t.de >t.deu.gz
size='--hidden-size 4 --embedding-size 4 -t 1'
small="--epochs 1 $size"

# languages NOTE SOURCE TARGET ARGUMENT...: train, and check the report and the model.
languages() {
  local note=$1 source=$2 target=$3
  shift 3
  expect_exit 0 "$ELMAN" train -f $small -o m.safetensors "$@"
  if [ -n "$note" ]; then expect_stderr_match "^languages: $note$"; else
    ! grep -q '^languages:' "$results/stderr" || fail "languages that nothing states are reported"
  fi
  expect_exit 0 "$ELMAN" inspect --json -m m.safetensors
  expect_stdout_match "\"source_language\":\"$source\",\"target_language\":\"$target\","
}
said=', taken from the file names'
languages '' '' '' pairs.tsv
languages 'from English \(en\) to German \(de\)' en de --source-language en --target-language de pairs.tsv
languages 'from xog to German \(de-AT\)' xog de-AT --source-language XOG --target-language deu-at x.en-de.tsv
languages 'from English \(en\) to a language that is not stated' en '' --source-language en x.en-de.tsv
languages "from English \\(en\\) to German \\(de\\)$said" en de x.en-de.tsv
languages "from German \\(de\\) to English \\(en\\)$said" de en --columns 2,1 x.en-de.tsv
languages "from German \\(de\\) to English \\(en\\)$said" de en --source t.de --target t.en
languages "from English \\(en\\) to German \\(de\\)$said" en de --source t.en.gz --target t.deu.gz
languages '' '' '' --source t.en --target other.de
languages '' '' '' --columns 1,1 x.en-de.tsv
languages '' '' '' x.en-de.tsv pairs.tsv
languages '' '' '' --source-language none x.en-de.tsv
cp pairs.tsv my-own.tsv # Burmese, and a code that no language has
cp pairs.tsv pt-br-en.tsv # cannot be divided with certainty
cp pairs.tsv pt-BR-en.tsv
languages '' '' '' my-own.tsv
languages '' '' '' pt-br-en.tsv
languages "from Portuguese \\(pt-BR\\) to English \\(en\\)$said" pt-BR en pt-BR-en.tsv

# Wrong codes, with the code that was meant.
expect_usage() { expect_message 64 "$1" "$ELMAN" train "${@:2}" pairs.tsv; }
expect_usage "--source-language must be the code of a language, .* not 'german'; did you mean 'de'\\?$" --source-language german
expect_usage "--target-language must be the code of a language, .* not 'en_US'$" --target-language en_US
expect_usage '--target-language must be the code of a language, .* not 5$' --target-language 5

# Files of options, help and the log.
expect_exit 0 "$ELMAN" train -q -f $small -o en-de --log log --source-language en --target-language de pairs.tsv
grep -q '"source_language":"en","target_language":"de"' log || fail "the log states no languages"
expect_output '^source language +en$' inspect -m en-de
expect_output '^source-language = en$' inspect --config -m en-de
expect_exit 0 "$ELMAN" train -q -f $small -o plain pairs.tsv
expect_output '^target language +not stated$' inspect -m plain
expect_output '^source-language = none$' inspect --config -m plain
"$ELMAN" inspect --config -m plain >options
cp pairs.tsv named.en-de.tsv
expect_exit 0 "$ELMAN" train -q -f --config options -o again named.en-de.tsv
cmp plain again || fail "a repeated run takes its languages from the name of the file"

# Kept by other commands; a run continues only with its own languages.
expect_exit 0 "$ELMAN" convert -q --dtype float16 -m en-de -o half
expect_output '^source language +en$' inspect -m half
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --init-from en-de -o tuned x.en-de.tsv
expect_output '^target language +de$' inspect -m tuned
expect_message 64 '--source-language has no effect with --init-from' \
  "$ELMAN" train --init-from en-de --source-language fr -o tuned pairs.tsv
expect_exit 0 "$ELMAN" train -q $size --epochs 2 --resume -o en-de --source-language en --target-language de pairs.tsv
expect_message 64 'the checkpoint belongs to another run: target language was "de" and is now "nl"' \
  "$ELMAN" train $size --epochs 3 --resume -o en-de --source-language en --target-language nl pairs.tsv

# Models of other languages are no ensemble and have no mean; a model may leave its languages open.
expect_exit 0 "$ELMAN" train -q -f $small -o en-nl --source-language en --target-language nl pairs.tsv
for command in 'average -o mean en-nl en-de' 'translate -m en-nl -m en-de hello'; do
  expect_message 64 'en-de: differs from en-nl: target language: expected nl, got de$' "$ELMAN" $command
done
expect_exit 0 "$ELMAN" average -q -o mean en-nl plain
expect_exit 0 "$ELMAN" translate -q -m plain -m en-nl hello
