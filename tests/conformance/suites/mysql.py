"""MySQL's own tests: mysql_client_test, and mysql-test-run.pl in several protocols."""

import vendor_suite
import vendors

RUNS = [
    ("text", "mysql", [], 0.5),
    ("prepared", "mysql-prepared", ["--ps-protocol"], 0.15),
    ("cursors", "mysql-prepared", ["--ps-protocol", "--cursor-protocol"], 0.15),
]


def run(options):
    return vendor_suite.run(vendors.MySqlVendor(), RUNS, options)
