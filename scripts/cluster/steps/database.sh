# What keeps the cluster's memory: PostgreSQL, Valkey, etcd, and Prometheus for live usage; then what they contain.
# shellcheck shell=bash disable=SC2154

if [ ! -e "$state/pg/PG_VERSION" ]; then
    mkdir -p "$state/pg"
    chroot "$root" chown postgres:postgres "$state/pg"
    chmod 700 "$state/pg"
    echo "$password" >"$conf/pgpass"
    chmod 644 "$conf/pgpass"
    noted initdb "making the database" in_root "${as_postgres[@]}" initdb -D "$state/pg" -U postgres -A scram-sha-256 \
        --pwfile="$conf/pgpass" -E UTF8 --locale=C.UTF-8
    # Nothing here is worth waiting for a disk.
    cat "$conf/postgresql.conf" >>"$state/pg/postgresql.conf"
fi
# Left by a machine that went down; its process id may belong to another process by now.
alive postgres || rm -f "$state/pg/postmaster.pid"
start postgres "${as_postgres[@]}" /usr/lib/postgresql/17/bin/postgres -D "$state/pg"
start valkey /usr/bin/valkey-server --bind 127.0.0.1 --port "${port[valkey]}" --dir "$state/redis" --appendonly yes --daemonize no
start etcd /usr/bin/etcd --name bai --data-dir "$state/etcd" --auto-compaction-retention 1 \
    --listen-client-urls "http://127.0.0.1:${port[etcd]}" --advertise-client-urls "http://127.0.0.1:${port[etcd]}" \
    --listen-peer-urls "http://127.0.0.1:${port[etcd_peer]}" --initial-advertise-peer-urls "http://127.0.0.1:${port[etcd_peer]}" \
    --initial-cluster "bai=http://127.0.0.1:${port[etcd_peer]}"
start prometheus /usr/bin/prometheus --config.file="$conf/prometheus.yml" --storage.tsdb.path="$state/prom" \
    --storage.tsdb.retention.time=1d --web.listen-address="127.0.0.1:${port[prometheus]}"
wait_for postgres 60 sql -d postgres -c 'select 1'
wait_for valkey 30 listens valkey
wait_for etcd 30 answers etcd /health

there() { sql -d postgres -tAc "$1" | grep -q 1; }

# shellcheck source=scripts/cluster/steps/fill.sh
source "$cluster/steps/fill.sh"

if [ ! -e "$done/db" ]; then
    say "filling the databases (about a minute)"
    noted setup "making the databases" make_databases
    noted setup "filling the databases" fill_databases
    echo 3 >"$volume/version.txt" # the layout of folders on it
    echo "$filled_with" >"$done/db"
fi
# Every time: what is allowed may have grown since the databases were filled.
noted setup "setting what is allowed" sql -d backend -f "$conf/permissions.sql"

scanned=$done/image-$(docker_here image inspect -f '{{.Id}}' "$image" "$unstartable" "$customized" | sha256sum | cut -c1-24)
if [ ! -e "$scanned" ]; then
    # Left by an older release, see below.
    docker_here image rm "local/$image" "local/$unstartable" "local/$customized" >/dev/null 2>&1 || true
    say "telling the cluster of the images"
    noted setup "scanning the local images" manager_tool image rescan local
    manager_tool image alias python "local/$image" x86_64 >>"$log/setup.log" 2>&1 || true # there already
    touch "$scanned"
fi

# Agents before 26 look for a local image by its whole name; they would pull what they don't find.
if [[ $version == 25.* ]]; then
    for name in "$image" "$unstartable" "$customized"; do docker_here image tag "$name" "local/$name"; done
fi
