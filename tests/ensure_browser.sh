#!/usr/bin/env bash
# Installs the browser and the Chinese font that the page's tests need, where they are missing, and says so.
# Where they cannot be installed the tests that need them say that they were skipped.
set -euo pipefail

missing=()
command -v chromium >/dev/null || missing+=(chromium)
fc-list 2>/dev/null | grep -q "Noto Sans CJK" || missing+=(fonts-noto-cjk)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "tests: ${missing[*]} missing, tests in the browser are skipped; as root on Debian: apt-get install ${missing[*]}"
    exit 0
fi
echo "tests: installing ${missing[*]} with apt-get"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" fontconfig >/dev/null
