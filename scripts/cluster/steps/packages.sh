# Backend.AI itself, from the Python package index.
# shellcheck shell=bash disable=SC2154

if [ ! -e "$done/venv-$version" ]; then
    say "installing Backend.AI $version (about two minutes)"
    packages=("backend.ai-krunner-static-gnu==$krunner_version")
    for name in manager agent storage-proxy webserver appproxy-coordinator appproxy-worker appproxy-common client cli \
        common kernel kernel-helper kernel-binary install; do
        packages+=("backend.ai-$name==$version")
    done
    noted pip "making the Python environment" in_root /usr/bin/python3 -m venv "$venv"
    noted pip "pip install of Backend.AI $version" in_root "$venv/bin/pip" install --progress-bar off "${packages[@]}"
    touch "$done/venv-$version"
fi
