"""Name of the command that the user has called, for its messages."""

import os

__all__ = ["CALLED_AS", "command_name", "take_name"]

CALLED_AS = "PYSMPI_CALLED_AS"  # environment variable by which a command that runs pysmpirun passes its own name to it

_name = "pysmpirun"


def take_name() -> None:
    """Read the name from the environment variable, and remove the variable, so that programs do not see it."""
    global _name
    _name = os.environ.pop(CALLED_AS, _name)


def command_name() -> str:
    """Return the name of the command that runs programs: pysmpirun, or the command that has called it."""
    return _name
