/** Completion for bash 4 and newer; `NAME` stands for the program. */
export const BASH = `# bash completion for NAME. Load it with: source <(NAME completion bash)
_NAME_complete() {
  local IFS=$'\\n' kind word about
  COMPREPLY=()
  {
    read -r kind
    while IFS=$'\\t' read -r word about; do
      # Inside quotes readline writes a word as it is.
      case \${COMP_WORDS[COMP_CWORD]} in
        \\"* | \\'*) ;;
        *) printf -v word %q "$word" ;;
      esac
      COMPREPLY+=("$word")
    done
  } < <("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
  case $kind in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}
complete -F _NAME_complete NAME
`;
