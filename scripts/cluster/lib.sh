# Where the cluster is, and how its programs are started and checked. Sourced by up, down and client, never run.
# shellcheck shell=bash disable=SC2034
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cluster=$top/scripts/cluster
releases=(25.15.12 26.4.16 26.9.6) # that workbay is tested with
newest=${releases[-1]}
version=${WORKBAY_CLUSTER_VERSION:-$newest}
krunner_version=${WORKBAY_CLUSTER_KRUNNER_VERSION:-4.4.0}
mirror=${WORKBAY_CLUSTER_MIRROR:-} # empty: debootstrap's own default
socket=$(readlink -m "${WORKBAY_CLUSTER_DOCKER_SOCKET:-/var/run/docker.sock}")
# Each release has a place of its own: what is in a database is not for another one.
beside=/var/tmp/backendai-cluster
[ "$version" = "$newest" ] || beside+=-$version
work=$(readlink -m "${WORKBAY_CLUSTER_DIR:-$beside}")

root=$work/rootfs # a Debian of its own: Python 3.13, PostgreSQL, Valkey, etcd, Prometheus
# Bound into the root at the same path, so that what the agent asks Docker to mount is right outside, too.
state=$work/state
venv=$state/venv-$version
conf=$state/conf
log=$state/log
run=$state/run
done=$state/done
volume=$state/vfroot/local

# The tag as Docker knows it; the cluster calls it local/$image.
image=stable/python:3.11-debian12
# Of the same layers: one whose containers end before they are ready, and one as it is made of a session of `user`.
unstartable=stable/unstartable:1-debian12
customized=stable/python:3.11-debian12-customized_0123456789abcdef0123456789abcdef
agent=${WORKBAY_CLUSTER_AGENT:-i-local}
password=develove # of both databases, which listen on loopback only
lock=             # the open file that keeps two of `up` apart

# Each can be changed: WORKBAY_CLUSTER_PORT_MANAGER=18091 scripts/cluster/up
# All are below 32768: the system gives the ports above to connections, and a program whose port is in use hangs or ends.
declare -A port=(
    [manager]=8091 [manager_internal]=18080 [web]=8090
    [agent]=6001 [agent_http]=6003 [agent_sock]=6007 [agent_metadata]=16004
    [storage_client]=6021 [storage_manager]=6022 [storage_internal]=16023
    [coordinator]=10200 [worker]=10201 [worker_from]=10205 [worker_to]=10249
    [kernel_from]=30000 [kernel_to]=30200
    [postgres]=8100 [valkey]=8110 [etcd]=8120 [etcd_peer]=8121
    # Their monitors, which nothing here uses.
    [manager_monitor]=16101 [manager_monitor_web]=16102 [agent_monitor]=16111 [agent_monitor_web]=16112
    [storage_monitor]=16121 [storage_monitor_web]=16122 [coordinator_monitor]=16131 [coordinator_monitor_web]=16132
    [worker_monitor]=16141 [worker_monitor_web]=16142
    # Of scripts/cluster/balancer.
    [balancer]=8093 [manager2]=8092 [manager2_internal]=18081 [manager2_monitor]=16103 [manager2_monitor_web]=16105
    [prometheus]=9090 # the manager reads live usage from this port only
)
for name in "${!port[@]}"; do
    variable=WORKBAY_CLUSTER_PORT_${name^^}
    port[$name]=${!variable:-${port[$name]}}
done
unset name variable

# Every program, in the order of its start.
programs=(postgres valkey etcd prometheus manager storage coordinator agent web worker)

# Of scripts/cluster/balancer, where it was started.
balanced=(haproxy manager2)
# Of scripts/cluster/agents: id, resource group, allocation mode, first port, first port of containers (thirty).
more_agents=(
    "i-gpus-1 gpus discrete 6110 30210"
    "i-gpus-2 gpus discrete 6120 30240"
    "i-shares-1 shares fractional 6130 30270"
)

# docker_here ARGUMENTS…: Docker behind the socket that the agent uses, whatever context is current.
docker_here() { docker -H "unix://$socket" "$@"; }

# What the databases are filled with, once: a cluster that was filled with anything else is not the one that is tested.
filled_with=$(cd "$cluster" && cat conf/{etcd-config,etcd-root,presets,registry}.json steps/fill.sh | sha256sum | cut -c1-24)

# The environment of whatever runs inside of the root.
inside=(/usr/bin/env -i -C "$conf" "HOME=$state/home" LANG=C.UTF-8 TERM=dumb PYTHONUNBUFFERED=1
    "PATH=$venv/bin:/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt)
as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)

# in_root COMMAND…: runs it in the root; pip and apt reach the net as this machine does.
in_root() {
    chroot "$root" "${inside[@]}" PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DEFAULT_TIMEOUT=180 \
        PIP_DISABLE_PIP_VERSION_CHECK=1 "PIP_CACHE_DIR=$state/pip-cache" "PGPASSWORD=$password" \
        ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} "$@"
}

# noted NAME WHAT COMMAND…: runs it with its output in log/NAME.log; shows the end of that when it fails.
noted() {
    local file=$log/$1.log what=$2
    shift 2
    # Beside this shell, so that a function of several lines still stops at the first that fails.
    "$@" >>"$file" 2>&1 </dev/null &
    wait $! && return
    tail -n 20 "$file" >&2
    fail "$what failed" "the lines above are the end of $file; fix it, then start scripts/cluster/up again"
}

sql() { in_root psql -q -h 127.0.0.1 -p "${port[postgres]}" -U postgres -v ON_ERROR_STOP=1 "$@"; }
manager_tool() { in_root backend.ai mgr -f "$conf/manager.toml" "$@"; }

# release_of PLACE: which release the cluster in a directory is made of; nothing where there is none.
release_of() { find "$1/state" -maxdepth 1 -name 'venv-*' -printf '%f\n' 2>/dev/null | sed -n '1s/^venv-//p'; }

# ours PID: whether the process runs in our root, so that a reused process id is never taken for it.
ours() { [ "$(readlink "/proc/$1/root" 2>/dev/null)" = "$root" ]; }

pid_of() { cat "$run/$1.pid" 2>/dev/null; }

alive() {
    local pid
    pid=$(pid_of "$1") && [ -n "$pid" ] && ours "$pid"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/${port[$1]}") 2>/dev/null; }
# A program can hang with its port open, so it is asked for an answer, of any status.
responds() { curl -sS --max-time 5 -o /dev/null "http://127.0.0.1:${port[$1]}/" 2>/dev/null; }
answers() { curl -fsS --max-time 5 -o /dev/null "http://127.0.0.1:${port[$1]}$2" 2>/dev/null; }

# The database is asked through the manager's own table: an agent that only listens serves nobody yet.
agent_registered() {
    alive agent && listens agent && sql -d backend -tAc "select status from agents where id = '$agent'" | grep -q ALIVE
}

# lock_cluster: so that two scripts don't start the same programs. It lasts until this script ends.
lock_cluster() {
    exec {lock}>"$state/lock"
    flock -n "$lock" && return
    say "another script is at work on the cluster; waiting for it"
    flock "$lock"
}

# start PROGRAM COMMAND…: in the root, in a session of its own, its process id in run/.
start() {
    local program=$1
    shift
    alive "$program" && return
    say "starting $program"
    setsid chroot "$root" "${inside[@]}" "$@" >>"$log/$program.log" 2>&1 </dev/null {lock}>&- &
    echo $! >"$run/$program.pid"
    # Until the shell behind that id has become the program in the root.
    for _ in $(seq 50); do
        alive "$program" && return
        sleep 0.1
    done
}

# wait_for PROGRAM SECONDS COMMAND…: until it succeeds; the end of the program's log if it never does.
wait_for() {
    local program=$1 seconds=$2 half
    shift 2
    for ((half = 0; half < seconds * 2; half++)); do
        "$@" >/dev/null 2>&1 && return
        alive "$program" || break
        sleep 0.5
    done
    tail -n 15 "$log/$program.log" >&2
    if alive "$program"; then
        fail "$program is not ready after $seconds seconds" "its log is $log/$program.log"
    fi
    fail "$program ended while starting" "its log is $log/$program.log"
}

# start_manager NAME: `manager`, or another one with its own configuration.
start_manager() {
    start "$1" "$venv/bin/backend.ai" mgr start-server -f "$conf/$1.toml"
    wait_for "$1" 180 answers "$1" /
}

# stop PROGRAM SECONDS: asks it to end, then makes it.
stop() {
    local pid signal=TERM step
    if alive "$1"; then
        pid=$(pid_of "$1")
        [ "$1" = postgres ] && signal=INT # does not wait for its clients
        kill "-$signal" "$pid" 2>/dev/null || true
        for ((step = 0; step < $2 * 5; step++)); do
            ours "$pid" || break
            sleep 0.2
        done
        # Each was started in a process group of its own.
        if ours "$pid"; then kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" || true; fi
        say "stopped $1"
    fi
    rm -f "$run/$1.pid"
}

# as_admin NAME WHAT TOOL ARGUMENTS…: runs a program of tools/ that uses the official client, as the administrator.
as_admin() {
    local name=$1 what=$2 tool=$3
    shift 3
    mkdir -p "$state/home"
    cp "$cluster/tools/$tool" "$cluster/tools/administration.py" "$state/home/"
    # shellcheck source=/dev/null
    (source "$state/env-admin.sh" && noted "$name" "$what" chroot "$root" "${inside[@]}" "BACKEND_ENDPOINT=$BACKEND_ENDPOINT" BACKEND_ENDPOINT_TYPE=api \
        "BACKEND_ACCESS_KEY=$BACKEND_ACCESS_KEY" "BACKEND_SECRET_KEY=$BACKEND_SECRET_KEY" "$venv/bin/python" "$state/home/$tool" "$@")
}

# resource_group NAME: makes it, or opens it again.
resource_group() {
    as_admin setup "making the resource group $1" resource_group.py "$1" "http://127.0.0.1:${port[coordinator]}" "$conf/appproxy-api.secret"
}

# remove_containers_of AGENT PLACE: the containers of its sessions, and its socket relay, which 25.15 names by a number of the
# machine instead of the agent.
remove_containers_of() {
    local containers
    mapfile -t containers < <(
        docker_here ps -aq --filter "label=ai.backend.owner=$1"
        docker_here ps -aq --filter "name=^/backendai-socket-relay.$1\$"
        docker_here ps -aq --filter "ancestor=backendai-socket-relay" --filter "volume=$2/ipc/container"
    )
    # An agent that ends may be removing them, too.
    [ ${#containers[@]} = 0 ] || docker_here rm -f "${containers[@]}" >/dev/null 2>&1 || true
}

write_keys() { # WHOSE ACCESS_KEY SECRET_KEY
    printf 'export BACKEND_ENDPOINT=http://127.0.0.1:%s BACKEND_ENDPOINT_TYPE=api BACKEND_ACCESS_KEY=%s BACKEND_SECRET_KEY=%s\n' \
        "${port[manager]}" "$2" "$3" >"$state/env-$1.sh"
}
# The examples that Backend.AI publishes and fills a new database with.
write_all_keys() {
    write_keys admin AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
    write_keys user AKIANABBDUSEREXAMPLE C8qnIo29EZvXkPK_MXcuAakYTy4NYrxwmCEyNPlf
    write_keys user2 AKIANATWOUSEREXAMPLE P7oxTDdzHbEpUSs5v7r7EWj9yKstp8VpZ7SEyA-g
}

# with_keys: puts the caller's BACKEND_* (else those of `user`) into `keys`, for what runs in the root.
with_keys() {
    [ "$(id -u)" = 0 ] || fail "this runs inside of the cluster's root directory, which needs root" "run it with sudo -E"
    [ -x "$venv/bin/backend.ai" ] || fail "there is no cluster in $work" "run: scripts/cluster/up"
    # shellcheck source=/dev/null
    [ -n "${BACKEND_ACCESS_KEY:-}" ] || source "$state/env-user.sh"
    keys=("BACKEND_ENDPOINT=${BACKEND_ENDPOINT:-http://127.0.0.1:${port[manager]}}" "BACKEND_ENDPOINT_TYPE=${BACKEND_ENDPOINT_TYPE:-api}"
        "BACKEND_ACCESS_KEY=$BACKEND_ACCESS_KEY" "BACKEND_SECRET_KEY=${BACKEND_SECRET_KEY:-}")
}
