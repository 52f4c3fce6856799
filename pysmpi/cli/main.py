"""Command pysmpi, whose subcommands do everything except running programs (see pysmpirun)."""

import importlib
import os
import sys
from types import ModuleType

from pysmpi.util.stop_signals import exit_status, raise_when_terminated

__all__ = ["COMMANDS", "main"]

_USAGE_ERROR, _BROKEN_PIPE = 2, 141

# Purpose of each command, for the help. Each command is a module of the same name in this folder; its function
# main(words) returns the exit status. The module is imported when the command is called, and imports large modules only
# after it has read its command line.
COMMANDS: dict[str, str] = {
    "aspen": "tell what Aspen models of applications need, and how long they take on Aspen machines",
    "codesign": "tell what a program needs of larger machines, and what limits it on each",
    "collectives": "list the algorithms of collectives and compare their times",
    "estimate": "estimate what a sequential NumPy program would send on many nodes",
    "examples": "write the notebooks, applications and platforms that come with pysmpi",
    "explain": "show where the time of one message goes, term by term",
    "hpl": "run Linpack on a simulated machine",
    "new": "write a study, a platform or a program to start from",
    "platform": "check, describe and draw a platform",
    "replay": "simulate a program without Python: a trace, or a GOAL text of LogGOPSim",
    "report": "write an HTML page about a run that pysmpirun --save-run has saved",
    "study": "simulate a program under many conditions and collect the results in a table",
    "timeline": "draw the timeline of a run: the activity of each rank over time",
}


def main(words: list[str] | None = None) -> int:
    """Run a command line, by default that of this process, and return the exit status."""
    if words is None:
        raise_when_terminated()
        words = sys.argv[1:]
    from pysmpi.errors import AspenError, PysmpiError
    from pysmpi.util.commands.placed import has_place
    from pysmpi.util.commands.printed_warnings import printed_warnings

    name = "pysmpi"
    try:
        if not words or words[0] in {"-h", "--help", "help"}:
            print(_help())
            return 0
        if words[0] in {"-V", "--version"}:
            from pysmpi.util.commands.version import version_line

            print(version_line("pysmpi"))
            return 0
        command = _module_of(words[0])
        name = f"pysmpi {words[0]}"
        with printed_warnings(name):
            status: int = command.main(words[1:])
        sys.stdout.flush()
        return status
    except PysmpiError as error:
        is_placed = isinstance(error, AspenError) and has_place(error)
        print(error if is_placed else f"{name}: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt as stop:
        print(f"{name}: {str(stop) or 'interrupted'}", file=sys.stderr)
        return exit_status(stop)
    except BrokenPipeError:  # the reader of the output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def _module_of(command: str) -> ModuleType:
    from pysmpi.errors import LaunchError, unknown

    if command not in COMMANDS:
        kind = "option" if command.startswith("-") else "command"
        choices = ["--help", "--version"] if kind == "option" else COMMANDS
        raise LaunchError(unknown(kind, command, choices))
    return importlib.import_module(f"pysmpi.cli.{command}")


def _help() -> str:
    width = max(map(len, COMMANDS), default=0) + 2
    listed = "\n".join(f"  {name:{width}}{meaning}" for name, meaning in COMMANDS.items())
    return f"""\
usage: pysmpi COMMAND [WORD]…

{listed}

pysmpi COMMAND --help describes a command; pysmpirun runs programs."""


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, whose modules are not ours
    sys.exit(main())
