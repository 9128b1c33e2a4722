# A Debian of its own, because Backend.AI needs the Python of trixie, and this machine keeps its own programs.
# shellcheck shell=bash disable=SC2154

certificates=/etc/ssl/certs/ca-certificates.crt
if [ ! -e "$done/rootfs" ]; then
    say "making a Debian trixie in $root (about a minute)"
    # Half a Debian, from a run that was cut, cannot be gone on with.
    if [ -e "$root/debootstrap" ]; then rm -rf --one-file-system "$root"; fi
    [ -e "$root/etc/debian_version" ] ||
        noted debootstrap "debootstrap of trixie" debootstrap --variant=minbase --include=ca-certificates trixie "$root" ${mirror:+"$mirror"}
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    cp -L "$certificates" "$root$certificates"
    # Installing a database must not start it.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
fi

mkdir -p "$root$state" "$root/host-run" "$root/run"
for place in proc sys dev; do
    mountpoint -q "$root/$place" && continue
    mount --rbind "/$place" "$root/$place"
    mount --make-rslave "$root/$place"
done
mountpoint -q "$root$state" || mount --bind "$state" "$root$state"
# The directory, not the socket: Docker makes a new socket when it starts.
mountpoint -q "$root/host-run" || mount --bind "$(dirname "$socket")" "$root/host-run"
ln -sfn "/host-run/$(basename "$socket")" "$root/run/docker.sock"

if [ ! -e "$done/rootfs" ]; then
    say "installing PostgreSQL, Valkey, etcd, Prometheus and Python in it (about two minutes)"
    noted apt "apt-get in $root" chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -q &&
        apt-get install -y -q --no-install-recommends python3 python3-venv python3-pip python3-dev gcc libc6-dev \
            curl procps iproute2 openssl xz-utils libmagic1t64 libsnappy-dev docker-cli \
            postgresql-17 valkey-server etcd-server etcd-client prometheus &&
        apt-get clean'
    touch "$done/rootfs"
fi
