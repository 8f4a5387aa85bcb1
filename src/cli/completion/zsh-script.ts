/** Completion for zsh; `NAME` stands for the program. */
export const ZSH = `#compdef NAME
# zsh completion for NAME. Load it with: source <(NAME completion zsh)
# or keep it as a file _NAME in a folder of $fpath.
_NAME() {
  local -a answer described
  local line
  answer=("\${(@f)$("\${(Q)words[1]}" __complete words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null)}")
  case \${answer[1]} in
    files) _files ;;
    folders) _files -/ ;;
    *)
      for line in "\${(@)answer[2,-1]}"; do
        # _describe takes a word and what it means apart at the first colon.
        described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe -V NAME described
      ;;
  esac
}
if [ "\${funcstack[1]}" = _NAME ]; then
  _NAME "$@"
else
  compdef _NAME NAME
fi
`;
