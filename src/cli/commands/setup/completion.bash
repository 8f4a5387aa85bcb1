# bash completion for anp. Load it with: source <(anp completion bash)
_anp_complete() {
  local IFS=$'\n' kind word about
  COMPREPLY=()
  {
    read -r kind
    while IFS=$'\t' read -r word about; do
      # Inside quotes readline writes a word as it is.
      case ${COMP_WORDS[COMP_CWORD]} in
        \"* | \'*) ;;
        *) printf -v word %q "$word" ;;
      esac
      COMPREPLY+=("$word")
    done
  } < <("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
  case $kind in
    files)
      if ((${#COMPREPLY[@]})); then
        compopt -o filenames
        COMPREPLY+=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
      else compopt -o default; fi
      ;;
    folders) compopt -o dirnames ;;
  esac
}
complete -F _anp_complete anp
