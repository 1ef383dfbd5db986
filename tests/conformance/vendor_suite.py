"""What the suites mariadb and mysql do: the client test, then lists of tests of the harness."""

import time

import client_test
import comparison
import lab
import test_run


def run(vendor, runs, options):
    """`runs` are (name, list, arguments of the harness, share of the time)."""
    suite = vendor.flavour
    if vendor.missing():
        vendor.install()
    reason = vendor.missing()
    if reason:
        print(f"SKIPPED {suite}: {reason}")
        options.results[suite] = {"skipped": reason}
        return 0
    started, share_left = time.monotonic(), 1.0
    parts = []

    def seconds(share):
        nonlocal share_left
        if options.seconds is None:
            return None
        left = started + options.seconds - time.monotonic()
        result = max(1.0, left * share / share_left)
        share_left -= share
        return result

    with lab.Lab(f"conformance-{suite}") as laboratory:
        with lab.Lab("client", laboratory.folder / "client") as own:
            parts.append(client_test.compare(
                vendor, own, options, seconds(1.0 - sum(run[3] for run in runs))))
            own.keep = True
        for name, tests, arguments, share in runs:
            tests = comparison.order(comparison.read_list(tests), options)
            if tests:
                one = test_run.TestRun(vendor, laboratory, name, arguments)
                parts.append(one.compare(tests, seconds(share)))
        code = comparison.conclude(suite, parts, options)
        laboratory.keep = options.keep or any(part.different() or part.failures for part in parts)
        if laboratory.keep:
            print(f"logs are kept in {laboratory.folder}")
    return code
