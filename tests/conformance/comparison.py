"""Verdicts of the same tests run directly and through the proxy, and what is said about them."""

import dataclasses
import fnmatch
import pathlib
import random
import shutil

import lab
import report
import yaml

HERE = pathlib.Path(__file__).resolve().parent
LISTS = HERE / "lists"
KNOWN = HERE / "known_differences.yaml"
NOT_RUN = "not run"
# Verdicts of tests that decide by themselves that they do not fit this machine or server.
SKIPS = ("skipped", "disabled")


@dataclasses.dataclass
class Pair:
    """One test's two verdicts."""

    test: str
    direct: str
    proxied: str

    @property
    def is_equal(self):
        return self.direct == self.proxied

    @property
    def is_skipped(self):
        return self.is_equal and self.direct in SKIPS

    def __str__(self):
        return f"{self.test}: directly {self.direct}, through the proxy {self.proxied}"


def pair(direct, proxied):
    """Pairs of two dictionaries of verdicts by test."""
    names = [*direct, *(name for name in proxied if name not in direct)]
    return [Pair(name, direct.get(name, NOT_RUN), proxied.get(name, NOT_RUN)) for name in names]


class Known:
    """The differences that have a documented reason: known_differences.yaml."""

    def __init__(self, suite, entries=None):
        if entries is None:
            entries = yaml.safe_load(KNOWN.read_text()) or []
        for entry in entries:
            if not {"suite", "test", "reason"} <= set(entry):
                raise ValueError(f"{KNOWN.name}: an entry needs suite, test and reason: {entry}")
        self._entries = [entry for entry in entries if entry["suite"] == suite]

    def reason(self, part, test):
        for entry in self._entries:
            if entry.get("part", part) == part and fnmatch.fnmatchcase(test, entry["test"]):
                return " ".join(entry["reason"].split())
        return None


class Part:
    """What became of one part of a suite."""

    def __init__(self, name):
        self.name = name
        self.pairs = []
        self.unsteady = []
        self.failures = []
        # What the proxy counted.
        self.sessions = 0
        self.commands = 0

    def add(self, pairs):
        self.pairs += pairs

    def settle(self, again):
        """Replaces pairs by those of a second run. What agrees then is noted as unsteady: such
        tests depend on time, and this machine may be busy."""
        second = {one.test: one for one in again}
        for number, first in enumerate(self.pairs):
            if first.test in second and not first.is_equal:
                self.pairs[number] = second[first.test]
                if second[first.test].is_equal:
                    self.unsteady.append(first)

    def check_directly(self):
        """Two runs that fail alike prove nothing when most of the tests cannot run at all."""
        failed = sum(one.direct not in ("pass", *SKIPS) for one in self.pairs)
        if failed > max(2, len(self.pairs) / 4):
            self.failures.append(f"{failed} of {len(self.pairs)} tests fail directly")

    def different(self):
        return [one for one in self.pairs if not one.is_equal]


def read_list(name):
    """Test names of lists/NAME.list: words, without what follows a #."""
    names = []
    for line in (LISTS / f"{name}.list").read_text().splitlines():
        names += line.partition("#")[0].split()
    return list(dict.fromkeys(names))


def order(names, words, options):
    """The names that are one of the words, or contain one that is no whole name, in the order of
    the seed when time is bounded."""
    if words:
        parts = [word for word in words if word not in names]
        names = [name for name in names if name in words or any(part in name for part in parts)]
    if options.seconds is not None:
        random.Random(options.seed).shuffle(names)
    return names


def conclude(suite, parts, options):
    """Prints the table, the differences and the verdict; returns the exit code."""
    known = Known(suite)
    rows, failures, explained = [], [], []
    for part in parts:
        part.check_directly()
        different = part.different()
        skipped = sum(one.is_skipped for one in part.pairs)
        rows.append([part.name, len(part.pairs), len(part.pairs) - len(different), len(different),
                     sum(one.direct not in ("pass", *SKIPS) for one in part.pairs), skipped,
                     part.sessions, part.commands])
        failures += [f"{part.name}: {text}" for text in part.failures]
        for one in different:
            reason = known.reason(part.name, one.test)
            if reason is None:
                failures.append(f"{part.name}: {one}")
            else:
                explained.append((part.name, one, reason))
    print(report.table(["part of " + suite, "tests", "equal", "different", "fail directly too",
                        "skipped directly", "proxied connections", "commands"], rows))
    for name, one, reason in explained:
        print(f"  known  {name}: {one}\n         {reason}")
    for part in parts:
        for one in part.unsteady:
            print(f"  unsteady  {part.name}: {one}; equal when run again")
    options.results[suite] = {
        "parts": [{
            "part": part.name, "tests": len(part.pairs),
            "equal": sum(one.is_equal for one in part.pairs),
            "skipped": sum(one.is_skipped for one in part.pairs),
            "different": [dataclasses.asdict(one) for one in part.different()],
            "unsteady": [dataclasses.asdict(one) for one in part.unsteady],
        } for part in parts],
        "unexplained": failures,
    }
    return report.verdict(suite, failures, options.seed)


def own_binary(laboratory):
    """A copy of the proxy, so that a build beside a long run does not change what is tested."""
    copy = laboratory.folder / "stockgate"
    if not copy.exists():
        shutil.copy2(lab.proxy_binary(), copy)
    return copy


def check_proxy(proxy, part):
    """The proxy must be alive, used, free of findings, and end when asked to."""
    part.failures += proxy.sanitizer_findings()
    if not proxy.is_alive():
        part.failures.append(f"the proxy ended with code {proxy.returncode}:\n{proxy.tail()}")
        return
    samples = proxy.metrics()
    part.sessions = int(samples["stockgate_sessions_total"])
    part.commands = int(sum(value for name, value in samples.items()
                              if name.startswith("stockgate_commands_total")))
    if part.pairs and part.sessions < len(part.pairs) / 2:
        part.failures.append(f"only {part.sessions} connections came through the proxy")
    code = proxy.terminate()
    if code != 0:
        part.failures.append(f"the proxy ended with code {code}:\n{proxy.tail()}")
