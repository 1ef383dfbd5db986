#!/bin/bash
# Installs what building and testing need on Debian 12, and nothing that is there already, so that
# a second run does not touch the network.
#   packages.sh [build] [test] [lint]      all three when none is named
#   packages.sh conformance                the vendors' own test suites (150 MB)
#   packages.sh conformance_drivers        drivers of the languages that ./test does without
#   packages.sh bench                      the peer and the load generator of tests/bench
# Works as root or with sudo; otherwise says what to run. A server that comes with a package is not
# started: the tests run their own, and a database on its usual port is not ours to open.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)

packages_build=(cmake ninja-build g++ pkg-config ccache git
    libboost1.81-dev libboost-json1.81-dev libhiredis-dev libmariadb-dev libyaml-cpp-dev
    libspdlog-dev libcli11-dev libssl-dev zlib1g-dev libzstd-dev prometheus-cpp-dev
    libgtest-dev libgmock-dev libbenchmark-dev)
packages_test=(mariadb-server mariadb-client redis-server
    python3 python3-pymysql python3-cryptography python3-yaml php8.2-cli php8.2-mysql)
packages_lint=(clang clang-format clang-tidy)
packages_conformance=(mariadb-test mariadb-test-data)
packages_conformance_drivers=(mariadb-client python3-pymysql python3-mysqldb python3-pyodbc
    odbc-mariadb gcc pkg-config libmariadb-dev php8.2-cli php8.2-mysql libdbd-mysql-perl
    libdbd-mariadb-perl ruby-mysql2 libmariadb-java default-jdk-headless golang-go
    golang-github-go-sql-driver-mysql-dev openssl)
packages_bench=(haproxy sysbench)

# Node may come from elsewhere than Debian, and then brings its own npm.
commands_test=(node:nodejs npm:npm)

missing=()
policy=/usr/sbin/policy-rc.d
policy_is_ours=no

fail() { echo "packages: $*" >&2; exit 1; }

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

collect() {
    local package
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
}

collect_commands() {
    local pair
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

remove_policy() {
    if [ "$policy_is_ours" = yes ]; then as_root rm -f "$policy"; fi
}

# While this file exists, package scripts do not start services.
forbid_services() {
    [ ! -e "$policy" ] || return 0
    policy_is_ours=yes
    trap remove_policy EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q -o DPkg::Lock::Timeout=300 --no-install-recommends "${missing[@]}"
}

install_missing() {
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "no apt-get here; install: ${missing[*]}"
    if [ "$(id -u)" != 0 ] && ! { command -v sudo >/dev/null && sudo -v 2>/dev/null; }; then
        fail "these packages are missing, run as root:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    echo "packages: installing ${missing[*]}"
    forbid_services
    # A machine may have fresh lists, none, or lists that name versions which are gone.
    if ! apt_install >/dev/null 2>&1; then
        as_root apt-get update -q || fail "apt-get update failed"
        apt_install || fail "apt-get install failed"
    fi
}

# The Node drivers are on npm only.
install_npm() {
    local folder=$project/build/npm name=$1
    [ ! -e "$folder/node_modules/$name/package.json" ] || return 0
    echo "packages: installing $name into build/npm"
    mkdir -p "$folder"
    [ -e "$folder/package.json" ] || echo '{"private": true}' >"$folder/package.json"
    npm install --prefix "$folder" --no-audit --no-fund --silent "$name@3" ||
        fail "npm install $name failed"
}

groups=("$@")
[ ${#groups[@]} -gt 0 ] || groups=(build test lint)
npm_names=()
for group in "${groups[@]}"; do
    case $group in
        build) collect "${packages_build[@]}" ;;
        test) collect "${packages_test[@]}"
              collect_commands "${commands_test[@]}"
              npm_names+=(mysql2) ;;
        lint) collect "${packages_lint[@]}" ;;
        conformance) collect "${packages_conformance[@]}" ;;
        conformance_drivers) collect "${packages_conformance_drivers[@]}"
              collect_commands "${commands_test[@]}"
              npm_names+=(mysql2 mariadb) ;;
        bench) collect "${packages_bench[@]}" ;;
        *) fail "unknown group '$group' (build, test, lint, conformance, conformance_drivers, bench)" ;;
    esac
done
install_missing
for name in "${npm_names[@]}"; do install_npm "$name"; done
