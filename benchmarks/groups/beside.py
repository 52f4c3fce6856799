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
        long_there: SMPI takes a minute: its side is as stored, unless the run is a long one.
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
    """Runs both sides. Simulated times are held beside each other where both make as many calls."""
    ranks, calls, calls_there = context.ranks(pattern.ranks), pattern.calls, pattern.calls_of_smpi
    words = (pattern.pattern, pattern.bytes)
    each = pattern.each * UNITS[pattern.unit]
    mine = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls).told
    name = f"{pattern.pattern} {pattern.bytes:,} B, {ranks:,} ranks{pattern.of and ', ' + pattern.of}"
    theirs, simulated, note = None, None, ""
    there = of_smpi(pattern, ranks, name, context)
    if there is not None:
        theirs = there[0] / calls_there / each
        if calls != calls_there:
            same = ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, calls_there).told
        simulated = (mine if calls == calls_there else same)["simulated"], there[1]
        note = "SMPI's side as stored" if there[2] else ""
    return Row(
        name,
        mine["seconds"] / calls / each,
        pattern.unit,
        smpi=theirs,
        simulated=simulated,
        most=pattern.most,
        least=pattern.least,
        table=pattern.table,
        note=note,
    )


def of_smpi(pattern: Pattern, ranks: int, name: str, context: Context) -> tuple[float, float, bool] | None:
    """SMPI's processor seconds and simulated seconds, and whether they are stored ones; None where it is missing."""
    if context.smpi is None:
        return None
    if pattern.long_there and not context.long and ranks == pattern.ranks:
        stored = context.stored.of_smpi(name)
        if stored is not None:
            return stored[0] * context.calibration, stored[1], True
    there = context.smpi.run(ranks, pattern.program, pattern.pattern, pattern.bytes, pattern.calls_of_smpi).told
    if pattern.long_there:
        context.stored.store_of_smpi(name, there["seconds"] / context.calibration, there["simulated"])
    return there["seconds"], there["simulated"], False
