#!/bin/sh
# Build the images of the given stacks (default: all), and print their sizes and build times.
# Options by variable: LAB_BASE_IMAGE (default lab-base:trixie if it is there, else
# debian:trixie-slim from a registry). Certificates in docker/extra-ca/*.crt are added.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
root=$(dirname -- "$here")
all_stacks="none python-pytest"

docker version >/dev/null 2>&1 || { echo "error: no Docker engine answers (start one: dockerd)" >&2; exit 1; }
if [ -n "${LAB_BASE_IMAGE:-}" ]; then
    base=$LAB_BASE_IMAGE
elif docker image inspect lab-base:trixie >/dev/null 2>&1; then
    base=lab-base:trixie
else
    base=debian:trixie-slim
fi

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT INT TERM
mkdir -p "$context/experiments"
cp -R "$here" "$context/docker"
cp -R "$root/experiments/stacks" "$context/experiments/stacks"
find "$context" -name __pycache__ -prune -exec rm -rf {} +
inputs=$( (cd "$context" && find . -type f | LC_ALL=C sort | xargs sha256sum; echo "$base") | sha256sum | cut -c1-16)

build() {
    target=$1
    image=lab-$target
    known=$(docker image inspect --format '{{index .Config.Labels "lab.inputs"}}' "$image" 2>/dev/null || true)
    if [ "$known" = "$inputs" ]; then
        echo "$image is up to date"
        return
    fi
    started=$(date +%s)
    docker build --quiet --target "$target" --build-arg "BASE=$base" --build-arg "INPUTS=$inputs" \
        --tag "$image" --file "$context/docker/Dockerfile" "$context" >"$context/build.log" 2>&1 \
        || { tail -20 "$context/build.log" >&2
             echo "error: $image was not built (a TLS error? see Extra certificates in docker/README.md)" >&2
             exit 1; }
    seconds=$(($(date +%s) - started))
    size=$(docker image inspect --format '{{.Size}}' "$image")
    printf '%-32s %5s MB %5s s\n' "$image" "$((size / 1000000))" "$seconds"
}

for stack in ${*:-$all_stacks}; do
    case " $all_stacks " in
        *" $stack "*) ;;
        *) echo "error: no image for the stack $stack; there are: $all_stacks" >&2; exit 1 ;;
    esac
    build "$stack"
    [ "$stack" = none ] || build "$stack-analysis"
done
