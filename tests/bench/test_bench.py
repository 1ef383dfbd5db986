#!/usr/bin/python3
"""The arithmetic of the benchmarks, and reading what sysbench prints. No servers."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE.parent / "support", HERE):
    sys.path.insert(0, str(folder))

import figures  # noqa: E402
import load  # noqa: E402
import peers  # noqa: E402
import procfs  # noqa: E402

PRINTED = """
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.050 |*******************************          90
       0.100 |**                                       9
       7.000 |                                         1

SQL statistics:
    queries performed:
        read:                            100
    transactions:                        100    (1234.50 per sec.)
    queries:                             100    (1234.50 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          1.0000s
    total number of events:              100
"""


class Sysbench(unittest.TestCase):
    def test_figures(self):
        found = load.parse(PRINTED)
        self.assertEqual(found["events"], 100)
        self.assertEqual(found["per_second"], 1234.5)
        self.assertEqual(found["p50_ms"], 0.05)
        self.assertEqual(found["p99_ms"], 0.1)

    def test_errors_are_no_figures(self):
        for good, bad in (("ignored errors:                      0", "ignored errors:    1"),
                          ("reconnects:                          0", "reconnects:    3"),
                          ("events:              100", "events:   101"),
                          ("General", "FATAL: lost\nGeneral")):
            with self.assertRaises(figures.MeasureError):
                load.parse(PRINTED.replace(good, bad))


class Rounds(unittest.TestCase):
    def test_every_target_once_in_each_round_and_each_first(self):
        targets = [peers.Target(name, 0) for name in "abc"]
        order = []
        figures.interleave(targets, 3, 1, lambda target, number: order.append(target.name))
        self.assertEqual("".join(order), "bca" "cab" "abc")

    def test_ratio_is_of_neighbours(self):
        ours = [{"x": 10.0}, {"x": 200.0}, {"x": 30.0}]
        theirs = [{"x": 5.0}, {"x": 100.0}, {"x": 10.0}]
        self.assertEqual(figures.ratio(ours, theirs, "x"), 2.0)


class Targets(unittest.TestCase):
    def test_verdict(self):
        outcome = figures.Outcome("mode")
        outcome.add("fast", 1.0, at_least=1.0)
        outcome.add("big", 8.0, below=8)
        outcome.add("other", 3.0)
        self.assertEqual(outcome.missed(), ["mode.big"])
        self.assertIn("1 of 2 targets met; met: mode.fast; missed: mode.big 8.000 (< 8)",
                      outcome.verdict())


class Processes(unittest.TestCase):
    def test_cpu_time_grows(self):
        before = procfs.cpu_seconds("self")
        while procfs.cpu_seconds("self") < before + 0.02:
            pass

    def test_peak_is_seen(self):
        procfs.reset_peak("self")
        before = procfs.peak_resident_kib("self")
        block = bytearray(32 << 20)
        self.assertGreater(procfs.peak_resident_kib("self"), before + len(block) // 2048)


if __name__ == "__main__":
    unittest.main()
