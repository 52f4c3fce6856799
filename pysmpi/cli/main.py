"""Command pysmpi, whose subcommands do everything except running programs (see pysmpirun)."""

import importlib
import os
import sys
from types import ModuleType

from pysmpi.util.stop_signals import exit_status, raise_when_terminated
from pysmpi.util.wings import wings

__all__ = ["commands", "main"]

_USAGE_ERROR, _BROKEN_PIPE = 2, 141

# Purpose of each command of the simulator, for the help. Each command is a module of the same name in this folder; its
# function main(words) returns the exit status. The module is imported when the command is called, and imports large
# modules only after it has read its command line. Wings add commands (see `pysmpi.util.wings`).
_COMMANDS: dict[str, str] = {
    "collectives": "list the algorithms of collectives and compare their times",
    "examples": "write the notebooks, applications and platforms that come with pysmpi",
    "explain": "show where the time of one message goes, term by term",
    "hpl": "run Linpack on a simulated machine",
    "new": "write a study, a platform or a program to start from",
    "platform": "check, describe and draw a platform",
    "replay": "simulate a program without Python: a trace, or a GOAL text of LogGOPSim",
    "report": "write an HTML page about a run that pysmpirun --save-run has saved",
    "timeline": "draw the timeline of a run: the activity of each rank over time",
}


def main(words: list[str] | None = None) -> int:
    """Run a command line, by default that of this process, and return the exit status."""
    if words is None:
        raise_when_terminated()
        words = sys.argv[1:]
    from pysmpi.errors import PlacedError, PysmpiError
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
        is_placed = isinstance(error, PlacedError) and has_place(error)
        print(error if is_placed else f"{name}: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt as stop:
        print(f"{name}: {str(stop) or 'interrupted'}", file=sys.stderr)
        return exit_status(stop)
    except BrokenPipeError:  # the reader of the output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def commands() -> dict[str, tuple[str, str]]:
    """Return purpose and module of each command, by its name."""
    found = {name: (purpose, f"pysmpi.cli.{name}") for name, purpose in _COMMANDS.items()}
    for wing, added in wings().items():
        found |= {name: (purpose, f"pysmpi.{wing}.commands.{name}") for name, purpose in added.commands.items()}
    return dict(sorted(found.items()))


def _module_of(command: str) -> ModuleType:
    from pysmpi.errors import LaunchError, unknown

    known = commands()
    if command not in known:
        kind = "option" if command.startswith("-") else "command"
        choices = ["--help", "--version"] if kind == "option" else known
        raise LaunchError(unknown(kind, command, choices))
    return importlib.import_module(known[command][1])


def _help() -> str:
    known = commands()
    width = max(map(len, known), default=0) + 2
    listed = "\n".join(f"  {name:{width}}{purpose}" for name, (purpose, _) in known.items())
    return f"""\
usage: pysmpi COMMAND [WORD]…

{listed}

pysmpi COMMAND --help describes a command; pysmpirun runs programs."""


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, so that its modules do not hide those of pysmpi
    sys.exit(main())
