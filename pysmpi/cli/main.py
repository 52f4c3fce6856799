"""pysmpi: everything but running programs (that is pysmpirun), one command each."""

import importlib
import os
import sys
from types import ModuleType

__all__ = ["COMMANDS", "main"]

_USAGE_ERROR, _INTERRUPTED, _BROKEN_PIPE = 2, 130, 141

# By name, what each is for. A command is the module of its name beside this one, with main(words) -> exit status. It
# is imported when it is called for, and imports what is heavy only once it has read its command line.
COMMANDS: dict[str, str] = {
    "collectives": "the algorithms of collectives: what they do, which is fastest where",
    "explain": "where the time of one message goes, term by term",
    "new": "write a study, a platform or a program to begin with",
    "platform": "check a platform, tell about it, draw it",
    "replay": "simulate a program without Python: a trace, or a GOAL text of LogGOPSim",
    "report": "one page of HTML about a run that pysmpirun --save-run has kept",
    "study": "simulate a program under many conditions, and gather what comes of it in a table",
    "timeline": "draw the timeline of a run: what each rank does when",
}

_FORMER_NAMES = {"skeleton": "replay"}


def main(words: list[str] | None = None) -> int:
    """Runs the command line (this process's when none is given) and returns the exit status."""
    words = list(sys.argv[1:] if words is None else words)
    from pysmpi.errors import PysmpiError

    name = "pysmpi"
    try:
        if not words or words[0] in {"-h", "--help", "help"}:
            print(_help())
            return 0
        if words[0] in {"-V", "--version"}:
            from pysmpi.cli.version import version_line

            print(version_line("pysmpi"))
            return 0
        command = _module_of(words[0])
        name = f"pysmpi {words[0]}"
        status: int = command.main(words[1:])
        sys.stdout.flush()
        return status
    except PysmpiError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def _module_of(command: str) -> ModuleType:
    from pysmpi.errors import LaunchError, unknown

    command = _FORMER_NAMES.get(command, command)
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

pysmpi COMMAND --help tells more about each; pysmpirun runs programs."""


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, whose modules are not ours
    sys.exit(main())
