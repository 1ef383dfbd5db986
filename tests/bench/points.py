"""Part `points`: one row by its primary key, in the text protocol, on few and many connections."""

import figures
import load
import report

QPS_VERSUS_HAPROXY = {1: 1.0}  # any other number of connections: 1.1
CPU_VERSUS_HAPROXY = 0.85
QPS_VERSUS_ROUTER = 1.1


def measure(world, options, outcome):
    for connections in options.connections:
        samples = figures.interleave(
            world.targets, options.rounds, options.seed,
            lambda target, number: load.run(
                target, "oltp_point_select", connections, options.seconds, options.seed + number,
                f"--tables={load.TABLES}", f"--table-size={load.ROWS}"))
        outcome.samples[f"points.{connections}"] = samples
        _print(connections, samples)
        _add_ratios(connections, samples, outcome)


def _print(connections, samples):
    rows = []
    for name, of_target in samples.items():
        rows.append([
            name, f"{figures.median(of_target, 'per_second'):.0f}",
            figures.spread(of_target, "per_second"),
            f"{figures.median(of_target, 'p50_ms'):.2f}",
            f"{figures.median(of_target, 'p99_ms'):.2f}",
            figures.text_of_median(of_target, "cpu_us", "{:.1f}")])
    title = f"point selects, {connections} connection{'s' if connections > 1 else ''}"
    print(f"\n{title}\n" + report.table(
        ["", "queries/s", "of the rounds", "p50 ms", "p99 ms", "CPU us/query"], rows), flush=True)


def _add_ratios(connections, samples, outcome):
    ours = samples["stockgate"]
    for peer in ("haproxy", "router"):
        if peer not in samples:
            continue
        is_haproxy = peer == "haproxy"
        qps = QPS_VERSUS_HAPROXY.get(connections, 1.1) if is_haproxy else QPS_VERSUS_ROUTER
        outcome.add(f"{peer}.qps.{connections}", figures.ratio(ours, samples[peer], "per_second"),
                    at_least=qps)
        outcome.add(f"{peer}.cpu.{connections}", figures.ratio(ours, samples[peer], "cpu_us"),
                    at_most=CPU_VERSUS_HAPROXY if is_haproxy else None)
