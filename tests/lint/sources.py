"""The files that the style checks look at, and how they report."""

import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT_FOLDERS = ("protocol", "rewrite", "config", "proxy")
SKIPPED_FOLDERS = {".git", "build", "run", "node_modules", "__pycache__"}


def all_files():
    """Every file of the project, without what is built or generated."""
    pending = [PROJECT]
    while pending:
        for entry in sorted(pending.pop().iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                if entry.name not in SKIPPED_FOLDERS:
                    pending.append(entry)
            elif entry.is_file():
                yield entry


def name_of(path):
    return path.relative_to(PROJECT).as_posix()


def cpp_files(folders=(*PRODUCT_FOLDERS, "tests")):
    for path in all_files():
        if path.suffix in (".cpp", ".hpp") and name_of(path).split("/")[0] in folders:
            yield path


_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",
    re.DOTALL)


def code_only(text):
    """The text with comments and literals blanked out; line numbers and columns stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return _TOKENS.sub(blank, text)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(problems, checked):
    for problem in problems:
        print(problem)
    print(f"{checked} files checked, {len(problems)} problems")
    sys.exit(1 if problems else 0)
