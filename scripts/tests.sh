# Runs test programs one after the other, each within a time. Sourced, never run.
# shellcheck shell=bash

# Programs, and parts of one, that mostly wait (for an engine, for a program, for what people see) run three times as many tests at
# once as there are processors.
waiting=(cli daemon docker process pty ssh)

# threads_for NAME: how many tests of a program or a part of one run at once.
threads_for() {
    local processors
    processors=$(nproc)
    case " ${waiting[*]} " in
        *" $1 "*) echo $((3 * processors)) ;;
        *) echo "$processors" ;;
    esac
}

# Beyond this a program hangs; the longest takes a quarter of it on two processors.
program_minutes=20
# A test on a real engine may fall to a machine that is overloaded: what failed is run once more, alone, and named at the
# end. More than this many at once are no accident.
most_accidents=3
accidents=()

# test_program LIMIT CARGO-ARGUMENT… -- TEST-ARGUMENT…: runs it; its failed and unfinished tests once more, alone.
test_program() {
    local limit=$1 log list missed target=() words=() began=$SECONDS
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do target+=("$1"); shift; done
    [ $# -gt 0 ] && shift
    words=("$@")
    log=$(mktemp)
    if timeout --kill-after=10 "${limit}m" cargo test --locked "${target[@]}" -- "${words[@]}" 2>&1 | tee "$log"; then
        rm -f "$log"
        say "${target[*]} ${words[*]}: $((SECONDS - began))s"
        return 0
    fi
    list=$(cargo test --locked --quiet "${target[@]}" -- --list "${words[@]}" 2>/dev/null | sed -n 's/: test$//p') || true
    # What is neither well nor left out has failed, or was not reached when the time was over.
    missed=$(comm -23 <(sort <<<"$list") <(sed -n 's/^test \(.*\) \.\.\. \(ok\|ignored.*\)$/\1/p' "$log" | sort))
    rm -f "$log"
    mapfile -t missed <<<"$missed"
    if [ -z "${missed[0]}" ] || [ ${#missed[@]} -gt $most_accidents ]; then
        fail "tests failed: ${target[*]}" "run them again with: cargo test ${target[*]}"
    fi
    say "once more, alone: ${missed[*]}"
    timeout --kill-after=10 "${limit}m" cargo test --locked "${target[@]}" -- --test-threads=1 --exact "${missed[@]}" ||
        fail "tests failed twice: ${missed[*]}" "run them again with: cargo test ${target[*]} -- ${missed[*]}"
    accidents+=("${missed[@]}")
}

# report_accidents: what passed at the second attempt only, so that it is looked into.
report_accidents() {
    [ ${#accidents[@]} = 0 ] && return
    say "passed at the second attempt only:"
    printf '    %s\n' "${accidents[@]}"
}
