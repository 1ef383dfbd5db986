#!/usr/bin/python3
"""clang-format would change nothing. Skipped (exit code 77) where it is not installed."""

import shutil
import subprocess
import sys

import sources

SKIPPED = 77


def main():
    binary = shutil.which("clang-format")
    if binary is None:
        print("clang-format is not installed: skipped")
        sys.exit(SKIPPED)
    files = [str(path) for path in sources.cpp_files()]
    result = subprocess.run([binary, "--dry-run", "-Werror", "--style=file", *files],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout, end="")
    print(f"{len(files)} files checked")
    sys.exit(1 if result.returncode else 0)


if __name__ == "__main__":
    main()
