#!/usr/bin/python3
"""Limits on the size of C++ files: lines, columns, and lines of one function."""

import re

import sources

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
# In formatted code a function's body opens at the end of a line that starts in column one (or at
# the `) {` of a broken signature) and closes with a brace in column one.
NOT_A_FUNCTION = re.compile(r"^(namespace|class|struct|enum|union|extern)\b|=\s*\{$")


def function_sizes(lines):
    """(first line, number of lines) of every function at namespace level."""
    opened = None
    for number, line in enumerate(lines, 1):
        if opened is None:
            starts = bool(line) and not line[0].isspace() and line.endswith("{")
            if starts and not NOT_A_FUNCTION.search(line):
                opened = number
        elif line.startswith("}"):
            yield opened, number - opened + 1
            opened = None


def main():
    problems, checked = [], 0
    for path in sources.cpp_files((*sources.PRODUCT_FOLDERS, "tests")):
        checked += 1
        name = sources.name_of(path)
        lines = path.read_text().splitlines()
        is_product = name.split("/")[0] in sources.PRODUCT_FOLDERS
        if is_product and len(lines) > FILE_LINES_MAX:
            problems.append(f"{name}: {len(lines)} lines, at most {FILE_LINES_MAX}")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX and is_product:
                problems.append(f"{name}:{number}: {len(line)} columns, at most {COLUMNS_MAX}")
        if is_product:
            for first, size in function_sizes(lines):
                if size > FUNCTION_LINES_MAX:
                    problems.append(f"{name}:{first}: a function of {size} lines, at most "
                                    f"{FUNCTION_LINES_MAX}")
    sources.finish(problems, checked)


if __name__ == "__main__":
    main()
