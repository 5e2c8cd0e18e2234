#!/usr/bin/env bash
# Makes the environment and installs one lock into it, without resolving anything.
#   requirements/install.sh cpu|dev|gpu      VENV: where (default .venv), PYTHON: which interpreter
set -euo pipefail
cd "$(dirname "$0")/.."
lock=${1:?which lock: cpu, dev or gpu}
venv=${VENV:-.venv}
kind=$([ "$lock" = gpu ] && echo gpu || echo cpu)

stop() { printf 'daogou: %s\n' "$@" >&2; exit 1; }

[ -f "requirements/$lock.txt" ] || stop "there is no lock requirements/$lock.txt; choose cpu, dev or gpu"
[ "$(uname -sm)" = "Linux x86_64" ] || stop "the locks are for Linux on x86-64, this is $(uname -sm)"
if [ -f "$venv/kind" ] && [ "$(cat "$venv/kind")" != "$kind" ]; then
    stop "$venv holds the $(cat "$venv/kind") packages, which cannot live beside those for $kind." \
        "Remove it and run this again:  rm -r $venv"
fi

python=""
for candidate in ${PYTHON:-python3.11 python3}; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || stop "Python 3.11 is needed and was not found (tried: ${PYTHON:-python3.11 python3})." \
    "Debian 12: apt-get install python3.11 python3.11-venv. Elsewhere: pyenv install 3.11." \
    "Installed under another name? Say so:  make up PYTHON=/path/to/python3.11"

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    echo "daogou: making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" || stop "no environment could be made; Debian 12: apt-get install python3.11-venv"
fi
echo "$kind" >"$venv/kind"

pip() { "$venv/bin/python" -m pip --disable-pip-version-check -qq install --no-deps --retries 1 --timeout 15 "$@"; }
pip -r requirements/uv.txt
if [ "$kind" = cpu ]; then
    [ -d "$venv/lib/python3.11/site-packages/torch" ] || echo "daogou: installing torch for the CPU (190 MB)"
    pip -r requirements/torch-cpu.txt
fi
echo "daogou: making sure of the $(grep -c == "requirements/$lock.txt") packages of requirements/$lock.txt"
VIRTUAL_ENV=$venv "$venv/bin/uv" pip install --quiet --no-deps -r "requirements/$lock.txt"

if [ "$kind" = cpu ] && ! "$venv/bin/python" -c 'import ctypes; ctypes.CDLL("libnuma.so.1")' 2>/dev/null; then
    echo "daogou: vLLM's CPU build needs the system library libnuma; Debian and Ubuntu: apt-get install libnuma1" >&2
fi
