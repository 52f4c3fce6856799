"""Command ``pysmpi-calibrate PART``, which runs one of its `PARTS`."""

import importlib
import sys

from pysmpi.util.stop_signals import exit_status, raise_when_terminated

__all__ = ["PARTS", "main"]

_USAGE_ERROR = 2

# Purpose of each part, for the help. Each part is a module of the same name in this folder; its function main(words)
# returns the exit status. The module is imported when the part is called, and imports large modules only after it has
# read its command line.
PARTS: dict[str, str] = {
    "blas": "how long the routines of BLAS and LAPACK take: a model for pysmpirun --blas",
    "network": "what messages take, between two ranks of a real MPI: settings and links",
    "node": "what messages take inside a host and through its card, one and several at once: properties of hosts",
    "host": "what a host does by itself: flop/s, bandwidth of memory, Python in a call",
    "noise": "how often and for how long each core serves the operating system: a model for smpi/noise",
    "power": "what a host draws, idle and at work",
    "platform": "the parts put together into a platform file, and checked",
}


def main(words: list[str] | None = None) -> int:
    """Run a command line, by default that of this process, and return the exit status."""
    if words is None:
        raise_when_terminated()
        words = sys.argv[1:]
    from pysmpi.errors import LaunchError, PysmpiError, unknown

    name = "pysmpi-calibrate"
    try:
        if not words or words[0] in {"-h", "--help", "help"}:
            print(_help())
            return 0
        if words[0] in {"-V", "--version"}:
            from pysmpi.util.commands.version import version_line

            print(version_line(name))
            return 0
        if words[0] not in PARTS:
            option = words[0].startswith("-")
            raise LaunchError(
                unknown("option" if option else "part", words[0], ["--help", "--version"] if option else PARTS)
            )
        name = f"pysmpi-calibrate {words[0]}"
        status: int = importlib.import_module(f"pysmpi.calibrate.commands.{words[0]}").main(words[1:])
        return status
    except PysmpiError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except KeyboardInterrupt as stop:
        why = str(stop) or "interrupted"
        print(f"{name}: {why}; finished measurements are kept; run the same command again to continue", file=sys.stderr)
        return exit_status(stop)


def _help() -> str:
    width = max(map(len, PARTS)) + 2
    listed = "\n".join(f"  {name:{width}}{meaning}" for name, meaning in PARTS.items())
    return f"""\
usage: pysmpi-calibrate PART --output FILE [OPTION]…

{listed}

pysmpi-calibrate PART --help tells more about each. Each measures this machine into a table (FILE with the ending .csv),
fits a model to it (FILE), and reports how good the fit is (.txt, and .png if matplotlib is installed)."""


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the working directory, whose modules are not ours
    sys.exit(main())
