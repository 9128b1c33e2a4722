#compdef workbay
# Completion of workbay for zsh: source <(workbay completion zsh), or as _workbay in a directory of fpath
_workbay() {
    local line value about
    local -a whole open
    for line in "${(@f)$(workbay __complete words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        value=${line%%$'\t'*}
        about=${line#*$'\t'}
        case $value in
            '') ;;
            :files) _files; return ;;
            *[=/:]) open+=("${value//:/\\:}:$about") ;;
            *) whole+=("${value//:/\\:}:$about") ;;
        esac
    done
    _describe -V workbay whole -- open -S ''
}
if [ "$funcstack[1]" = _workbay ]; then
    _workbay "$@"
else
    compdef _workbay workbay
fi
