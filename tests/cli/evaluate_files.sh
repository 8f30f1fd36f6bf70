# `elman evaluate --hypothesis`: scores of files, without a model.

printf '%s\n' 'The cat sat on the mat.' 'It is 3.5% of 1,000.' '' >reference
printf '%s\n' 'the cat sat on the mat .' 'It was 3.5% of 1,000.' 'x' >first
printf '%s\n' 'a cat lay on a rug.' 'It is a tenth.' '' >second

# The scores are those of sacreBLEU.
expect_exit 0 "$ELMAN" evaluate --hypothesis first --reference reference
expect_no_stderr
expect_stdout 'sentences            3' \
  'BLEU                 71.58' \
  'BLEU precisions      80.0 / 75.0 / 70.0 / 62.5' \
  'brevity penalty      1.000 (15 words, reference 14)' \
  'chrF2                86.91' \
  'BLEU signature       nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:elman-0.1.0' \
  'chrF2 signature      nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:elman-0.1.0'
expect_exit 0 "$ELMAN" evaluate --json --lowercase --chrf-lowercase --bleu-tokens none --hypothesis first --reference reference
expect_stdout_match '^\{"sentences":3,"bleu":51\.29497[0-9]*,.*"chrf":90\.37999[0-9]*,"bleu_signature":"nrefs:1\|case:lc\|eff:no\|tok:none\|'

# Several references; standard input; CRLF, a byte order mark and a missing last line feed.
printf '\xef\xbb\xbfthe cat sat on the mat .\r\nIt was 3.5%% of 1,000.\r\nx' >dos
expect_output '"bleu":100(,|\.0)' evaluate --json --hypothesis - --reference reference --reference dos <first
expect_stdout_match '"bleu_signature":"nrefs:2\|case:mixed'

# The tokenizer depends on the language of the references.
echo 我爱学习 >chinese
expect_output '^BLEU +100\.00$' evaluate --hypothesis chinese --reference chinese
expect_stdout_match '^BLEU signature .*tok:zh'

# Two hypotheses are compared; the result is reproducible.
compare() { "$ELMAN" evaluate --hypothesis first --hypothesis second --reference reference "$@"; }
expect_exit 0 compare
expect_stdout_match '^hypothesis +second$'
expect_stdout_match '^BLEU resampled +[0-9.]+ ± [0-9.]+$'
expect_stdout_match '^chrF2 p-value +[01]\.[0-9]{4}$'
expect_stdout_match '^BLEU signature +nrefs:1\|bs:1000\|seed:1\|case:mixed\|'
cp "$results/stdout" once
expect_exit 0 compare --seed 1 --resamples 1000
cmp once "$results/stdout" || fail "the same seed gives another result"
expect_exit 0 compare --json --seed 2 --resamples 50
expect_stdout_match '^\{"sentences":3,"hypotheses":\[\{"number":1,"bleu":[^]]*\].*"bleu_mean":.*\{"number":2,.*\}\],"bleu_p_value":[0-9.]+,"chrf_p_value":[0-9.]+,"resamples":50,"seed":2,"bleu_signature":"nrefs:1\|bs:50\|seed:2\|'

# Wrong files.
head -n 2 reference >short
expect_error 65 '^elman: first: has 3 lines, but short has 2; ' evaluate --hypothesis first --reference short
expect_stdout
expect_error 65 'first: has 3 lines, but short has 2' evaluate --hypothesis first --reference reference --reference \
  short
printf 'good\nb\xffd\nx\n' >broken
expect_error 65 '^elman: broken:2: is not valid UTF-8 at byte 2 of the line$' evaluate --hypothesis first --reference \
  broken
printf 'a\0b\n' >binary
expect_error 65 '^elman: binary: is a binary file, not UTF-8 text$' evaluate --hypothesis binary --reference binary
printf 'a\0b\ngood\nbetter\n' >one_nul
expect_error 65 '^elman: one_nul:1: contains NUL at byte 2' evaluate --hypothesis one_nul --reference reference
: >empty
expect_error 65 '^elman: empty: is empty' evaluate --hypothesis empty --reference empty

# Wrong command lines.
wrong() { # wrong REGEX OPTION...
  expect_refused "^elman: evaluate: $1" evaluate "${@:2}"
}
wrong '--hypothesis needs --reference' --hypothesis first
wrong '--reference needs --hypothesis' --reference reference
wrong '--reference needs --hypothesis' --reference reference pairs
wrong 'PAIRS and --hypothesis cannot be combined' --hypothesis first --reference reference pairs
wrong '--model cannot be combined' -m model.safetensors --hypothesis first --reference reference
for option in '--source x' '--target x' '--columns 1,2' --strict '--alignments 3' '--batch-size 32' \
  '--max-length 9' '-t 1' '--override uniform'; do
  wrong '--[a-z-]+ cannot be combined with --hypothesis, which' $option --hypothesis first --reference reference
done
wrong '--resamples needs two files to compare' --resamples 9 --hypothesis first --reference reference
wrong '--seed needs --hypothesis twice' --seed 9 pairs
wrong "--resamples: '0' is not a whole number from 1" --resamples 0
wrong '--hypothesis can be given at most 2 times' --hypothesis a --hypothesis b --hypothesis c
wrong "standard input \('-'\) can be read only once" --hypothesis - --reference -
wrong "--bleu-tokens: 'intl' is not one of: 13a, zh, char, none" --bleu-tokens intl pairs
