# Runs test programs one after the other, each within a time. Sourced, never run.
# shellcheck shell=bash

# Tests compare English texts, whatever the language of this machine is.
case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
    "" | C | C.* | POSIX | en*) ;;
    *)
        unset LC_ALL
        export LC_MESSAGES=C.UTF-8
        ;;
esac

# The programs whose temporary files are in memory if there is room: trees of thousands of directories and databases take
# many times longer on a busy disk. The others test disks and engines, or show paths.
memory=/dev/shm
in_memory=(lib backendai daemon cli process)
room_in_memory() {
    local mebibytes
    grep -q "^[^ ]* $memory tmpfs " /proc/mounts || return 1
    grep -q "^[^ ]* $memory .*\bnoexec\b" /proc/mounts && return 1
    for mebibytes in "$(df --output=avail -BM "$memory" | tr -dc '0-9')" "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)"; do
        [ "$mebibytes" -ge 4096 ] || return 1
    done
}

# temporary_files NAME: where a program or a part of one has its temporary files.
temporary_files() {
    local place=${TMPDIR:-/tmp}
    if [ -z "${TMPDIR:-}" ] && [[ " ${in_memory[*]} " == *" $1 "* ]] && room_in_memory; then
        place=$memory
    fi
    echo "$place"
}

# Test programs, and parts of one, that mostly wait (for an engine or another program) run three times as many tests at
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

# The time limit for a test program. The longest takes a quarter of this limit on two processors.
program_minutes=20
# A test on a real engine may fail on an overloaded machine. Failed tests are run once more, alone, and are listed at the
# end. If more tests than this fail, the run fails at once.
max_retries=3
retried=()

# test_program LIMIT CARGO-ARGUMENT… -- TEST-ARGUMENT…: runs a test program, then its failed and unfinished tests once more, alone.
test_program() {
    local limit=$1 log list missed target=() words=() again=() word began=$SECONDS
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
    # Tests that are neither ok nor ignored have failed, or didn't run within the time limit.
    missed=$(comm -23 <(sort <<<"$list") <(sed -n 's/^test \(.*\) \.\.\. \(ok\|ignored.*\)$/\1/p' "$log" | sed 's/ - should panic$//' | sort))
    rm -f "$log"
    mapfile -t missed <<<"$missed"
    if [ -z "${missed[0]}" ] || [ ${#missed[@]} -gt $max_retries ]; then
        fail "tests failed: ${target[*]}" "run them again with: cargo test ${target[*]}"
    fi
    # Otherwise tests that run only on request would be skipped, and count as passed.
    for word in "${words[@]}"; do [[ $word == --*ignored ]] && again+=("$word"); done
    say "run once more, alone: ${missed[*]}"
    timeout --kill-after=10 "${limit}m" cargo test --locked "${target[@]}" -- --test-threads=1 "${again[@]}" --exact "${missed[@]}" ||
        fail "tests failed twice: ${missed[*]}" "run them again with: cargo test ${target[*]} -- ${missed[*]}"
    retried+=("${missed[@]}")
}

# report_retried: lists the tests that passed only at the second attempt, so that the cause is found.
report_retried() {
    [ ${#retried[@]} = 0 ] && return
    say "passed only at the second attempt:"
    printf '    %s\n' "${retried[@]}"
}
