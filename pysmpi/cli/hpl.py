"""Command ``pysmpi hpl``: run Linpack on a simulated machine."""

import os
import subprocess
import sys

from pysmpi.util.commands.command_name import CALLED_AS
from pysmpi.util.stop_signals import Terminated

__all__ = ["USAGE", "main"]

USAGE = """\
usage: pysmpi hpl [-np N] [--platform PLATFORM] --n ORDER [--nb NB] [--p P] [--q Q] [OPTION]…

Runs Linpack in Python (apps/hpl) on a simulated machine. Options of pysmpirun and of hpl.py may be mixed; --n is the
order of the system, -np the number of ranks (default: P·Q if both are given). Example:

  pysmpi hpl --platform fattree --n 20000 --p 16 --q 256

'pysmpirun --help' describes the options of the simulation, 'pysmpi hpl --help' those of hpl.py.
"""
_ORDER = "--n"  # an option of Linpack, unlike pysmpirun's -n for the number of ranks


def main(words: list[str]) -> int:
    """Run ``pysmpi hpl``, which starts a separate process for the run, and return the exit status of that process."""
    if not words or any(word in ("-h", "--help") for word in words):
        print(USAGE, flush=True)
        sys.exit(_run(["-np", "1", "--platform", "flat:1", "--quiet"], ["--help"]))
    simulation, linpack = _separated(words)
    ranks = _ranks_of_grid(linpack)
    if ranks is not None and not any(word.lstrip("-").partition("=")[0] in ("n", "np") for word in simulation):
        simulation = ["-np", str(ranks), *simulation]
    return _run(simulation, linpack)


def _run(simulation: list[str], linpack: list[str]) -> int:
    """Run Linpack with options of pysmpirun and options of Linpack, and return the exit status as shells report it."""
    from pysmpi.util.shipped import shipped

    program = str(shipped("apps") / "hpl" / "hpl.py")
    command = [sys.executable, "-m", "pysmpi.cli.run", *simulation, program, *linpack]
    with subprocess.Popen(command, env=os.environ | {CALLED_AS: "pysmpi hpl"}) as process:
        while True:
            try:
                status = process.wait()
            except KeyboardInterrupt as stop:  # the run ends by itself; the terminal sends it Ctrl-C, too
                if isinstance(stop, Terminated):
                    process.send_signal(stop.number)
                continue
            return status if status >= 0 else 128 - status


def _separated(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the options of pysmpirun with their values, and the other command-line arguments."""
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
    """Return the number of ranks of a process grid, P times Q, if both are given as whole numbers, else None."""
    given: dict[str, str] = {}
    for word, following in zip(linpack, [*linpack[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        given[name] = value if equals else following
    rows, columns = given.get("--p", ""), given.get("--q", "")
    return int(rows) * int(columns) if rows.isdecimal() and columns.isdecimal() else None
