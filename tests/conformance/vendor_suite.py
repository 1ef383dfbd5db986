"""What the suites mariadb and mysql do: the client test, then lists of tests of the harness."""

import time

import client_test
import comparison
import lab
import test_run

# The client test's part of the time.
CLIENT_SHARE = 0.2


class Clock:
    """Divides the time among parts; what one leaves over, the later ones get."""

    def __init__(self, seconds, shares):
        self._end = None if seconds is None else time.monotonic() + seconds
        self._shares = shares

    def take(self, share):
        if self._end is None:
            return None
        seconds = (self._end - time.monotonic()) * share / self._shares
        self._shares -= share
        return max(1.0, seconds)


def choose_parts(runs, options):
    """Words of --only that name a part choose it; the others choose tests."""
    names = {"client", *(run[0] for run in runs)}
    chosen = names.intersection(options.only)
    return chosen or names, [word for word in options.only if word not in names]


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
    chosen, words = choose_parts(runs, options)
    parts = []
    clock = Clock(options.seconds, sum(run[3] for run in runs if run[0] in chosen) +
                  (CLIENT_SHARE if "client" in chosen else 0))
    with lab.Lab(f"conformance-{suite}") as laboratory:
        if "client" in chosen:
            folder = laboratory.folder / f"{laboratory.folder.name}-client"
            with lab.Lab("client", folder, keep=True) as own:
                cases = comparison.order(vendor.client_cases(), words, options)
                parts.append(client_test.compare(vendor, own, cases, clock.take(CLIENT_SHARE)))
        for name, tests, arguments, share in runs:
            tests = comparison.order(comparison.read_list(tests), words, options)
            if tests and name in chosen:
                one = test_run.TestRun(vendor, laboratory, name, arguments)
                parts.append(one.compare(tests, clock.take(share)))
        code = comparison.conclude(suite, parts, options)
        laboratory.keep = options.keep or any(part.different() or part.failures for part in parts)
        if laboratory.keep:
            print(f"logs are kept in {laboratory.folder}")
    return code
