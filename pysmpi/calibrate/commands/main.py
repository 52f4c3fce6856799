"""Command ``pysmpi-calibrate PART``, whose parts are the kinds of measurement, and the assembly of a platform."""

import sys

from pysmpi.calibrate.kinds import KINDS, kind_named
from pysmpi.util.stop_signals import exit_status, raise_when_terminated

__all__ = ["PARTS", "main"]

_USAGE_ERROR = 2

PARTS: dict[str, str] = {**KINDS, "platform": "the parts put together into a platform file, and checked"}
"""Purpose of each value of PART, for the help."""


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
        # Imported here, so that errors and help above come at once.
        from pysmpi.calibrate.commands import measure, platform

        return measure.run(kind_named(words[0]), words[1:]) if words[0] in KINDS else platform.main(words[1:])
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
        del sys.path[0]  # the working directory, so that its modules do not hide those of pysmpi
    sys.exit(main())
