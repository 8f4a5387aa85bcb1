# fish completion for anp. Load it with: anp completion fish | source
function __anp_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer ($words[1] __complete words -- $words[2..] "$current" 2> /dev/null)
    switch $answer[1]
        case files
            __fish_complete_path $current
            printf '%s\n' $answer[2..]
        case folders
            __fish_complete_directories $current ''
        case '*'
            printf '%s\n' $answer[2..]
    end
end
complete -c anp -f -k -a '(__anp_complete)'
