# `corpus check`: findings, text and JSON, exit codes, and wrong input.

printf '我爱你。\tI love you.\t(a)\n他在睡觉。\tHe is asleep.\t(b)\n' >train.tsv
printf '她很忙。\tShe is busy.\n' >dev.tsv
printf '我爱你\tI do love you\n是他\tHe is ASLEEP\n她很忙。\tShe is busy.\n' >test.tsv

# A corpus without findings.
expect_output '^train\.tsv$' corpus check train.tsv dev.tsv
expect_no_stderr
expect_stdout_match '^  pairs +2$'
expect_stdout_match '^  source tokens \(chars\) +9, 8 distinct$'
expect_stdout_match '^  target tokens \(words\) +4, 50\.00 % not in the first part$'
expect_stdout_match '^0 leaking pairs; 0 bad lines$'

# Leaks are reported with their origin.
expect_exit 65 "$ELMAN" corpus check train.tsv dev.tsv test.tsv
expect_stdout_match '^  leaks from train\.tsv, exact: 0 pairs, 0 sources, 0 targets$'
expect_stdout_match '^    ignoring case, width, punctuation and spaces: 0 pairs, 1 source, 1 target$'
expect_stdout_match '^  leaks from dev\.tsv, exact: 1 pair, 1 source, 1 target$'
expect_stdout_match '^    test\.tsv:2: 是他 \| He is ASLEEP  \(as in train\.tsv:2\)$'
expect_stdout_match '^3 leaking pairs; 0 bad lines$'
expect_exit 65 "$ELMAN" corpus check --examples 0 train.tsv dev.tsv test.tsv
! grep -q 'as in' "$results/stdout" || fail "examples although --examples 0 is given"

# JSON.
expect_exit 65 "$ELMAN" corpus check --json train.tsv dev.tsv test.tsv
expect_stdout_match '^\{"clean":false,"source_tokens":"chars","target_tokens":"words",'
expect_stdout_match '"part":"test.tsv","with":"dev.tsv","same_pair":1,"same_source":1,'
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys
check = json.load(open(sys.argv[1]))
assert [p["leaking_pairs"] for p in check["parts"]] == [0, 0, 3]
assert len(check["shared"]) == 3 and len(check["examples"]) == 3' "$results/stdout" ||
    fail "the JSON is wrong"
fi

# Bad lines are reported; control characters are escaped.
printf '我\tI\n\xff\xfe\tyou\n他\n\t\n你\tyou \e[31m\n你\tyou \e[31m\n' >bad.tsv
expect_exit 65 "$ELMAN" corpus check bad.tsv
expect_stdout_match '^  invalid UTF-8 +1$'
expect_stdout_match '^    bad\.tsv:2: is not valid UTF-8 at byte 1 of the line$'
expect_stdout_match '^  missing column +1$'
expect_stdout_match '^  empty line or side +1$'
expect_stdout_match '^    bad\.tsv:6: 你 \| you \\u\{1B\}\[31m  \(as in bad\.tsv:5\)$'
expect_stdout_match '^3 bad lines$'

# Suspicious lines do not change the exit code.
printf '我\tI\n我\tI\n' >twice
expect_output '^  duplicate pair +1$' corpus check twice

# Other forms of input.
expect_output '^standard input$' corpus check - <train.tsv
cut -f 1 train.tsv >zh
cut -f 2 train.tsv >en
expect_exit 0 "$ELMAN" corpus check train.tsv
sed 1d "$results/stdout" >columns
expect_output '^zh$' corpus check --source zh --target en
sed -e 1d -e 's/zh:/train.tsv:/' "$results/stdout" | diff columns - >&2 || fail "two files give other findings than two columns"
expect_output '^  source tokens \(chars\) ' corpus check --columns 2,1 --source-tokens chars train.tsv
expect_output '^  line longer than the maximum length +2$' corpus check --max-length 3 train.tsv

# Wrong input.
: >empty
head -c 4096 "$ELMAN" >binary
expect_refused 'no PAIRS' corpus check
expect_refused "'elman help corpus check' explains the command" corpus check
expect_refused --source corpus check --source zh
expect_refused --source corpus check --source zh --target en train.tsv
expect_refused --max-ratio corpus check --max-ratio 1 train.tsv
expect_refused --target-tokens corpus check --target-tokens x train.tsv
expect_refused 'target-tokens must be one of space, words, chars, auto, not .auto-bpe' corpus check --target-tokens auto-bpe train.tsv
# Help names no value that the command refuses.
expect_exit 0 "$ELMAN" help corpus check
! grep -q bpe "$results/stdout" || fail "help of corpus check names bpe"
expect_no_output 65 '^elman: empty: no usable sentence pair: the file is empty;' corpus check empty
expect_no_output 65 '^elman: binary: is a binary file' corpus check train.tsv binary
expect_no_output 65 '^elman: train.tsv: ' corpus check --columns 1,9 train.tsv

# `elman corpus` without a subcommand.
expect_refused '^Usage: elman corpus COMMAND' corpus
expect_refused "^elman: corpus: unknown command 'chekc'; did you mean 'check'\?$" corpus chekc
expect_exit 64 "$ELMAN" corpus --split
expect_exit 64 "$ELMAN" help corpus xyzzy
expect_exit 64 "$ELMAN" help train check

# Findings do not depend on the language: scripts, markup, copies, ids; with their remedy.
printf 'これはペンです。\tЭто ручка.\n彼は先生です。\tОн учитель.\nお茶&nbsp;です。\tЭто чай.\nОн врач.\t彼は医者です。\n駅です。\tIt is a station\n' >ja.tsv
expect_output '^  source script +Japanese$' corpus check ja.tsv
expect_stdout_match '^    remedy: replace entities and remove tags'
expect_output '"source_script":"Japanese","target_script":"Cyrillic"' corpus check --json ja.tsv
expect_stdout_match '"swapped":1,"id":0,"copy":0,"wrong_language":0,"mixed_scripts":1,"wrong_encoding":0,"markup":1,'
expect_stdout_match '"finding":"swapped","part":"ja.tsv","line":4,'
