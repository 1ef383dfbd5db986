#!/bin/bash
# Configures and builds one preset, with ccache where it is installed.
#   build.sh PRESET [TARGET...]     everything when no target is named
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=${1:?build.sh PRESET [TARGET...]}
shift
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${launcher[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
targets=()
if [ $# -gt 0 ]; then targets=(--target "$@"); fi
echo "building build/$preset"
if [ -t 1 ]; then
    cmake --build --preset "$preset" "${targets[@]}"
elif ! cmake --build --preset "$preset" "${targets[@]}" >"$log" 2>&1; then
    tail -n 200 "$log" >&2
    exit 1
fi
