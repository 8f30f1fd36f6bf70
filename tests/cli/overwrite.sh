# No command replaces a file by something else without --force. Commands, options and the files to write come from the
# program: a new command, or a new option with a file to write, needs a line in `arguments` or `place` below.

command -v python3 >/dev/null || exit 77
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 2 --subwords 20 --source-tokens bpe --target-tokens bpe --keep-last 1 \
  --log a.log --log-format json -o model.safetensors "$DATA/toy.zh-en.tsv"
expect_exit 0 "$ELMAN" train -q -t 1 --epochs 1 --log a.csv -o other "$DATA/toy.zh-en.tsv"
"$ELMAN" subwords show -o codes || fail "no codes"
cp "$DATA/toy.zh-en.tsv" pairs.tsv
cut -f 2 pairs.tsv >sentences
mkdir victims
cp model.safetensors victims/model
cp model.safetensors.checkpoint victims/checkpoint
cp model.safetensors.update2 victims/snapshot
cp pairs.tsv victims/pairs
cp sentences victims/text
cp codes victims/codes
cp a.log victims/log
cp a.csv victims/csv
printf '\0\1\2' >victims/binary

# arguments COMMAND: what the command needs beside its output.
arguments() {
  case $1 in
    train) echo -q -t 1 --epochs 1 pairs.tsv ;;
    translate) echo -q I ;;
    attention) echo -q I ;;
    score) echo -q pairs.tsv ;;
    average) echo -q other ;;
    convert) echo -q ;;
    page) echo -q --empty ;;
    trace) echo I you ;;
    plot) echo -q a.csv ;;
    'corpus convert') echo -q --columns 2,1 pairs.tsv ;;
    'corpus split') echo -q --dev 1 --test 1 pairs.tsv ;;
    'subwords learn') echo -q sentences ;;
    'subwords apply') echo -q -c codes -i sentences ;;
    'subwords show') echo -q ;;
    *) fail "'$1' has options with files to write; add its arguments here" ;;
  esac
}

# place COMMAND: set the value of the option, and a file that the command then writes.
place() {
  case $1 in
    'corpus split') value=there file=there.dev.tsv ;;
    *) value=there file=there ;;
  esac
}

# The options that name a file to write, by their help: "output file", "file to write", "log file", "prefix of".
list_commands | grep -vx help >commands
tried=0
while read -r command; do
  expect_exit 0 "$ELMAN" $command --help
  sed -nE 's/^  (-.,|   ) --([a-z-]+) (FILE|PREFIX) .*(output file|file to write|log file|prefix of).*/\2/p' \
    "$results/stdout" >options
  # Every command with an output has --force.
  if [ -s options ]; then
    grep -q -e '^  -f, --force ' "$results/stdout" || fail "$command has no --force"
    arguments "$command" >/dev/null || exit
  fi
  while read -r option; do
    place "$command"
    words=($command)
    read -ra rest <<<"$(arguments "$command")" # prints no word with spaces
    [ "$option" = output ] || rest+=(-o new)
    for victim in victims/*; do
      cp "$victim" $file
      run=("$ELMAN" "${words[@]}" --$option $value "${rest[@]}")
      # A training run replaces a model of a short run by a model, and a log by a log.
      case "$command $option ${victim#*/}" in
        'train output model' | 'train output snapshot' | 'train log log' | 'train log csv') ;;
        *)
          code=0
          "${run[@]}" >"$results/stdout" 2>"$results/stderr" || code=$?
          [ $code -eq 73 ] || [ "$code $command" = '69 page' ] || fail "exit code $code: ${run[*]} over ${victim#*/}"
          [ $code -eq 69 ] || expect_stderr_match "^elman: $file: .*add --force to overwrite it"
          cmp "$victim" $file || fail "${run[*]} replaced ${victim#*/}"
          ;;
      esac
      tried=$((tried + 1))
      rm -f new*
    done
    # With --force, and over an empty file, the command writes.
    for victim in victims/pairs empty; do
      if [ $victim = empty ]; then : >$file; else cp $victim $file; fi
      force=()
      [ $victim = empty ] || force=(--force)
      code=0
      "$ELMAN" "${words[@]}" --$option $value "${force[@]}" "${rest[@]}" >"$results/stdout" 2>"$results/stderr" || code=$?
      [ $code -eq 0 ] || [ "$code $command" = '69 page' ] || fail "exit code $code of $command --$option over $victim"
      [ $code -eq 69 ] || ! cmp -s victims/pairs $file || fail "$command --$option did not write the file"
      rm -f new* there*
    done
    # A folder must exist.
    [ "$command" = page ] || expect_error 73 '^elman: no/such' "${words[@]}" --$option no/such "${rest[@]}"
    # A name that promises compression is refused.
    [ "$command" = 'corpus split' ] || {
      expect_refused "out.txt.gz': no command writes compressed files" "${words[@]}" --$option out.txt.gz "${rest[@]}"
      [ ! -e out.txt.gz ] || fail "a file was written"
    }
  done <options
done <commands
[ $tried -ge 100 ] || fail "only $tried runs: the options are not recognized in the help"

# --force without a file is refused. Standard output, devices and descriptors need no --force.
for command in 'translate -q I' 'attention -q I' 'score pairs.tsv' 'trace I you' 'subwords learn sentences'; do
  expect_refused --force $command --force
done
echo kept >appended
"$ELMAN" translate -q -o /dev/stdout I >>appended || fail "an open descriptor was refused"
[ "$(head -n 1 appended)" = kept ] && [ "$(wc -l <appended)" -eq 2 ] || fail "the file was not appended to"
expect_exit 0 "$ELMAN" translate -q -o /dev/null I

# The names of the matrix files differ from the value of the option.
printf '1 2\n3 4\n' >m.txt
expect_exit 0 "$ELMAN" attention --matrices --format npy -o m m.txt
cp victims/model m.weights.npy
expect_error 73 '^elman: m.weights.npy: already exists and is a model or checkpoint; add --force to overwrite it' \
  attention --matrices --format npy -o m m.txt
cmp victims/model m.weights.npy || fail "a model was replaced"
expect_exit 0 "$ELMAN" attention --matrices --format npy -f -o m m.txt

# A training run replaces no file beside its model but its own: a checkpoint of a finished run, and snapshots.
for victim in victims/*; do
  run=("$ELMAN" train -q -t 1 --epochs 1 -o beside pairs.tsv)
  [ "$victim" = victims/checkpoint ] || {
    cp "$victim" beside.checkpoint
    "${run[@]}" 2>"$results/stderr" && fail "a run over ${victim#*/} as its checkpoint"
    cmp "$victim" beside.checkpoint || fail "${victim#*/} was replaced by a checkpoint"
    [ ! -e beside ] || fail "a refused run wrote a model"
    rm beside.checkpoint
  }
  cp "$victim" beside.update1
  expect_message 73 'beside.update1: exists, but this run did not write it; the snapshot is skipped; rename the file$' \
    "${run[@]}" --keep-last 1
  cmp "$victim" beside.update1 || fail "${victim#*/} was replaced by a snapshot"
  rm beside*
done
