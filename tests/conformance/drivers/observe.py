"""What the Python programs print: one observation a line, name, tab, value."""

import hashlib
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
MODE = os.environ.get("STOCKGATE_CONFORMANCE_MODE", "plain")
CHECKS = [name for name in os.environ.get("STOCKGATE_CONFORMANCE_CHECKS", "").split(",") if name]
FILES = pathlib.Path(os.environ.get("STOCKGATE_CONFORMANCE_FILES", "."))
BLOB = bytes(range(256)) * (20 * 1024 * 4)  # 20 MB
STREAM = ("SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, t_thousand b "
          "WHERE a.i <= 200 ORDER BY 1")


def statements():
    for line in (HERE / "statements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line


def show(value):
    """One line, whatever the value is; long ones as their length and digest."""
    if isinstance(value, (bytearray, memoryview)):
        value = bytes(value)
    text = value if isinstance(value, str) else repr(value)
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    if len(text) <= 1500:
        return text
    digest = hashlib.sha1(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:60]}.. {len(text)} letters, sha1 {digest}"


def digest(data):
    return f"{len(data)} bytes, sha1 {hashlib.sha1(data).hexdigest()}"


def observe(name, value):
    print(f"{name}\t{show(value)}", flush=True)



def run(checks):
    """Runs generators of (name, value). What one did not expect is marked, and fails the suite."""
    for check in checks:
        name = check.__name__.removeprefix("check_")
        if CHECKS and name not in CHECKS:
            continue
        try:
            for part, value in check():
                observe(f"{name}.{part}", value)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the observation
            observe(f"{name}.end", f"UNEXPECTED {type(error).__name__} {error.args}")
