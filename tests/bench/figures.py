"""Rounds, medians, ratios and targets: what every mode of the benchmark has in common."""

import statistics


class MeasureError(RuntimeError):
    """Something could not be measured, or a result was wrong."""


class Outcome:
    """What a mode found: ratios by name, what is wanted of them, and what went wrong."""

    def __init__(self, mode):
        self.mode = mode
        self.ratios = {}
        self.wanted = {}
        self.failures = []
        self.skipped = []
        self.notes = []
        self.samples = {}

    def add(self, name, value, at_least=None, at_most=None, below=None):
        """A figure, and the target for it where there is one."""
        name = f"{self.mode}.{name}"
        self.ratios[name] = value
        for sign, limit in ((">=", at_least), ("<=", at_most), ("<", below)):
            if limit is not None:
                self.wanted[name] = (sign, limit)

    def is_met(self, name):
        sign, limit = self.wanted[name]
        value = self.ratios[name]
        return {">=": value >= limit, "<=": value <= limit, "<": value < limit}[sign]

    def missed(self):
        return [name for name in self.wanted if not self.is_met(name)]

    def verdict(self):
        met = [name for name in self.wanted if self.is_met(name)]
        missed = [f"{name} {self.ratios[name]:.3f} ({self.wanted[name][0]} {self.wanted[name][1]})"
                  for name in self.missed()]
        return (f"verdict {self.mode}: {len(met)} of {len(self.wanted)} targets met; "
                f"met: {', '.join(met) or 'none'}; missed: {', '.join(missed) or 'none'}")


def interleave(targets, rounds, seed, measure):
    """Measures every target once in each round, each round beginning with another one, so that
    what else the machine does meets all of them. Returns {name: [sample of each round]}."""
    samples = {target.name: [] for target in targets}
    for number in range(rounds):
        first = (seed + number) % len(targets)
        for target in [*targets[first:], *targets[:first]]:
            samples[target.name].append(measure(target, number))
    return samples


def median(samples, key):
    return statistics.median(sample[key] for sample in samples)


def text_of_median(samples, key, form):
    """For a table; figures of a process are missing where there is none in between."""
    return form.format(median(samples, key)) if key in samples[0] else "-"


def ratio(ours, theirs, key):
    """Median of the ratios within a round: neighbours in time are compared, not averages of it."""
    return statistics.median(
        mine[key] / other[key] for mine, other in zip(ours, theirs, strict=True))


def spread(samples, key):
    """Lowest and highest of a figure, as text."""
    values = [sample[key] for sample in samples]
    return f"{min(values):.0f}-{max(values):.0f}"
