#!/usr/bin/python3
"""No path of one particular machine in any file of the project."""

import sources

# Split, so that this file does not contain them.
FORBIDDEN = ["/wo" + "rk/", "/ro" + "ot/"]


def main():
    problems, checked = [], 0
    for path in sources.all_files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        checked += 1
        for number, line in enumerate(text.splitlines(), 1):
            for word in FORBIDDEN:
                if word in line:
                    problems.append(f"{sources.name_of(path)}:{number}: contains {word}")
    sources.finish(problems, checked)


if __name__ == "__main__":
    main()
