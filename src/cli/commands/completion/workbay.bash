# Completion of workbay for bash: source <(workbay completion bash)
_workbay() {
    local value
    COMPREPLY=()
    while IFS=$'\n' read -r value; do
        if [ "$value" = ":files" ]; then
            compopt -o filenames 2>/dev/null
            value=${COMP_WORDS[COMP_CWORD]#=}
            while IFS=$'\n' read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$value")
            return
        fi
        COMPREPLY+=("$value")
    done < <(workbay __complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case "${#COMPREPLY[@]} ${COMPREPLY[0]-}" in
        "1 "*[=/:]) compopt -o nospace 2>/dev/null ;;
    esac
}
complete -o nosort -F _workbay workbay 2>/dev/null || complete -F _workbay workbay
