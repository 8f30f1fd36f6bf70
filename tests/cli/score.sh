# `elman score`: the log-probability of given translations.

pairs=$DATA/daily.test.zh-en.tsv
for seed in 1 2; do
  expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --hidden-size 16 --embedding-size 8 --seed $seed -o $seed \
    "$DATA/daily.train.zh-en.tsv"
done

# The loss is that of `evaluate`, and the total of a line is the sum over its tokens.
output_to scores score -m 1 "$pairs"
[ "$(wc -l <scores)" -eq "$(wc -l <"$pairs")" ] || fail "expected one line per pair"
awk -F '\t' '{
  n = split($3, parts, " "); sum = 0
  for (i = 1; i <= n; i++) sum += parts[i]
  if (n != $2 || sum - $1 > 1e-5 || $1 - sum > 1e-5) exit 1
}' scores || fail "the tokens do not sum to the total"
loss=$(awk -F '\t' '{ sum += $1; count += $2 } END { printf "%.4f", -sum / count }' scores)
expect_exit 0 "$ELMAN" evaluate -q -m 1 "$pairs"
grep -q "^loss  *$loss\$" "$results/stdout" || fail "the loss differs from $loss"

# Standard input, a file, and several models, whose log-probabilities are averaged.
expect_exit 0 "$ELMAN" score -m 1 -o file <"$pairs"
cmp scores file || fail "standard input or --output gives another result"
output_to others score -m 2 "$pairs"
expect_exit 0 "$ELMAN" score -m 1 -m 2 "$pairs"
paste scores others "$results/stdout" |
  awk -F '\t' '{ off = ($1 + $4) / 2 - $7; if (off > 1e-3 || off < -1e-3) exit 1 }' ||
  fail "the log-probability is not the mean"

# Other columns, two files, and a length limit for lines.
awk -F '\t' -v OFS='\t' '{ print "x", $2, $1 }' "$pairs" >others.tsv
expect_same scores score -m 1 --columns 3,2 others.tsv
cut -f 1 "$pairs" >zh
cut -f 2 "$pairs" >en
expect_same scores score -m 1 --source zh --target en
head -n 199 en >short
expect_error 65 '^elman: short: has 199 lines' score -m 1 --source zh --target short
expect_exit 64 "$ELMAN" score -m 1 --source - --target -
expect_error 65 '^elman: .*: skipped: the line has more than 40 bytes' score -m 1 --max-bytes 40 "$pairs"

# JSON, and lines that cannot be scored.
printf '我\tI\nno tab\n\tempty\n我\t\n\xff\tbyte\n我\tI\n\n' >bad
expect_error 65 '^elman: bad:2: skipped: the line has no column 2' score -m 1 bad
expect_stderr_match '^elman: bad:3: has an empty source side'
expect_stderr_match '^elman: bad:4: target side: the reference is empty'
expect_stderr_match '^elman: bad:5: byte 1 is not valid UTF-8'
[ "$(grep -c . "$results/stdout")" -eq 2 ] || fail "expected scores for two pairs"
[ "$(wc -l <"$results/stdout")" -eq 7 ] || fail "expected seven lines"
printf '我\tI\r我\tyou\n我\tI\r\n' >returns
expect_error 65 '^elman: returns:1: skipped: the line contains a carriage return$' score -q -m 1 returns
[ "$(wc -l <"$results/stdout")" -eq 2 ] && [ -z "$(head -n 1 "$results/stdout")" ] || fail "expected a score for line 2"
printf 'a\0\tb\nno tab\n' >nul
expect_error 65 '^elman: nul:1: skipped: the line contains a NUL character$' score -q -m 1 nul
expect_stderr_match '^elman: nul:2: skipped: the line has no column 2$'
expect_exit 65 "$ELMAN" score -m 1 --json bad
[ "$(grep -c '^null$' "$results/stdout")" -eq 5 ] || fail "expected null for five lines"
python3 - "$results/stdout" <<'END' || fail "the JSON differs"
import json, sys
first = json.loads(open(sys.argv[1]).readline())
assert first["target_tokens"] == ["I", "</s>"], first
assert abs(sum(first["log_probabilities"]) - first["log_probability"]) < 1e-6, first
END

expect_exit 0 "$ELMAN" score -m 1 /dev/null
expect_refused 'PAIRS' score -m 1 one two
