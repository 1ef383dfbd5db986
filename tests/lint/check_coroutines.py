#!/usr/bin/python3
"""Coroutine shapes that g++ 12 compiles into double frees. All of proxy/ must avoid them:

1. a capturing lambda that is a coroutine,
2. an aggregate temporary in an expression with co_await,
3. a braced list in such an expression,
4. a task that is made inside the call of spawn instead of before it,
5. co_await in the condition of an if, while, for or switch.
"""

import re

import sources

CAPTURING_COROUTINE = re.compile(
    r"\[[^\[\]]+\]\s*(?:\([^()]*\)\s*)?(?:mutable\s*)?(?:noexcept\s*)?->\s*(?:\w+::)*"
    r"(?:awaitable|Task)\b")
AGGREGATE = re.compile(r"[(,]\s*(?:\w+::)*[A-Za-z_]\w*(?:<[^<>;]*>)?\s*\{")
BRACED_LIST = re.compile(r"[(,]\s*\{")
CONDITION = re.compile(r"\b(?:if|while|for|switch)\s*\(")
SPAWN = re.compile(r"(?<![\w.>:])(?:proxy::)?(?:runtime::)?spawn\(")
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def expression_after(code, start):
    """From start to the end of the expression: a semicolon or a closer that it did not open."""
    depth = 0
    for offset in range(start, len(code)):
        letter = code[offset]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth < 0:
                return code[start:offset]
        elif letter == ";" and depth == 0:
            return code[start:offset]
    return code[start:]


def arguments(inside):
    """Splits the inside of a call at its own commas."""
    parts, depth, last = [], 0, 0
    for offset, letter in enumerate(inside):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[last:offset].strip())
            last = offset + 1
    parts.append(inside[last:].strip())
    return parts


def is_lambda_body(expression, brace):
    """A brace that opens the body of a (non-coroutine) lambda, as in `[this] {`."""
    return expression[:brace].rstrip().endswith(("]", ")", "mutable", "noexcept"))


def check(name, code):
    problems = []

    def report(offset, text):
        problems.append(f"{name}:{sources.line_at(code, offset)}: {text}")

    for match in CAPTURING_COROUTINE.finditer(code):
        report(match.start(), "rule 1: a capturing coroutine lambda; use a named function")
    for match in re.finditer(r"\bco_await\b", code):
        expression = expression_after(code, match.end())
        for shape, rule in ((AGGREGATE, "rule 2: aggregate temporary beside co_await"),
                            (BRACED_LIST, "rule 3: braced list beside co_await")):
            for found in shape.finditer(expression):
                if not is_lambda_body(expression, found.end() - 1):
                    report(match.end() + found.start(), f"{rule}; name it on the line above")
    for match in CONDITION.finditer(code):
        if re.search(r"\bco_await\b", expression_after(code, match.end())):
            report(match.start(), "rule 5: co_await in a condition; take its value on a line above")
    if not name.startswith("proxy/runtime/spawn."):
        for match in SPAWN.finditer(code):
            task = arguments(expression_after(code, match.end()))[-1]
            if not task.startswith("std::move("):
                report(match.start(), "rule 4: make the task first, then spawn(.., std::move(task))")
    return problems


def self_test():
    """The check must see what it is for."""
    bad = [
        "auto f = [x]() -> awaitable<void> { co_return; };",
        "co_await run(Options{.a = 1});",
        "co_await (run(Options{}) || wait());",
        "co_await run({1, 2});",
        "co_await run(std::vector<int>{1});",
        'spawn(executor, "a", run());',
        "if (!co_await run(a)) co_return Reply{};",
        "while (co_await run(a)) {}",
    ]
    good = [
        "auto f = []() -> awaitable<void> { co_return; };",
        "auto options = Options{.a = 1}; co_await run(options);",
        "if (ok) co_return Reply{};",
        "if (ok) co_await run(a);",
        "co_await run(std::string(text), [this] { return done_; });",
        'auto task = run(); spawn(executor, "a", std::move(task));',
    ]
    for text in bad:
        assert check("x.cpp", text), text
    for text in good:
        assert not check("x.cpp", text), (text, check("x.cpp", text))


def main():
    self_test()
    problems, checked = [], 0
    for path in sources.cpp_files(("proxy", "tests")):
        checked += 1
        problems += check(sources.name_of(path), sources.code_only(path.read_text()))
    sources.finish(problems, checked)


if __name__ == "__main__":
    main()
