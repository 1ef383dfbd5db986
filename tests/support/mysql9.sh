#!/bin/bash
# MySQL 9 for the tests, in a chroot of Debian sid, since Debian 12 does not carry it.
#   mysql9.sh install   make the chroot (about two minutes, 2 GB); does nothing when it is there
#   mysql9.sh suite     the same, and MySQL's own test suite in it
#   mysql9.sh status    prints the chroot's folder; exit code 1 when MySQL is not installed in it
#   mysql9.sh remove    unmounts and removes it
# The folder is $STOCKGATE_MYSQL9_ROOT, or /var/cache/stockgate/sid. Needs root. The packages come
# from the mirror that this machine's apt already uses.
set -euo pipefail

root=${STOCKGATE_MYSQL9_ROOT:-/var/cache/stockgate/sid}
marker=$root/.stockgate-mysql9

fail() { echo "mysql9: $*" >&2; exit 1; }

has_suite() { [ -x "$root/usr/lib/mysql-test/bin/mysql_client_test" ]; }

is_installed() { [ -e "$marker" ] && [ -x "$root/usr/sbin/mysqld" ]; }

mirror() {
    local uri
    uri=$(sed -n 's/^URIs:[[:space:]]*\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources \
        2>/dev/null | head -n 1)
    if [ -z "$uri" ]; then
        uri=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' \
            /etc/apt/sources.list 2>/dev/null || true)
    fi
    [ -n "$uri" ] || fail "no Debian mirror found in /etc/apt"
    echo "$uri"
}

unmount_all() {
    local folder
    for folder in proc dev; do
        if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
    done
}

enter_with() {
    trap unmount_all EXIT
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c "$1"
    unmount_all
    trap - EXIT
}

install_chroot() {
    if is_installed; then echo "mysql9: already in $root"; return; fi
    [ "$(id -u)" = 0 ] || fail "needs root to make a chroot"
    command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends debootstrap
    unmount_all
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase sid "$root" "$(mirror)"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    # A frozen mirror's Release file may be older than it allows itself to be.
    printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'APT::Install-Recommends "false";' \
        >"$root/etc/apt/apt.conf.d/99stockgate"
    enter_with 'apt-get update -q && apt-get install -y mysql-server-core mysql-client-core \
        mysql-server mysql-client netbase && apt-get clean'
    touch "$marker"
    echo "mysql9: installed in $root"
}

install_suite() {
    install_chroot
    if has_suite; then echo "mysql9: the test suite is in $root"; return; fi
    [ "$(id -u)" = 0 ] || fail "needs root to install into the chroot"
    unmount_all
    enter_with 'apt-get update -q && apt-get install -y mysql-testsuite netbase && apt-get clean'
    # As 127.0.0.1 only: its asynchronous client tries just the first address of localhost.
    touch "$root/etc/hosts"
    sed -i -E 's/^(::1[[:space:]]+)localhost /\1/' "$root/etc/hosts"
    grep -q '^127.0.0.1.*localhost' "$root/etc/hosts" ||
        echo "127.0.0.1 localhost" >>"$root/etc/hosts"
    echo "mysql9: installed the test suite in $root"
}

case ${1:-} in
    install) install_chroot ;;
    suite) install_suite ;;
    status) is_installed || fail "not installed in $root (tests/support/mysql9.sh install)"
            echo "$root" ;;
    remove) unmount_all; rm -rf "$root" ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
