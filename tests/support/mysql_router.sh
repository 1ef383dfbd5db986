#!/bin/bash
# MySQL Router 9 for the benchmarks, added to the chroot that mysql9.sh makes.
#   mysql_router.sh install   makes the chroot where it is missing, and installs Router in it
#   mysql_router.sh status    prints the chroot's folder; exit code 1 when Router is not in it
# Needs root. /proc and /dev are mounted in a mount namespace of its own, so that nothing is left
# mounted, and so that nothing is unmounted below another command that works in the same chroot.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${STOCKGATE_MYSQL9_ROOT:-/var/cache/stockgate/sid}

fail() { echo "mysql_router: $*" >&2; exit 1; }

is_installed() { [ "$(id -u)" = 0 ] && [ -x "$root/usr/bin/mysqlrouter" ]; }

install_router() {
    if is_installed; then echo "mysql_router: already in $root"; return; fi
    [ "$(id -u)" = 0 ] || fail "needs root to install into a chroot"
    "$here/mysql9.sh" status >/dev/null 2>&1 || "$here/mysql9.sh" install
    # The lock on package lists, unlike dpkg's own, is not waited for.
    unshare --mount bash -euo pipefail -c '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        install="apt-get install -y -q -o DPkg::Lock::Timeout=300 mysql-router"
        chroot "$1" env DEBIAN_FRONTEND=noninteractive sh -c "$install ||
            { sleep 5; apt-get update -q && $install; }"
    ' bash "$root" || fail "mysql-router could not be installed in $root"
    is_installed || fail "mysql-router is installed, but $root/usr/bin/mysqlrouter is not there"
    echo "mysql_router: installed in $root"
}

case ${1:-} in
    install) install_router ;;
    status) is_installed || fail "not in $root (tests/support/mysql_router.sh install)"
            echo "$root" ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
