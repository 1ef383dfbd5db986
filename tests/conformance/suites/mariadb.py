"""MariaDB's own tests: mariadb-client-test, and mariadb-test-run.pl in several protocols."""

import vendor_suite
import vendors

RUNS = [
    ("text", "mariadb", [], 0.5),
    ("prepared", "mariadb-prepared", ["--ps-protocol"], 0.15),
    ("cursors", "mariadb-prepared", ["--ps-protocol", "--cursor-protocol"], 0.15),
]


def run(options):
    return vendor_suite.run(vendors.MariaDbVendor(), RUNS, options)
