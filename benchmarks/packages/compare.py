"""Comparison of a run under pysmpirun with the same run under a real MPI."""

import math
import re

from corpus import Program
from runs import Run

__all__ = ["lines", "verdict"]

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def lines(text: str, program: Program) -> list[str]:
    """Return the compared lines of an output, sorted; the program's row says which text to keep and to drop."""
    if program.drop:
        text = re.sub(program.drop, "", text)
    found = (line.rstrip() for line in text.splitlines())
    return sorted(line for line in found if line and re.search(program.keep, line))


def _close(one: str, other: str, tolerance: float) -> bool:
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=tolerance) for a, b in pairs)


def _difference(here: list[str], there: list[str], tolerance: float) -> str:
    for one, other in zip(here, there, strict=False):
        if one != other and not (tolerance and _close(one, other, tolerance)):
            return f"prints {one!r:.80}, not {other!r:.80}"
    return "" if len(here) == len(there) else f"prints {len(here)} lines, not {len(there)}"


def verdict(program: Program, here: Run, there: Run) -> tuple[str, str]:
    """Return the verdict on a program and its cause in one line.

    Args:
        program: row of the table.
        here: run under pysmpirun.
        there: run under MPICH.

    Returns:
        "same": exit status and output are those under MPICH, or the exit status alone where the row says so.
        "runs": ends with status 0, although it does not under MPICH.
        "differs": ends with status 0 as under MPICH, and prints something else.
        "as MPICH": fails both here and under MPICH.
        "fails": every other outcome.
    """
    if here.status != 0:
        return ("as MPICH" if there.status != 0 else "fails"), here.problem()
    if there.status != 0:
        return "runs", f"under MPICH: {there.problem()}"
    if program.compare == "status":
        return "same", ""
    difference = _difference(lines(here.output, program), lines(there.output, program), program.tolerance)
    return ("differs", difference) if difference else ("same", "")
