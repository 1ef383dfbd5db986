"""Real drivers in real versions: every program once directly and once through the proxy, on
MariaDB and on MySQL 9, and what it observes compared line by line."""

import contextlib
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

import driver_lab
import driver_programs
import greeting
import lab
import report
import shop

HERE = driver_programs.HERE
SERVERS = ("mariadb", "mysql9")
PROGRAM_SECONDS_MAX = 150
# What a mode needs from a greeting; without it on either side the mode cannot be run.
MODES = {"plain": None, "tls": "ssl", "compress": "compress"}

# Values that differ from run to run whoever is asked: which names, what in them, what instead.
VOLATILE = [
    (r"\.statistics$", r"\d+(\.\d+)?", "N"),
]


def normalise(name, value):
    for names, pattern, instead in VOLATILE:
        if re.search(names, name):
            value = re.sub(pattern, instead, value)
    return value


def known_differences():
    """(server, program, mode, name) patterns and the reason, from the list."""
    entries = []
    for line in (HERE / "known_differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, _, reason = line.partition(" | ")
            entries.append((re.compile(pattern + r"\Z"), reason))
    return entries


def observe(program, mode, port, files, record):
    """Runs a program; name to value, and what was wrong with its output."""
    environment = dict(os.environ)
    environment["STOCKGATE_CONFORMANCE_MODE"] = mode
    environment["STOCKGATE_CONFORMANCE_FILES"] = str(files)
    environment["STOCKGATE_CONFORMANCE_HERE"] = str(HERE)
    environment["STOCKGATE_NODE_MODULES"] = str(driver_programs.MODULES)
    environment["LC_ALL"] = "C.UTF-8"
    environment["TZ"] = "UTC"
    command = [*map(str, program.command), lab.LOOPBACK, str(port), shop.USER, lab.PASSWORD,
               shop.SCHEMA]
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=PROGRAM_SECONDS_MAX, env=environment, preexec_fn=lab.die_with_parent)
        output, errors, code = result.stdout, result.stderr, result.returncode
    except subprocess.TimeoutExpired as timeout:
        output, errors, code = timeout.stdout or b"", timeout.stderr or b"", "time-out"
    record.write_bytes(output)
    seen, problems = {}, []
    for line in output.decode(errors="backslashreplace").splitlines():
        name, _, value = line.partition("\t")
        if name in seen:
            problems.append(f"printed {name!r} twice")
        seen[name] = normalise(name, value)
        if value.startswith("UNEXPECTED"):
            problems.append(f"{name}: {value}")
    if code != 0:
        problems.append(f"ended with {code}: {errors.decode(errors='replace').strip()[-600:]}")
    return seen, problems


class Comparison:
    """One program on one server in one mode, directly and through the proxy."""

    def __init__(self, server, program, mode, known):
        self.key = f"{server} {program.name} {mode}"
        self._known = known
        self.used = set()
        self.equal = self.different = 0
        self.explained = []
        self.failures = []

    def judge(self, direct, through):
        (expected, problems), (seen, others) = direct, through
        self.failures += [f"{self.key}, directly: {problem}" for problem in problems
                          if not self._explained(problem.partition(":")[0])]
        self.failures += [f"{self.key}, through the proxy: {problem}" for problem in others
                          if problem not in problems]
        if not expected:
            self.failures.append(f"{self.key}: observed nothing")
        for name in [*expected, *(name for name in seen if name not in expected)]:
            if expected.get(name) == seen.get(name):
                self.equal += 1
                continue
            self.different += 1
            reason = self._explained(name)
            if reason:
                self.explained.append(f"{self.key} {name}: {reason}")
            else:
                self.failures.append(
                    f"{self.key} {name}: directly {short(expected.get(name))}, "
                    f"through the proxy {short(seen.get(name))}")

    def _explained(self, name):
        for pattern, reason in self._known:
            if pattern.match(f"{self.key} {name}"):
                self.used.add(pattern.pattern)
                return reason
        return None


def short(value):
    return repr(value) if value is None or len(value) < 400 else repr(value[:400]) + ".."


def chosen_programs(options, laboratory):
    programs, skipped = [], []
    for name, make in driver_programs.MAKERS.items():
        if options.only and not any(word in name for word in options.only
                                    if word not in SERVERS and word not in MODES):
            if any(word not in SERVERS and word not in MODES for word in options.only):
                continue
        try:
            programs.append(make(laboratory.folder))
        except driver_programs.Missing as missing:
            skipped.append(f"SKIPPED drivers {name}: not installed: {missing} "
                           "(tests/support/packages.sh conformance_drivers)")
    random.Random(options.seed).shuffle(programs)
    return programs, skipped


def modes_of(database, proxy):
    """Mode to whether it can be run, by what the greetings offer."""
    direct, through = greeting.read(database.port), greeting.read(proxy.port)
    able = {}
    for mode, flag in MODES.items():
        if flag is None:
            able[mode] = "yes"
        elif not getattr(direct, flag):
            able[mode] = "not offered by the server"
        else:
            able[mode] = "yes" if getattr(through, flag) else "not offered by the proxy"
    return able


def wanted(words, value, among):
    named = [word for word in words if word in among]
    return not named or value in named


class Run:
    def __init__(self, options):
        self.options = options
        self.deadline = time.monotonic() + options.seconds if options.seconds else None
        self.rows, self.failures, self.explained, self.notes = [], [], [], []
        self.known = known_differences()
        # What each program printed stays here until the next run.
        self.records = lab.PROJECT / "build" / "conformance" / "drivers"
        self.records.mkdir(parents=True, exist_ok=True)

    def is_over(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def server(self, server):
        if server == "mysql9" and lab.MySql9.chroot() is None:
            self.notes.append("SKIPPED drivers on mysql9: not installed (tests/support/mysql9.sh)")
            return
        with lab.Lab(f"drivers-{server}") as laboratory:
            programs, skipped = chosen_programs(self.options, laboratory)
            self.notes += [line for line in skipped if line not in self.notes]
            database = driver_lab.start_database(laboratory, server)
            proxy = driver_lab.start_proxy(laboratory, database)
            self._programs(server, programs, database, proxy, laboratory)
            proxy.stop()
            self.failures += proxy.sanitizer_findings()
            laboratory.keep = bool(self.failures)

    def _programs(self, server, programs, database, proxy, laboratory):
        able = modes_of(database, proxy)
        for program in programs:
            if server not in program.servers:
                continue
            for mode in program.modes:
                if not wanted(self.options.only, mode, MODES):
                    continue
                reason = "out of time" if self.is_over() else able[mode]
                if reason != "yes":
                    self.rows.append([f"{server} {program.name} {mode}", "-", "-", "-", reason])
                    continue
                with files_of(program, laboratory) as files:
                    self._compare(server, program, mode, database, proxy, files)

    def _compare(self, server, program, mode, database, proxy, files):
        started = time.monotonic()
        record = self.records / f"{server}-{program.name}-{mode}"
        driver_lab.make_fresh(database)
        direct = observe(program, mode, database.port, files, record.with_suffix(".direct"))
        driver_lab.make_fresh(database)
        through = observe(program, mode, proxy.port, files, record.with_suffix(".through"))
        comparison = Comparison(server, program, mode, self.known)
        comparison.judge(direct, through)
        if not proxy.is_alive():
            comparison.failures.append(
                f"{comparison.key}: the proxy ended with {proxy.returncode}\n{proxy.tail()}")
            proxy.start()
        self.rows.append([comparison.key, comparison.equal + comparison.different,
                          comparison.different, len(comparison.explained),
                          f"{time.monotonic() - started:.0f} s"])
        self.failures += comparison.failures
        self.explained += comparison.explained
        print(f"  {' '.join(map(str, self.rows[-1]))}", flush=True)


@contextlib.contextmanager
def files_of(program, laboratory):
    """The folder of files to load, as the program sees it."""
    if program.files_under is None:
        yield driver_lab.make_files(laboratory.folder / "files")
        return
    with tempfile.TemporaryDirectory(prefix="stockgate-", dir=program.files_under / "srv") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        driver_lab.make_files(folder)
        yield pathlib.Path("/") / folder.relative_to(program.files_under)


def run(options):
    work = Run(options)
    for server in SERVERS:
        if wanted(options.only, server, SERVERS):
            work.server(server)
    print(report.table(["server, driver, mode", "checks", "different", "explained", "time"],
                       sorted(work.rows)))
    for line in work.notes:
        print(line)
    for line in work.explained:
        print(f"  known  {line}")
    options.results["drivers"] = {
        "rows": work.rows, "failures": work.failures, "explained": work.explained,
        "notes": work.notes}
    return report.verdict("drivers", work.failures, options.seed)
