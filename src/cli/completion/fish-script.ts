/** Completion for fish 3 and newer; `NAME` stands for the program. */
export const FISH = `# fish completion for NAME. Load it with: NAME completion fish | source
function __NAME_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer ($words[1] __complete words -- $words[2..] "$current" 2> /dev/null)
    switch $answer[1]
        case files
            __fish_complete_path $current
        case folders
            __fish_complete_directories $current ''
        case '*'
            printf '%s\\n' $answer[2..]
    end
end
complete -c NAME -f -k -a '(__NAME_complete)'
`;
