# What this machine must have before anything is made.
# shellcheck shell=bash disable=SC2154

there=$(release_of "$work")
if [ -n "$there" ] && [ "$there" != "$version" ]; then
    fail "the cluster in $work is of release $there, not $version" \
        "choose another place with WORKBAY_CLUSTER_DIR, or remove that one: WORKBAY_CLUSTER_DIR=$work WORKBAY_CLUSTER_VERSION=$there scripts/cluster/down --purge"
fi
apt_install debootstrap curl iproute2 procps ca-certificates
if ! engine_answers; then
    start_docker
    # The previous agent has lost its Docker and everything in it.
    stop agent 25
fi
command -v docker >/dev/null || apt_install docker-cli
[ -S "$socket" ] || fail "there is no Docker at $socket" "the cluster's agent needs Docker itself; name its socket with WORKBAY_CLUSTER_DOCKER_SOCKET"
docker_here version >/dev/null 2>&1 || fail "Docker does not answer at $socket" "start it, then start again"

# PostgreSQL and the sessions run as ordinary users, who must be able to reach their files.
setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$work" ||
    fail "$work cannot be entered by ordinary users" "give its parents mode 755, or choose another place with WORKBAY_CLUSTER_DIR"
if [ ! -e "$done/db" ]; then
    free=$(df --output=avail -m "$work" | tail -n 1)
    [ "$free" -ge 5000 ] || fail "$work has $free MiB free, the cluster takes about 3200 and makes 5000 while it is built" \
        "make room, or choose another place with WORKBAY_CLUSTER_DIR"
fi
mkdir -p "$conf" "$log" "$run" "$done" "$volume" "$state"/{ipc,scratches,var,commit,coredumps,home,redis,etcd,prom}

# listeners_on PORT: process ids that listen there.
listeners_on() { ss -Hltnp "sport = :$1" | grep -o 'pid=[0-9]*' | cut -d= -f2 | sort -u; }

# place_of PID: the directory of the cluster of another release that the process belongs to. Fails if it belongs to none.
place_of() {
    local place
    place=$(readlink "/proc/$1/root" 2>/dev/null) || return 1
    [ "$place" != "$root" ] && [ "$(basename "$place")" = rootfs ] && [ -n "$(release_of "$(dirname "$place")")" ] || return 1
    dirname "$place"
}

# make_way PORT: only one cluster can have the ports, so that of another release is ended.
make_way() {
    local pid place release
    for pid in $(listeners_on "$1"); do
        place=$(place_of "$pid") || continue
        release=$(release_of "$place")
        say "ending the cluster of $release in $place, which has the same ports; its data stays"
        WORKBAY_CLUSTER_DIR=$place WORKBAY_CLUSTER_VERSION=$release "$cluster/down"
        # The children of its programs may hold the port a moment longer.
        for _ in $(seq 50); do
            [ -n "$(listeners_on "$1")" ] || return 0
            sleep 0.2
        done
        return 0
    done
}

# A program of ours whose process id was lost is ended; anything else keeps its port.
free_port() {
    local pid
    make_way "${port[$1]}"
    for pid in $(listeners_on "${port[$1]}"); do
        ours "$pid" || fail "port ${port[$1]} is taken by $(cat "/proc/$pid/comm") (process $pid); the cluster's $1 needs it" \
            "end that program, or choose another port with WORKBAY_CLUSTER_PORT_${1^^}"
        say "ending process $pid on port ${port[$1]} ($1), left by an earlier run"
        kill "$pid" 2>/dev/null || true
        timeout 20 tail --pid="$pid" -f /dev/null || kill -KILL "$pid" || true
    done
}

# What a program listens on: its own name, and whatever begins with it.
owned_ports() {
    printf '%s\n' "${!port[@]}" | grep -E "^$1(_|$)" | grep -Ev '_(from|to)$'
}
for program in "${programs[@]}"; do
    alive "$program" && continue
    rm -f "$run/$program.pid"
    for name in $(owned_ports "$program"); do free_port "$name"; done
done
