#compdef anp
# zsh completion for anp. Load it with: source <(anp completion zsh)
# or keep it as a file _anp in a folder of $fpath.
_anp() {
  local -a answer described
  local line
  local -i found=1
  answer=("${(@f)$("${(Q)words[1]}" __complete words -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
  for line in "${(@)answer[2,-1]}"; do
    # _describe takes a word and what it means apart at the first colon.
    described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( ${#described} )) && _describe -V anp described && found=0
  case ${answer[1]} in
    files) _files && found=0 ;;
    folders) _files -/ && found=0 ;;
  esac
  return found
}
if [ "${funcstack[1]}" = _anp ]; then
  _anp "$@"
else
  compdef _anp anp
fi
