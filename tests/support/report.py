"""Tables and verdict lines, the same for every command that people read."""

import json
import pathlib


def table(headers, rows):
    """A text table: first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in [headers, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headers))]
    lines = []
    for number, row in enumerate(cells):
        parts = [row[0].ljust(widths[0])]
        parts += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  " + "   ".join(parts).rstrip())
        if number == 0:
            lines.append("  " + "   ".join("-" * width for width in widths))
    return "\n".join(lines)


def verdict(name, failures, seed=None):
    """Prints the failures and the verdict line; returns the exit code."""
    for failure in failures:
        print(f"  FAIL  {failure}")
    tail = "" if seed is None else f" (seed {seed})"
    print(f"{name}: {'FAIL' if failures else 'PASS'}{tail}", flush=True)
    return 1 if failures else 0


def write_json(path, data):
    if path:
        pathlib.Path(path).write_text(json.dumps(data, indent=2, default=str) + "\n")
