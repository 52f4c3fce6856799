"""Words of ``pysmpi aspen`` that several subcommands have: models and the values of their parameters."""

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError

if TYPE_CHECKING:
    from pysmpi.aspen.application import Application

__all__ = ["application_of", "is_machine_file", "split_values", "values_of"]

_VALUE = re.compile(r"\w[\w.]*=.*", re.DOTALL)


def split_values(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of the form NAME=VALUE, which may stand between options, and all others."""
    given = [word for word in words if _VALUE.fullmatch(word)]
    return given, [word for word in words if not _VALUE.fullmatch(word)]


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return the values in words of the form NAME=VALUE.

    Raises:
        LaunchError: a word has another form.
    """
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise LaunchError(f"{word!r} is not of the form NAME=VALUE, such as n=2^16")
        found[name.strip()] = text
    return found


def application_of(arguments: argparse.Namespace) -> "Application":
    """Return the application of a command line with its values."""
    from pysmpi.aspen.application import read_application

    return read_application(arguments.model).with_values(values_of(arguments.values))


def is_machine_file(path: str) -> bool:
    """Return whether a file, perhaps with values behind it, is a machine."""
    from pysmpi.aspen.check import is_machine
    from pysmpi.aspen.files import read_file

    return is_machine(read_file(path.partition(":")[0]))
