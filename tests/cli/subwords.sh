# Subwords: BPE codes as subword-nmt learns and applies them, models with the token mode bpe, and
# input that is refused.

goldens=$DATA/../tests/reference

# Codes and subwords equal those of subword-nmt; tests/reference/make-subwords generated them.
tr '\t' '\n' <"$DATA/daily.train.zh-en.tsv" >text
expect_exit 0 "$ELMAN" subwords learn --merges 400 text -o codes
cmp codes "$goldens/subwords.codes" || fail "the codes differ from those of subword-nmt"
expect_same codes subwords learn -q -n 400 <text
tr '\t' '\n' <"$DATA/daily.test.zh-en.tsv" | head -n 120 >test
expect_same "$goldens/subwords.applied" subwords apply --codes codes --input test

# White space as in subword-nmt: kept at the ends, one space between words; a tab is a character.
printf '  I  have \t\n\n' >spaces
expect_exit 0 "$ELMAN" subwords apply -c codes -i spaces
expect_stdout "  I have "$'\t' ""

# If a corpus has too few words, learning ends early with a note.
expect_exit 0 "$ELMAN" subwords learn -n 100 -o few <<<"ab ab"
expect_stderr_match '^1 merge operation: no other pair'
[ "$(cat few)" = $'#version: 0.2\na b</w>' ] || fail "the codes differ: $(cat few)"

# Input that is not text, and files that are not codes.
printf 'a\nb\xff\n' >bad
expect_error 65 '^elman: bad: line 2: byte 2 is not valid UTF-8' subwords learn bad
expect_exit 65 "$ELMAN" subwords apply -c codes -i bad
printf 'a b\n' >old
expect_error 65 "^elman: old: line 1: expected '#version: 0.2'" subwords apply -c old -i test
printf '#version: 0.2\na b c\n' >three
expect_error 65 '^elman: three: line 2: is not a merge operation' subwords apply -c three -i test
expect_exit 64 "$ELMAN" subwords apply -i test

# A model with bpe on both sides has no unknown words, in training and later.
head -n 200 "$DATA/daily.train.zh-en.tsv" >pairs
small=(--hidden-size 8 --embedding-size 8)
expect_note '^source: bpe with 50 merge operations, vocabulary size [0-9]+, .*$' train "${small[@]}" --epochs 1 --subwords \
  150 --source-subwords 50 pairs
expect_stderr_match '^target: bpe with 150 merge operations, vocabulary size [0-9]+, .*$'
grep -q 'not in the vocabulary' "$results/stderr" && fail "training reports unknown words"
expect_output '^target tokenization +bpe$' inspect
expect_stdout_match '^source merges +50$'
expect_stdout_match '^merge operations +150$'
expect_exit 0 "$ELMAN" subwords show --side source -o shown
[ "$(wc -l <shown)" -eq 51 ] || fail "the number of merge operations differs"
# With a model, `subwords apply` prints the model's own tokens.
cut -f 1 "$DATA/toy.zh-en.tsv" | cat - test >texts
printf '%s\n' "I couldn't, he said: \"it's 1989.\"" 'ＡＢ１２ “x” don’t ￭a ▁' 龘龖😀 '' '  a\tb  ' \
  '我 爱 学习，你好。Bob' $'e\xCC\x81  ﬁ \xE2\x84\xA6 ½' '@@ <unk> <0x41>' >>texts
for side in source target; do
  expect_exit 0 "$ELMAN" subwords apply -m model.safetensors --side $side -i texts -f -o by_model
  if [ $side = source ]; then
    "$ELMAN" attention --format json --units tokens --max-length 1 -i texts >tokens
  else
    sed 's/.*/我/' texts | paste - texts | grep -nv $'\t *$' >numbered
    cut -d: -f2- numbered | cut -f 2- >references
    sed 's/.*/我/' references | "$ELMAN" attention --format json --units tokens --references references >tokens
  fi
  expect_exit 0 python3 - $side by_model tokens <<'END'
import json, sys
side = sys.argv[1]
lines = [line.rstrip("\n") for line in open(sys.argv[2], encoding="utf-8")]
of_model = [json.loads(line) for line in open(sys.argv[3], encoding="utf-8")]
tokens = [r["source_tokens"] if side == "source" else r["target_tokens"][:-1] for r in of_model]
tokens = [t for t in tokens if t]
lines = [line for line in lines if line]
assert len(lines) == len(tokens) > 100, (len(lines), len(tokens))
for line, expected in zip(lines, tokens):
    assert line.replace("@@ ", " ").split(" ") == expected, (line, expected)
END
done
# Without the joints, the output is the text as the model normalizes it.
expect_exit 0 "$ELMAN" subwords apply -m model.safetensors -i - <<<"  We  eat   apples "
[ "$(sed 's/@@ //g' "$results/stdout")" = "We eat apples" ] || fail "not the normalized text"

# Each line is split before the next one is read.
for how in '-c codes' '-m model.safetensors'; do
  coproc "$ELMAN" subwords apply $how
  for word in a b; do
    echo $word >&"${COPROC[1]}"
    read -r -t 20 answer <&"${COPROC[0]}" || fail "no answer to a line in a pipe with $how"
    [ "$answer" = $word ] || fail "answer: $answer"
  done
  exec {COPROC[1]}>&-
  wait "$COPROC_PID" || fail "exit code $? with $how"
done
printf 'a\0b\nc\n' >bad_byte
expect_error 65 '^elman: bad_byte: line 1: byte 2 is NUL' subwords apply -m model.safetensors -i bad_byte
expect_exit 0 "$ELMAN" translate --max-length 40 龘龖 "Ünknown <unk> wörds ￭ ▁" 😀
grep -qE '<unk>|<s>' "$results/stdout" && fail "the output contains an unknown word"
[ "$(wc -l <"$results/stdout")" -eq 3 ] || fail "expected one line per sentence"
! grep -q 'not in the vocabulary' "$results/stderr" || fail "a word is unknown"
expect_exit 0 "$ELMAN" attention --format json 龘爱
python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$results/stdout" ||
  fail "the output is not valid JSON"
expect_exit 0 "$ELMAN" evaluate pairs
for command in translate attention repl; do
  expect_refused --replace-unknown $command --replace-unknown </dev/null
done

# Joint merge operations; one side alone; the default number.
expect_exit 0 "$ELMAN" train "${small[@]}" --epochs 0 --joint-subwords --subwords 60 -o joint pairs
expect_exit 0 "$ELMAN" subwords show -m joint --side source -o one
expect_exit 0 "$ELMAN" subwords show -m joint --side target -o two
cmp one two || fail "joint merge operations differ"
expect_note '^source: (chars|space), ' train "${small[@]}" --epochs 0 --target-tokens bpe -o single pairs
expect_refused 'source' subwords show -m single --side source
expect_refused 'BPE' train --subwords 9 --source-tokens chars --target-tokens words -o no pairs
expect_refused --subword-dropout train --subword-dropout 0.1 -o no pairs
[ "$(wc -l <"$results/stderr")" -eq 2 ] || fail "the pairs are read before the option is refused"

# Subword dropout: the model does not depend on the number of threads or on stops.
drop=("${small[@]}" -q --subwords 150 --subword-dropout 0.3 --shards 2)
expect_exit 0 "$ELMAN" train "${drop[@]}" --epochs 3 -t 1 -o a pairs
expect_model a "${drop[@]}" --epochs 3 -t 2 -o b pairs
expect_exit 0 "$ELMAN" train "${drop[@]}" --epochs 2 --save-every 0.001 -o d pairs
expect_model a "${drop[@]}" --epochs 3 --resume -o d pairs

# Invalid merge operations and vocabularies in a model file are refused.
tamper() { # tamper KEY VALUE: "-" removes the key
  alter model.safetensors tampered '
key, value = arguments
if value == "-":
    del metadata[key]
else:
    metadata[key] = metadata[key].replace("<0x41>", "<0xZZ>") if value == "no byte" else value' "$1" "$2"
}
refused() {
  tamper "$1" "$2"
  expect_error 65 "$3" translate -m tampered 我
}
refused elman.target_merges - 'elman.target_merges is missing'
refused elman.target_merges '{}' 'elman.target_merges is not a list'
refused elman.target_merges '"a b"' 'elman.target_merges is not a list'
refused elman.target_merges '[1]' 'elman.target_merges is not a merge operation'
refused elman.target_merges '["a"]' 'elman.target_merges is not a merge operation'
refused elman.target_merges '["a b", "a b c"]' 'elman.target_merges is not a merge operation'
refused elman.target_merges '["a b"' 'elman.target_merges '
refused elman.target_vocab 'no byte' 'elman.target_vocab lacks bytes or marks'
# Changed merge operations split differently and lose no text.
for merges in '[]' '["a b", "a b", "ab c</w>", "a< /w>", "x</w> y", "< /w>"]'; do
  tamper elman.source_merges "$merges"
  expect_exit 0 "$ELMAN" translate -m tampered --max-length 5 "abc a</w>b a</w> ab 我"
done
cp single model.safetensors
refused elman.source_merges '[]' 'contradicts the token mode'

# Merge operations that a model file cannot contain are refused before training: each merge of this word is one
# character longer than the previous one.
python3 -c 'print("a\t" + "".join(chr(0x9fff - i) for i in range(8400)) + "\n", end="")' >long
cat long long >twice
expect_exit 64 "$ELMAN" train "${small[@]}" --target-tokens bpe --subwords 10000 -o no twice
expect_stderr_match '^elman: the 8399 merge operations take [0-9]* bytes, too much for the header of a model file \(100 MB\); '
grep -q '^epoch' "$results/stderr" && fail "the error came after training"

# After an error the output file is unchanged; if the output cannot be written, the command fails.
echo good >kept
for wrong in 'learn -n 5 text no-such' 'show -m no-such' 'apply -c no-such -i text' 'apply -c /dev/null -i text'; do
  "$ELMAN" subwords $wrong -f -o kept 2>"$results/stderr" && fail "expected an error: $wrong"
  [ "$(cat kept)" = good ] || fail "the output was replaced after an error: $wrong"
done
expect_stderr_match '/dev/null: is empty; BPE codes were expected'
