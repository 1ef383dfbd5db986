"""The vendors' client test programs: hundreds of cases against the C API, one process each.

Both runs use one server, directly and through a proxy that has an adopted table and so reads every
statement. A case makes and drops its own database."""

import subprocess
import time

import comparison
import lab
import shop

CASE_SECONDS_MAX = 60
SKU = 1001
# What the vendors' harnesses set for these programs.
SETTINGS = [
    "SET GLOBAL default_storage_engine = MyISAM",
    "SET GLOBAL log_output = 'FILE,TABLE'",
    "SET GLOBAL general_log = 1",
    "SET GLOBAL log_bin_trust_function_creators = 1",
    "SET GLOBAL max_allowed_packet = 32000000",
]


def start(vendor, laboratory):
    """A server with an adopted table, and a proxy in front of it."""
    database = vendor.server(laboratory)
    shop.create_accounts(database)
    shop.create_tables(database, {SKU: 1000})
    database.execute("CREATE DATABASE IF NOT EXISTS test", *SETTINGS, *vendor.client_settings)
    proxy = laboratory.proxy(database, None, shop.managed_tables([SKU]), **vendor.proxy_sections())
    proxy.binary = comparison.own_binary(laboratory)
    shop.adopt(proxy)
    proxy.start()
    return database, proxy


def run_case(vendor, case, port, scratch, log):
    command = vendor.command(
        ["env", f"MYSQL_TMP_DIR={scratch}", vendor.client_test, "--no-defaults", *vendor.client_options, f"--vardir={scratch}",
         "-h", lab.LOOPBACK, "-P", port, "-u", "root", "--testcase", "-s", case], scratch)
    log.write(f"== {case} on port {port}\n")
    log.flush()
    try:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              timeout=CASE_SECONDS_MAX, preexec_fn=lab.die_with_parent).returncode
    except subprocess.TimeoutExpired:
        return "timeout"
    if code in (-6, -11, 134, 139):
        return "crash"
    return "pass" if code == 0 else "fail"


def compare(vendor, laboratory, cases, seconds):
    part = comparison.Part("client")
    if not cases:
        return part
    database, proxy = start(vendor, laboratory)
    scratch = vendor.scratch(laboratory, "files")
    deadline = None if seconds is None else time.monotonic() + seconds
    with open(laboratory.folder / "client-test.log", "a") as log:

        def run(case, port):
            return run_case(vendor, case, port, scratch, log)

        for case in cases:
            if deadline is not None and time.monotonic() > deadline:
                break
            part.add([comparison.Pair(case, run(case, database.port), run(case, proxy.port))])
        # Once more in the other order: some cases leave behind what their next run trips over.
        again = []
        for one in part.different():
            proxied, direct = run(one.test, proxy.port), run(one.test, database.port)
            if (one.direct, one.proxied) == (proxied, direct):
                direct = proxied
            again.append(comparison.Pair(one.test, direct, proxied))
        part.settle(again)
    comparison.check_proxy(proxy, part)
    return part
