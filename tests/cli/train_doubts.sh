# Warnings before training: pairs and dev pairs that would give a useless model.

doubts() { grep -E '^[0-9]+ % of the ' "$results/stderr" || true; }
trains() { # trains ARGUMENT...
  expect_exit 0 "$ELMAN" train -t 1 --epochs 0 --hidden-size 4 --embedding-size 4 -o model "$@"
}
warned() { # warned NUMBER REGEX: the number of warnings, and the last one
  [ "$(doubts | wc -l)" -eq "$1" ] || fail "$(doubts | wc -l) warnings instead of $1: $(doubts)"
  [ "$1" -eq 0 ] || expect_stderr_match "$2"
}

# No warning for good pairs.
trains --dev "$DATA/daily.test.zh-en.tsv" "$DATA/daily.train.zh-en.tsv"
warned 0

# Columns of ids, with the remedy.
printf '1277\tПривет.\t373330\tHello there.\n1280\tЯ тебя люблю.\t4\tI love you.\n1281\tОн ушёл.\t7\tHe left.\n' >ids.tsv
trains ids.tsv
warned 1 '^100 % of the training pairs: only digits, an id or a constant on a side, for example ids\.tsv:1; .*--columns 2,4'
trains --columns 2,4 ids.tsv
warned 0
trains -q ids.tsv
warned 0

# Swapped dev pairs, with different scripts and with the same script.
cut -f 2,4 ids.tsv >ru-en.tsv
cut -f 4 ids.tsv | paste - <(cut -f 2 ids.tsv) >en-ru.tsv
trains --dev en-ru.tsv ru-en.tsv
warned 1 '^100 % of the dev pairs: swapped columns, for example en-ru\.tsv:1; '
trains --dev ru-en.tsv ru-en.tsv
warned 0
german=('der Hund' 'die Katze' 'ein Haus' 'mein Garten' 'das Brot')
english=('the dog' 'the cat' 'a house' 'my garden' 'the bread')
for i in $(seq 0 59); do
  a=$((i * 7 % 5)) b=$((i * 3 / 5 % 5))
  printf '%s und %s sind %d\t%s and %s are %d\n' "${german[a]}" "${german[b]}" "$i" "${english[a]}" "${english[b]}" "$i"
done >de-en.tsv
head -n 50 de-en.tsv >train.tsv
tail -n 10 de-en.tsv >dev.tsv
cut -f 2 dev.tsv | paste - <(cut -f 1 dev.tsv) >swapped.tsv
trains --dev dev.tsv train.tsv
warned 0
trains --dev swapped.tsv train.tsv
warned 1 '^100 % of the dev pairs: swapped columns, for example swapped\.tsv:1; '

# The same text on both sides, and shifted sides.
cut -f 1 train.tsv | paste - <(cut -f 1 train.tsv) >same.tsv
trains same.tsv
warned 1 '^100 % of the training pairs: target equal to source, for example same\.tsv:1; '
paste <(head -n 49 train.tsv | cut -f 1) <(tail -n +2 train.tsv | cut -f 2) >shifted.tsv
trains shifted.tsv
warned 1 '^[0-9]+ % of the training pairs: sides shifted by lines, for example shifted\.tsv:[0-9]+; '
