"""A pattern beside SMPI: what a call costs, in the processor time that the program itself sees pass."""

from dataclasses import dataclass

from rows import UNITS, Context, Row
from sides import FAT_TREE, ours

__all__ = ["Pattern", "row"]


@dataclass(frozen=True)
class Pattern:
    """A program of patterns/ on so many ranks.

    Attributes:
        program: its name.
        pattern: the first word of its command line.
        bytes: the second.
        ranks: how many.
        calls: the third, of ours.
        calls_of_smpi: the same of SMPI, which takes longer.
        unit: of the row.
        each: how many things a call amounts to; the row is of one.
        of: what such a thing is.
        most: the budget, in `unit`.
        least: SMPI's over ours at least.
        table: the project's budget that it is part of.
        long_there: SMPI takes a minute, which only long runs give it.
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
    """Run both sides. Simulated times are held beside each other where both make as many calls."""
    ranks, calls, calls_there = context.ranks(pattern.ranks), pattern.calls, pattern.calls_of_smpi
    words = (pattern.pattern, pattern.bytes)
    each = pattern.each * UNITS[pattern.unit]
    mine = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls).told
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
        simulated=simulated,
        most=pattern.most,
        least=pattern.least,
        table=pattern.table,
        note=note,
    )
