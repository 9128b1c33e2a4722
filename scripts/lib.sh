# Shared by the scripts beside it. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }

# fail WHAT FIX: prints what is wrong and how to fix it, then stops.
fail() {
    printf 'error: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf '       %s\n' "$2" >&2
    exit 1
}

# as_root COMMAND…: runs it as root, asking first when that needs sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
        return
    fi
    command -v sudo >/dev/null || fail "this needs root: $*" "run it as root, or install sudo"
    if [ -t 0 ]; then
        printf 'workbay needs root for:\n    %s\nRun it with sudo? [y/N] ' "$*"
        read -r answer
        case "$answer" in
            y | Y | yes) ;;
            *) fail "not done: $*" "run that command yourself, then try again" ;;
        esac
        sudo "$@"
    else
        sudo -n "$@" || fail "this needs root, and without a terminal sudo cannot ask for a password: $*" "run it yourself, then try again"
    fi
}

# apt_install PACKAGE…: installs those that are missing.
apt_install() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    command -v apt-get >/dev/null || fail "missing: ${missing[*]}, and apt-get was not found (it is part of Debian and Ubuntu)" "install them with your system's package manager"
    say "installing ${missing[*]}"
    # One after the other: two of these scripts may run at once, and apt does not wait for the lock of its lists.
    as_root env DEBIAN_FRONTEND=noninteractive flock /run/lock/workbay-apt.lock sh -c "apt-get update -qq &&
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 ${missing[*]}" >/dev/null ||
        fail "apt-get could not install ${missing[*]}" "to see why, run: sudo apt-get install ${missing[*]}"
}

engine_answers() {
    local socket
    case "${DOCKER_HOST:-}" in
        "") ;;
        unix://*) curl -fsS --max-time 5 --unix-socket "${DOCKER_HOST#unix://}" http://engine/_ping >/dev/null 2>&1; return ;;
        *) return 0 ;; # remote: `workbay doctor` checks it
    esac
    for socket in "${XDG_RUNTIME_DIR:-/nonexistent}/docker.sock" /var/run/docker.sock \
        "${XDG_RUNTIME_DIR:-/nonexistent}/podman/podman.sock" /run/podman/podman.sock; do
        [ -S "$socket" ] || continue
        curl -fsS --max-time 5 --unix-socket "$socket" http://engine/_ping >/dev/null 2>&1 && return
    done
    return 1
}

# start_docker: installs Docker if there is no engine, and starts it. The caller checks whether it runs.
start_docker() {
    if ! command -v dockerd >/dev/null && ! command -v podman >/dev/null; then
        apt_install docker.io
    fi
    engine_answers && return
    command -v dockerd >/dev/null || return 0
    say "starting Docker"
    if [ -d /run/systemd/system ]; then
        as_root systemctl start docker || true
    else
        as_root service docker start >/dev/null 2>&1 || true
    fi
    # Machines without an init system: start it by hand.
    if [ "$(id -u)" = 0 ] && ! engine_answers && ! pgrep -x dockerd >/dev/null; then
        rm -f /var/run/docker.pid # one of an earlier boot would stop dockerd from starting
        setsid nohup dockerd >/var/log/dockerd.log 2>&1 </dev/null &
    fi
    for _ in $(seq 60); do
        engine_answers && return
        if [ -S /var/run/docker.sock ] && [ ! -w /var/run/docker.sock ]; then return; fi
        sleep 0.5
    done
}

cargo_is_new_enough() {
    command -v cargo >/dev/null || return 1
    local have want
    have=$(cargo --version | awk '{print $2}')
    want=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" = "$want" ]
}
