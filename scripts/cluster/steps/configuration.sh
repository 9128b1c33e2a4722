# The files of conf/ beside this, with this machine's places, ports and secrets put in.
# shellcheck shell=bash disable=SC2154

secret() {
    [ -s "$conf/$1.secret" ] || (umask 077 && head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$conf/$1.secret")
    cat "$conf/$1.secret"
}

values=(-e "s|@state@|$state|g" -e "s|@agent@|$agent|g" -e "s|@password@|$password|g" -e "s|@volume@|$volume|g")
for name in "${!port[@]}"; do values+=(-e "s|@port.$name@|${port[$name]}|g"); done
for name in storage-manager storage-private appproxy-api appproxy-jwt appproxy-permit; do
    values+=(-e "s|@secret.$name@|$(secret "$name")|g")
done

for file in "$cluster"/conf/*; do
    name=$(basename "$file")
    [ "$name" = logging.toml ] && continue
    sed "${values[@]}" -e "/^@logging@\$/{r $cluster/conf/logging.toml
        d}" "$file" >"$conf/$name"
    ! grep -Eq '@[a-z._-]+@' "$conf/$name" || fail "$file names a value that steps/configuration.sh does not give" "$(grep -Eo '@[a-z._-]+@' "$conf/$name" | head -n 1)"
done
