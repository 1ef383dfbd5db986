"""The vendors' mysql-test-run.pl, which starts and restarts its own server as each test wants.

Only mysqltest, the client that runs the tests, is sent elsewhere: directly to that server's port,
or to a proxy in front of it. Both runs are otherwise the same, and both over TCP."""

import re
import time

import comparison

CHUNK_MAX = 100
CHUNK_MAX_BOUNDED = 40
CHUNK_FIRST = 8
TEST_MINUTES_MAX = 5
CHUNK_SECONDS_MAX = 3 * 3600
SPENT = re.compile(r"^Spent ([\d.]+) of [\d.]+ seconds executing testcases", re.MULTILINE)

VERDICT = re.compile(
    r"^(?:worker\[\d+\] )?(?:\[ *\d+%\] )?(?P<test>[a-zA-Z_0-9-]+\.[^ ]+(?: '[^']*')*)(?: w\d+)?"
    r" +\[ (?P<verdict>[a-z-]+) \]", re.MULTILINE)

# The harness calls the same program for its own work, with a group suffix: that stays on the
# server. MASTER_MYPORT is the port that tests name in their connections and blot out of messages;
# the other variables are the command lines of client programs that tests run.
WRAPPER = """#!/bin/sh
case " $* " in *" --defaults-group-suffix"*) exec {program} "$@" ;; esac
there="--protocol=tcp --host=127.0.0.1 --port={port}"
for name in MYSQL MYSQL_BINLOG MYSQL_CHECK MYSQL_DUMP MYSQL_IMPORT MYSQL_SHOW MYSQL_SLAP; do
    eval "old=\\${{$name:-}}"
    [ -z "$old" ] || export "$name=$old $there"
done
MASTER_MYPORT={port}
export MASTER_MYPORT
exec {program} "$@" $there
"""


class _Backend:
    """The harness's server, as the proxy's configuration needs it."""

    def __init__(self, port):
        self.port = port


class TestRun:
    """One list of tests with one set of options for the harness."""

    def __init__(self, vendor, laboratory, name, arguments):
        self._vendor = vendor
        self._laboratory = laboratory
        self._arguments = arguments
        self.part = comparison.Part(name)
        self._build_thread, self._port = vendor.build_thread()
        self._folder = vendor.scratch(laboratory, name)
        self._chunk = 0
        self._testing = 0.0  # seconds of the tests themselves, without the harness's start
        self._proxy = laboratory.proxy(
            _Backend(self._port), None, [], name=f"stockgate-{name}",
            ledger={"user": "", "password": ""}, **vendor.proxy_sections())
        self._proxy.binary = comparison.own_binary(laboratory)
        self._proxy.start()

    def _run(self, tests, way, port):
        wrapper = self._folder / f"mysqltest-{way}"
        outside = self._vendor.outside(wrapper)
        outside.write_text(WRAPPER.format(program=self._vendor.test_program, port=port))
        outside.chmod(0o755)
        files = self._folder / f"var-{way}"
        # The harness writes there before it has made it.
        (self._vendor.outside(files) / "log").mkdir(parents=True, exist_ok=True)
        process = self._laboratory.spawn(
            f"{self.part.name}-{self._chunk}-{way}",
            self._vendor.command(
                ["env", f"MTR_BUILD_THREAD={self._build_thread}",
                 f"MTR_PORT_GROUP_SIZE={self._vendor.port_step}", f"MYSQL_TEST={wrapper}", "perl",
                 self._vendor.harness, f"--vardir={files}", "--force", "--max-test-fail=0",
                 "--retry=0", f"--testcase-timeout={TEST_MINUTES_MAX}", "--suite-timeout=600",
                 *self._vendor.harness_options, *self._arguments, *tests],
                self._vendor.folder))
        process.wait(CHUNK_SECONDS_MAX)
        text = process.log.read_text(errors="replace")
        verdicts = {found["test"]: found["verdict"] for found in VERDICT.finditer(text)
                    if not found["test"].startswith("shutdown_report")}
        self._testing += sum(float(spent) for spent in SPENT.findall(text))
        if not verdicts:
            self.part.failures.append(f"the harness ran nothing, see {process.log}")
        return verdicts

    def _both(self, tests):
        self._chunk += 1
        direct = self._run(tests, "direct", self._port)
        proxied = self._run(tests, "proxied", self._proxy.port)
        return comparison.pair(direct, proxied)

    def _again(self):
        """Runs once more what differed. Names of combinations are run as their test."""
        names = list(dict.fromkeys(one.test.split(" ")[0] for one in self.part.different()))
        if names:
            print(f"  {self.part.name}: once more: {' '.join(names)}", flush=True)
            self.part.settle(self._both(names))

    def compare(self, tests, seconds):
        started = time.monotonic()
        done, size = 0, CHUNK_MAX if seconds is None else CHUNK_FIRST
        while done < len(tests):
            chunk = tests[done:done + size]
            begin, before = time.monotonic(), self._testing
            self.part.add(self._both(chunk))
            done += len(chunk)
            now = time.monotonic()
            print(f"  {self.part.name}: {done} of {len(tests)}, {len(self.part.different())} "
                  f"different, {now - started:.0f} s", flush=True)
            if self.part.failures:
                break
            if seconds is not None:
                testing = self._testing - before
                start = now - begin - testing
                fits = int((started + seconds - now - start) / max(testing / len(chunk), 0.1) * 0.7)
                if fits < 1:
                    break
                size = min(fits, CHUNK_MAX_BOUNDED)
        self._again()
        comparison.check_proxy(self._proxy, self.part)
        return self.part
