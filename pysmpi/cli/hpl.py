"""Command ``pysmpi hpl``: run Linpack on a simulated machine."""

import os
import sys

__all__ = ["USAGE", "main"]

USAGE = """\
usage: pysmpi hpl [-np N] --platform PLATFORM --n ORDER [--nb NB] [--p P] [--q Q] [OPTION]…

Runs Linpack in Python (apps/hpl) on a simulated machine. Options of pysmpirun and of hpl.py may be mixed; --n is the
order of the system, -np the number of ranks (default: P·Q if both are given). Example:

  pysmpi hpl --platform fattree --n 20000 --p 16 --q 256

'pysmpirun --help' describes the options of the simulation. Those of hpl.py:
"""
_ORDER = "--n"  # pysmpirun knows -n as its number of ranks


def main(words: list[str]) -> int:
    """Run ``pysmpi hpl`` in place of this process. Does not return."""
    from pysmpi.util.shipped import shipped

    program = str(shipped("apps") / "hpl" / "hpl.py")
    if not words or any(word in ("-h", "--help") for word in words):
        print(USAGE)
        simulation, linpack = ["-np", "1", "--platform", "flat:1", "--quiet"], ["--help"]
    else:
        simulation, linpack = _separated(words)
        ranks = _ranks_of_grid(linpack)
        if ranks is not None and not any(word.lstrip("-").partition("=")[0] in ("n", "np") for word in simulation):
            simulation = ["-np", str(ranks), *simulation]
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "pysmpi.cli.run", *simulation, program, *linpack])


def _separated(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the options of pysmpirun with their values, and all other words."""
    from pysmpi.cli.arguments import find_option

    simulation: list[str] = []
    linpack: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        option = None if word.partition("=")[0] == _ORDER else find_option(word)
        (linpack if option is None else simulation).append(word)
        if option is not None and option.takes == "value" and "=" not in word and waiting:
            simulation.append(waiting.pop(0))
    return simulation, linpack


def _ranks_of_grid(linpack: list[str]) -> int | None:
    """Return P times Q if both are given as whole numbers, else None."""
    given: dict[str, str] = {}
    for word, following in zip(linpack, [*linpack[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        given[name] = value if equals else following
    rows, columns = given.get("--p", ""), given.get("--q", "")
    return int(rows) * int(columns) if rows.isdecimal() and columns.isdecimal() else None
