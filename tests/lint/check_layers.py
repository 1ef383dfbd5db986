#!/usr/bin/python3
"""Which folder may include which, and where each third-party library lives."""

import re

import sources

# Folder: what its files may include besides themselves, as prefixes. Dependencies point down:
# pure folders know nothing of sockets, I/O folders nothing of who decides when.
LAYERS = {
    "protocol": [],
    "rewrite": [],
    "config": [],
    "proxy/runtime": [],
    "proxy/net": ["proxy/runtime", "protocol", "config"],
    "proxy/sql": ["proxy/runtime", "config"],
    "proxy/gate": ["proxy/runtime", "config", "proxy/ledger/request_id.hpp",
                   "proxy/ledger/sku_id.hpp", "lua/scripts.hpp"],
    "proxy/ledger": ["proxy/runtime", "proxy/gate", "proxy/sql", "config", "rewrite"],
    "proxy/session": ["proxy/runtime", "proxy/net", "proxy/gate", "proxy/ledger", "proxy/sql",
                      "protocol", "rewrite", "config"],
    "proxy/services": ["proxy/runtime", "proxy/gate", "proxy/ledger", "proxy/sql", "config",
                       "proxy/session/ports.hpp"],
    "proxy/admin": ["proxy/runtime", "proxy/ledger", "config"],
    # Commands and the wiring of everything.
    "proxy/app": ["proxy", "protocol", "rewrite", "config"],
    "proxy/cli": ["proxy", "protocol", "rewrite", "config"],
    "proxy": ["proxy", "protocol", "rewrite", "config"],
}

# Pure code: no sockets, no threads, no clock, no third party beyond error codes.
PURE = ("protocol", "rewrite", "config")
PURE_FORBIDDEN = re.compile(
    r"<(boost/(?!system/)|spdlog|mysql|hiredis|prometheus|openssl|sys/(?!stat)|netinet/|poll|thread|mutex|"
    r"future|condition_variable)")

# What may be seen in one place only: pattern in the code, files that may have it (prefixes).
HOMES = [
    (r"#include <hiredis", ["proxy/gate/resp"]),
    (r"#include <(mysql|mariadb)[/.]|#include <mysql\.h>", ["proxy/sql/sql_link.cpp"]),
    (r"#include <yaml-cpp", ["config/"]),
    (r"#include <(zlib|zstd)", ["protocol/codec.cpp"]),
    (r"#include <boost/beast", ["proxy/admin/", "proxy/runtime/asio_impl.cpp"]),
    (r"#include <prometheus/", ["proxy/admin/"]),
    (r"#include <CLI/", ["proxy/cli/", "proxy/main.cpp"]),
    (r"\bco_spawn\b", ["proxy/runtime/spawn.cpp"]),
    (r"\bstd::j?thread\b(?!::)", ["proxy/runtime/"]),
    (r"#include <regex>", []),
    (r"#include <boost/asio\.hpp>", []),
]

FORBIDDEN_FOLDERS = {"utils", "util", "common", "helpers", "misc"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def folder_of(name):
    parts = name.split("/")
    if parts[0] == "proxy" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def may_include(name, included):
    folder = folder_of(name)
    if folder not in LAYERS:
        return False
    allowed = [folder, *LAYERS[folder]]
    return any(included == prefix or included.startswith(prefix + "/") for prefix in allowed)


def find_cycle(graph):
    """One cycle of includes as a list of names, or None."""
    state = {}

    def visit(name, trail):
        state[name] = "open"
        for included in graph.get(name, ()):
            if state.get(included) == "open":
                return [*trail[trail.index(included):], included]
            if included not in state:
                cycle = visit(included, [*trail, included])
                if cycle:
                    return cycle
        state[name] = "done"
        return None

    for name in graph:
        if name not in state:
            cycle = visit(name, [name])
            if cycle:
                return cycle
    return None


def main():
    problems, graph, checked = [], {}, 0
    for path in sources.cpp_files(sources.PRODUCT_FOLDERS):
        checked += 1
        name = sources.name_of(path)
        text = path.read_text()
        graph[name] = INCLUDE.findall(text)
        for included in graph[name]:
            if not may_include(name, included):
                problems.append(f"{name}: {folder_of(name)} may not include {included}")
        if folder_of(name) in PURE:
            for match in PURE_FORBIDDEN.finditer(text):
                problems.append(f"{name}: pure folders may not include {match.group()}")
        code = sources.code_only(text)
        for pattern, homes in HOMES:
            if any(name.startswith(home) for home in homes):
                continue
            for match in re.finditer(pattern, code):
                problems.append(f"{name}:{sources.line_at(code, match.start())}: "
                                f"{match.group()} belongs into {homes or 'no file at all'}")
    cycle = find_cycle(graph)
    if cycle:
        problems.append("includes in a circle: " + " -> ".join(cycle))
    for path in sources.all_files():
        for part in sources.name_of(path).split("/")[:-1]:
            if part in FORBIDDEN_FOLDERS:
                problems.append(f"{sources.name_of(path)}: no folder named {part}; a helper lives "
                                "with its user")
    sources.finish(problems, checked)


if __name__ == "__main__":
    main()
