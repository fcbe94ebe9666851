#!/bin/sh
# Make the Debian 13 base image locally, for machines without an image registry.
# Needs root, mmdebstrap and a running engine. Usage: docker/make-base.sh [TAG]
set -eu
tag=${1:-lab-base:trixie}
here=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
cache=${LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agentic-coding-lab}
tar=$cache/base/trixie.tar

need() {
    command -v "$1" >/dev/null 2>&1 || { echo "error: $1 is missing ($2)" >&2; exit 1; }
}

need docker "apt install docker.io"
docker version >/dev/null 2>&1 || { echo "error: no Docker engine answers (start one: dockerd)" >&2; exit 1; }
if docker image inspect "$tag" >/dev/null 2>&1; then
    echo "$tag is there already (remove it to make it again: docker rmi $tag)"
    exit 0
fi
if [ ! -s "$tar" ]; then
    need mmdebstrap "apt install mmdebstrap"
    mkdir -p "$(dirname -- "$tar")"
    echo "making a Debian 13 root file system (about a minute)"
    mmdebstrap --quiet --variant=minbase --include=ca-certificates trixie "${tar%.tar}.part.tar"
    mv "${tar%.tar}.part.tar" "$tar"
fi
docker import --change 'CMD ["sh"]' "$tar" "$tag"
echo "made $tag; next: $here/build.sh"
