# The one image that sessions run from: Debian with Python, tmux and Jupyter, made here.
# shellcheck shell=bash disable=SC2154

make_image_root() {
    rm -rf --one-file-system "$1"
    noted image "debootstrap of the sessions' image" debootstrap --variant=minbase \
        --include=python3,tmux,ca-certificates,curl,less,vim-tiny,openssh-client,procps bookworm "$1" ${mirror:+"$mirror"}
    cp -L "$certificates" "$1$certificates"
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    # The kernel runner executes code (query mode) in a Jupyter kernel of the image.
    noted image "apt-get in the sessions' image" chroot "$1" env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get update -q &&
        apt-get install -y -q --no-install-recommends python3-ipykernel jupyter-notebook && apt-get clean'
    make_services "$1/etc/backend.ai/service-defs"
    rm -rf "$1"/tmp/* "$1"/var/cache/apt/archives/*.deb "$1"/var/cache/apt/*.bin "$1"/var/lib/apt/lists/*
    touch "$1/.ok"
}

# Beside Jupyter, which the kernel runner knows: a service with an argument, and one that can't start.
make_services() {
    mkdir -p "$1"
    cat >"$1/web.json" <<'END'
{"command": ["/usr/bin/python3", "-m", "http.server", "8082"], "allowed_arguments": ["--directory"]}
END
    cat >"$1/broken.json" <<'END'
{"command": ["/no/such/program"]}
END
}

import_image() {
    local labels=() label
    for label in kernelspec=1 role=COMPUTE 'features="batch query uid-match user-input"' base-distro=ubuntu22.04 \
        runtime-type=python runtime-path=/usr/bin/python3 accelerators= \
        service-ports=webdemo:preopen:8000,jupyter:http:8081,web:http:8082,broken:http:8083 \
        envs.corecount=OPENBLAS_NUM_THREADS,OMP_NUM_THREADS,NPROC resource.min.cpu=1 resource.min.mem=128m; do
        labels+=(--change "LABEL ai.backend.$label")
    done
    tar -C "$1" --exclude=./.ok -c . | docker_here import "${labels[@]}" \
        --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'ENV LANG=C.UTF-8' \
        --change 'WORKDIR /home/work' --change 'CMD ["/bin/bash"]' - "$image" >"$log/import.log"
}

if ! docker_here image inspect "$image" >/dev/null 2>&1; then
    say "making the image $image (about a minute)"
    [ -e "$state/kimg/.ok" ] || make_image_root "$state/kimg"
    import_image "$state/kimg" || fail "Docker did not take the image $image" "see $log/import.log"
fi

# derive NAME COMMAND LABEL…: an image of what COMMAND leaves of the sessions' image, with further labels.
derive() {
    local name=$1 command=$2 labels=(--change 'CMD ["/bin/bash"]') label container
    shift 2
    docker_here image inspect "$name" >/dev/null 2>&1 && return
    for label; do labels+=(--change "LABEL ai.backend.$label"); done
    container=$(docker_here create --network none "$image" sh -c "$command") || return
    docker_here start -a "$container" >>"$log/import.log" 2>&1 &&
        docker_here commit "${labels[@]}" "$container" "$name" >>"$log/import.log"
    local outcome=$?
    docker_here rm -f "$container" >>"$log/import.log" 2>&1
    return "$outcome"
}

derive "$unstartable" 'rm -f /usr/sbin/usermod /usr/sbin/useradd /usr/sbin/groupadd /usr/sbin/adduser' service-ports= ||
    fail "the image $unstartable was not made" "see $log/import.log"
derive "$customized" true customized-image.name=wbt-mine customized-image.user.email=user@lablup.com \
    customized-image.owner=user:dfa9da54-4b28-432f-be29-c0d680c7a412 \
    customized-image.id=0123456789abcdef0123456789abcdef ||
    fail "the image $customized was not made" "see $log/import.log"
