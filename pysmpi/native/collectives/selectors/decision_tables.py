"""Generator of the decision tables of MPI libraries in C++, which the selectors search (table.hpp).

Usage: decision_tables.py OUTPUT.hpp LIBRARY.json... (run by the build).

Each file contains the tables of a library, by operation. A table is a list of conditions: on the ranks per node, if the
table distinguishes them, in it lists on the number of ranks, and in these, lists on bytes. The first condition that
holds applies; "any" always holds. The last lists contain the numbers of algorithms. A number in the place of a list
applies to all values. For example,

    {"ranks<4": {"<32": 3, "any": 5}, "any": 7}

gives algorithm 3 to messages of less than 32 bytes on less than 4 ranks, 5 to longer ones, and 7 to all messages on
more ranks.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HEAD = """// Written by decision_tables.py; do not edit.
#pragma once

#include "collectives/selectors/table.hpp"
"""


def cases(value: Any) -> list[tuple[str, Any]]:
    """Return the conditions of a list, each with the value that it leads to."""
    conditions = value if isinstance(value, dict) else {"any": value}
    if list(conditions)[-1] != "any":
        raise ValueError(f"{json.dumps(value)[:80]}: the last condition must be 'any'")
    return list(conditions.items())


def end(condition: str, name: str) -> str:
    """Return the lowest value for which "NAME<NUMBER" or "NAME<=NUMBER" does not hold, as a C++ expression."""
    if condition == "any":
        return "kAny"
    match = re.fullmatch(rf"{name}<(=?)(\d+)", condition)
    if match is None:
        raise ValueError(f"{condition!r} is not a valid condition; write it as '{name}<8' or '{name}<=8'")
    return str(int(match[2]) + len(match[1]))


def rows(table: Any) -> Iterator[tuple[str, str, list[tuple[str, int]]]]:
    """Yield ranks per node (0 for any), end of the number of ranks, and the rules: ends of bytes with algorithms."""
    by_node = isinstance(table, dict) and any(condition.startswith("ranks_per_node=") for condition in table)
    for node, part in cases(table) if by_node else [("any", table)]:
        for ranks, rules in cases(part):
            per_node = "0" if node == "any" else node.removeprefix("ranks_per_node=")
            yield per_node, end(ranks, "ranks"), [(end(size, ""), number) for size, number in cases(rules)]


def in_cpp(name: str, table: Any) -> str:
    """Return the definition of a table: all rules, and rows that point to their first rule."""
    constant = "k" + name.title().replace("_", "")
    table_rows: list[str] = []
    table_rules: list[str] = []
    for per_node, ranks, rules in rows(table):
        table_rows.append(f"{{{per_node}, {ranks}, {constant}Rules + {len(table_rules)}}}")
        table_rules += [f"{{{size}, {number}}}" for size, number in rules]
    return (
        f"inline constexpr DecisionRule {constant}Rules[] = {{{', '.join(table_rules)}}};\n"
        f"inline constexpr DecisionRow {constant}[] = {{{', '.join(table_rows)}}};\n"
    )


def main() -> None:
    """Write the header."""
    output, *libraries = map(Path, sys.argv[1:])
    text = HEAD
    for library in libraries:
        tables = json.loads(library.read_text())["tables"]
        definitions = "".join(in_cpp(name, table) for name, table in tables.items())
        text += f"\nnamespace pysmpi::{library.stem} {{\n{definitions}}}\n"
    output.write_text(text)


if __name__ == "__main__":
    main()
