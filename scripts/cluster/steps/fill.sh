# What the databases are made of and filled with, once. `check` looks whether it was this. Sourced by database.sh.
# shellcheck shell=bash disable=SC2154

# The etcd client of 25.15 sometimes aborts when its work is done and the program ends.
put_json() { manager_tool etcd put-json "$@" || manager_tool etcd put-json "$@" || manager_tool etcd put-json "$@"; }

make_databases() {
    there "select 1 from pg_database where datname = 'backend'" || sql -d postgres -c 'create database backend'
    there "select 1 from pg_roles where rolname = 'appproxy'" || sql -d postgres -c "create role appproxy login password '$password'"
    there "select 1 from pg_database where datname = 'appproxy'" || sql -d postgres -c 'create database appproxy owner appproxy'
    [ -s "$conf/manager.key_secret" ] || in_root backend.ai mgr generate-rpc-keypair "$conf" manager
    put_json "" "$conf/etcd-root.json"
    put_json config "$conf/etcd-config.json"
    manager_tool schema oneshot -f "$conf/alembic.ini"
    cp "$cluster/tools/coordinator_schema.py" "$state/home/"
    in_root "$venv/bin/python" "$state/home/coordinator_schema.py" "$conf/alembic-appproxy.ini"
}

# Users, keys and the rest as Backend.AI's own installer fills them in; presets and the registry are ours.
fill_databases() {
    local name fixtures
    fixtures=$(echo "$venv"/lib/python3*/site-packages/ai/backend/install/fixtures)
    for name in users keypairs set-user-main-access-keys resource-slot-types runtime-variants runtime-variant-presets role-presets roles \
        login-client-types prometheus-query-preset-categories prometheus-query-presets retention-policies; do
        [ ! -e "$fixtures/example-$name.json" ] || manager_tool fixture populate "$fixtures/example-$name.json"
    done
    manager_tool fixture populate "$conf/presets.json"
    manager_tool fixture populate "$conf/registry.json"
    manager_tool permissions provision || true # older versions have no such thing
}
