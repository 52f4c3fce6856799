"""A pattern beside SMPI: what one more call costs, as the difference between a run with many and a run with few."""

from dataclasses import dataclass

from rows import UNITS, Context, Row
from sides import FAT_TREE, ours

__all__ = ["Pattern", "cost", "row"]


@dataclass(frozen=True)
class Pattern:
    """A program of patterns/ on so many ranks.

    Attributes:
        program: its name.
        pattern: the first word of its command line.
        bytes: the second.
        ranks: how many.
        calls: few and many, of ours; the third word.
        calls_of_smpi: the same of SMPI, which takes longer; empty: it does not run.
        unit: of the row.
        each: how many things a call amounts to; the row is of one.
        of: what such a thing is.
        most: the budget, in `unit`.
        least: SMPI's over ours at least.
    """

    program: str
    pattern: str
    bytes: int
    ranks: int
    calls: tuple[int, int]
    calls_of_smpi: tuple[int, int] | tuple[()]
    unit: str = "ms"
    each: int = 1
    of: str = ""
    most: float | None = None
    least: float | None = None


def cost(program: str, words: tuple[str | int, ...], ranks: int, calls: tuple[int, int], *options: str) -> float:
    """Processor seconds of one more call of ours, on the fat tree."""
    few, many = (ours(FAT_TREE, ranks, f"patterns/{program}.py", *words, n, options=options).seconds for n in calls)
    return (many - few) / (calls[1] - calls[0])


def row(pattern: Pattern, context: Context) -> Row:
    """Runs both sides."""
    ranks, unit = context.ranks(pattern.ranks), UNITS[pattern.unit]
    words = (pattern.pattern, pattern.bytes)
    mine = {n: ours(FAT_TREE, ranks, f"patterns/{pattern.program}.py", *words, n) for n in pattern.calls}
    few, many = pattern.calls
    each = pattern.each * unit
    taken = (mine[many].seconds - mine[few].seconds) / (many - few) / each
    theirs, simulated = None, None
    if context.smpi is not None and pattern.calls_of_smpi:
        there = {n: context.smpi.run(ranks, pattern.program, *words, n) for n in pattern.calls_of_smpi}
        few, many = pattern.calls_of_smpi
        theirs = (there[many].seconds - there[few].seconds) / (many - few) / each
        common = max(set(there) & set(mine))
        simulated = mine[common].simulated, there[common].simulated
    name = f"{pattern.pattern} {pattern.bytes:,} B, {ranks:,} ranks{pattern.of and ', ' + pattern.of}"
    return Row(
        name,
        taken,
        pattern.unit,
        smpi=theirs,
        simulated=simulated,
        most=pattern.most,
        least=pattern.least,
    )
