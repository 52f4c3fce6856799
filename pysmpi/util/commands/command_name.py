"""Name of the command that the user has called, for its messages."""

import os

__all__ = ["CALLED_AS", "command_name", "take_name"]

CALLED_AS = "PYSMPI_CALLED_AS"  # variable by which a command of pysmpi that runs pysmpirun gives it its own name

_name = "pysmpirun"


def take_name() -> None:
    """Take the name from the environment, which programs then do not see."""
    global _name
    _name = os.environ.pop(CALLED_AS, _name)


def command_name() -> str:
    """Return the name of the command that runs programs: pysmpirun, or the command that has called it."""
    return _name
