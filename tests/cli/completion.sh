# Completion in bash, fish and zsh offers the options and values of --help.

for shell in bash zsh fish; do
  output_to completion.$shell help --completion $shell
  expect_no_stderr
done
expect_refused --completion help --completion csh
expect_refused --completion help --completion bash train

# bash passes the words of the line, with '=' as a word; the last word is incomplete.
complete_in_bash() { # complete_in_bash WORD...
  bash -u -c '. ./completion.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _elman
    [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}" | sort' complete "$@"
}
expect_bash() { # expect_bash EXPECTED WORD...
  local expected=$1 found
  shift
  found=$(complete_in_bash "$@" | xargs)
  [ "$found" = "$expected" ] || fail "bash completes '$*' to '$found', expected '$expected'"
}
mkdir models
touch models/a.safetensors models/b.safetensors 'models/b c'
expect_bash 'trace train translate' elman tr
expect_bash 'check convert split' elman corpus ''
expect_bash 'check convert' elman corpus c
expect_bash 'convert corpus' elman help c
expect_bash 'check convert split' elman help corpus ''
expect_bash 'apply' elman help subwords a
expect_bash '--attention --attention-dropout --attention-heads --attention-window --attentional-layer' elman train --att
expect_bash '--attention-window' elman attention --attention-
expect_bash 'scaled sentinel' elman train --attention s
expect_bash 'scaled sentinel' elman train --attention = s
expect_bash 'power wu' elman translate --length-norm =
expect_bash 'float32 int8' elman translate --precision ''
expect_bash 'bfloat16 float32' elman train --precision ''
expect_bash 'base plain quick small strong' elman train pairs.tsv --preset ''
expect_bash 'models/a.safetensors models/b c models/b.safetensors' elman translate -m models/
expect_bash 'models/a.safetensors' elman translate --model = models/a
expect_bash 'models' elman train mod
expect_bash '' elman train --epochs ''
expect_bash 'models' elman train --config mod
expect_bash '' elman translate -- --be
expect_bash 'models' elman train -- mod
expect_bash '' elman translate mod
expect_bash '' elman nothing --m
expect_bash '' elman corpus nothing --m
expect_bash '--max-length' elman translate -m models/a.safetensors --max-le
expect_bash 'bash fish zsh' elman help --completion ''

# Completion offers exactly the options of --help.
list_commands >commands
while read -r command; do
  expect_exit 0 "$ELMAN" $command --help
  in_help <"$results/stdout" | sort >in_help
  complete_in_bash elman $command -- >in_bash
  diff -u in_help in_bash >&2 || fail "--help and the completion of bash differ for $command"
  sed -n "s/^complete -c elman -n '__elman_in $command' -l \([a-z-]*\) .*/--\1/p" completion.fish | sort >in_fish
  diff -u in_help in_fish >&2 || fail "--help and the completion of fish differ for $command"
  sed -n "/^  '\?$command'\?)\$/,/^    ;;/s/^      [^[]*--\([a-z-]*\)[^a-z-].*/--\1/p" completion.zsh | sort >in_zsh
  diff -u in_help in_zsh >&2 || fail "--help and the completion of zsh differ for $command"
done <commands

# fish and zsh, if they are installed.
expect_fish() { # expect_fish EXPECTED LINE
  local found
  found=$(fish --no-config -c 'source completion.fish; complete -C $argv[1]' "$2" | cut -f 1 | sort | xargs)
  [ "$found" = "$1" ] || fail "fish completes '$2' to '$found', expected '$1'"
}
if command -v fish >/dev/null; then
  fish --no-config -n completion.fish || fail "fish rejects the script"
  expect_fish 'trace train translate' 'elman tr'
  expect_fish 'check convert split' 'elman corpus '
  expect_fish 'convert corpus' 'elman help c'
  expect_fish 'check convert split' 'elman help corpus '
  expect_fish '--attention --attention-dropout --attention-heads --attention-window --attentional-layer' 'elman train --att'
  expect_fish 'scaled sentinel' 'elman train --attention s'
  expect_fish '--attention=scaled --attention=sentinel' 'elman train --attention=s'
  expect_fish 'models/a.safetensors models/b c models/b.safetensors' 'elman translate -m models/'
  expect_fish '' 'elman translate mod'
  expect_fish 'models/' 'elman train mod'
else
  echo "completion: no fish (Debian: fish), so its completion is only read"
fi

# zsh completes only in an interactive shell, here in a pseudo-terminal. ^X prints the line.
expect_zsh() { # expect_zsh EXPECTED LINE: the line after Tab
  rm -f line
  ZDOTDIR=$PWD/zsh timeout 60 zsh -f -c '
    zmodload zsh/zpty
    zpty terminal zsh -d -i
    zpty -r -m terminal said "*ready>*"
    zpty -w -n terminal "$1"$'"'\t\x18'"'
    while [[ ! -e line ]] && zpty -r terminal said; do :; done' complete "$2"
  [ "$(cat line)" = "$1" ] || fail "zsh completes '$2' to '$(cat line)', expected '$1'"
}
if command -v zsh >/dev/null; then
  zsh -n completion.zsh || fail "zsh rejects the script"
  mkdir zsh
  cp completion.zsh zsh/_elman
  cat >zsh/.zshrc <<'END'
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -u -D
finish() { print -r -- "$BUFFER" >line.part; mv line.part line; exit; }
zle -N finish
bindkey '^X' finish
PROMPT='ready>'
END
  expect_zsh 'elman average ' 'elman av'
  expect_zsh 'elman corpus split ' 'elman corpus s'
  expect_zsh 'elman help corpus split ' 'elman help corpus s'
  expect_zsh 'elman help subwords show ' 'elman help subwords s'
  expect_zsh 'elman train --attention scaled ' 'elman train --attention sc'
  expect_zsh 'elman train --cell=lstm ' 'elman train --cell=l'
  expect_zsh 'elman translate -m models/a.safetensors ' 'elman translate -m models/a'
else
  echo "completion: no zsh (Debian: zsh), so its completion is only read"
fi
