#!/usr/bin/env bash
# Writes the three locks anew from pyproject.toml. Versions already locked stay as long as they fit; UPGRADE=1 takes
# the newest. TORCH_WHEELS: a folder or page that has the CPU build of torch, where PyTorch's own cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${UV:-.venv/bin/uv}
page=$(sed -n 's/^--find-links //p' requirements/torch-cpu.txt)

lock() {
    echo "daogou: locking $1"
    "$uv" pip compile pyproject.toml --quiet --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
        --no-header --no-annotate --no-emit-find-links ${UPGRADE:+--upgrade} -o "requirements/$1.txt" "${@:2}"
}
lock cpu --extra cpu --override requirements/overrides-cpu.txt --find-links "${TORCH_WHEELS:-$page}"
lock dev --extra cpu --extra dev --override requirements/overrides-cpu.txt --find-links "${TORCH_WHEELS:-$page}" \
    -c requirements/cpu.txt
lock gpu --extra gpu --override requirements/overrides-gpu.txt
