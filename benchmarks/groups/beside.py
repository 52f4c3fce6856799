"""Comparison of a pattern with SMPI: the cost of a call in processor time, as measured by the program itself."""

from dataclasses import dataclass

from rows import UNITS, Context, Row
from sides import EXACT, FAT_TREE, ours

__all__ = ["Pattern", "row"]


@dataclass(frozen=True)
class Pattern:
    """Program of patterns/ with its ranks and arguments.

    Attributes:
        program: name of the program.
        pattern: first argument.
        bytes: second argument.
        ranks: number of ranks.
        calls: third argument under pysmpi.
        calls_of_smpi: third argument under SMPI, which takes longer.
        unit: unit of the row.
        each: number of operations per call; the row is about one operation.
        of: description of an operation.
        most: budget, in `unit`.
        least: least ratio of SMPI's cost to ours.
        table: budget of the project that the row belongs to.
        long_there: whether SMPI takes a minute, so that only long runs include it.
    """

    program: str
    pattern: str
    bytes: int
    ranks: int
    calls: int
    calls_of_smpi: int
    unit: str = "ms"
    each: int = 1
    of: str = ""
    most: float | None = None
    least: float | None = None
    table: str = ""
    long_there: bool = False


def row(pattern: Pattern, context: Context) -> Row:
    """Run both sides and return the row. Simulated times are compared if both make equally many calls.

    Our side also runs once with exact sharing.
    """
    ranks, calls, calls_there = context.ranks(pattern.ranks), pattern.calls, pattern.calls_of_smpi
    words = (pattern.pattern, pattern.bytes)
    each = pattern.each * UNITS[pattern.unit]
    mine = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls).told
    exact = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls, options=EXACT).told
    theirs, simulated, note = None, None, ""
    if pattern.long_there and not context.long:
        note = "SMPI takes a minute: --long"
    elif context.smpi is not None:
        there = context.smpi.run(ranks, pattern.program, *words, calls_there).told
        theirs = there["seconds"] / calls_there / each
        if calls != calls_there:
            same = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls_there).told
        simulated = (mine if calls == calls_there else same)["simulated"], there["simulated"]
    return Row(
        f"{pattern.pattern} {pattern.bytes:,} B, {ranks:,} ranks{pattern.of and ', ' + pattern.of}",
        mine["seconds"] / calls / each,
        pattern.unit,
        smpi=theirs,
        exact=exact["seconds"] / calls / each,
        simulated=simulated,
        most=pattern.most,
        least=pattern.least,
        table=pattern.table,
        note=note,
    )
