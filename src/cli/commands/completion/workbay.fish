# Completion of workbay for fish: workbay completion fish | source
function __workbay_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    for line in (workbay __complete words $words "$current" 2>/dev/null)
        if string match -q -- ':files*' "$line"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c workbay -f -a '(__workbay_complete)'
