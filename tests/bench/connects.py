"""Part `connect`: a new connection, SELECT 1, close."""

import figures
import load
import peers
import report

THREADS = 4
EVENTS = 2000
EVENTS_QUICK = 1000
SECONDS_MAX = 60
CPU_VERSUS_HAPROXY = 1.1


def measure(world, options, outcome):
    events = EVENTS_QUICK if options.quick else EVENTS
    samples = figures.interleave(
        world.targets, options.rounds, options.seed,
        lambda target, number: load.run(
            target, peers.script("connect"), THREADS, SECONDS_MAX, options.seed + number,
            f"--events={events}"))
    outcome.samples["connect"] = samples
    rows = []
    for name, of_target in samples.items():
        rows.append([
            name, f"{figures.median(of_target, 'per_second'):.0f}",
            figures.spread(of_target, "per_second"),
            f"{figures.median(of_target, 'p99_ms'):.2f}",
            figures.text_of_median(of_target, "cpu_us", "{:.0f}")])
    print(f"\nconnect, SELECT 1, close, {THREADS} at a time\n" + report.table(
        ["", "connections/s", "of the rounds", "p99 ms", "CPU us/connection"], rows), flush=True)
    for peer, limit in (("haproxy", CPU_VERSUS_HAPROXY), ("router", None)):
        if peer in samples:
            outcome.add(f"{peer}.connect.cpu",
                        figures.ratio(samples["stockgate"], samples[peer], "cpu_us"), at_most=limit)
