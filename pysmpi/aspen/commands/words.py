"""Arguments that several subcommands of ``pysmpi aspen`` have: models and the values of their parameters."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pysmpi.errors import LaunchError

if TYPE_CHECKING:
    from pysmpi.aspen.application import Application

__all__ = ["application_of", "is_machine_file", "positionals_first", "single_flow", "values_of"]


def positionals_first(words: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return the arguments of a subcommand with all options at the end.

    argparse needs this order if values such as ``n=4`` stand between options.

    Args:
        words: command-line arguments after the subcommand's name.
        parser: parser of the subcommand.
    """
    with_value = {each for action in parser._actions if action.nargs is None for each in action.option_strings}
    first: list[str] = []
    options: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-"):
            first.append(word)
            continue
        options.append(word)
        if word in with_value and waiting:
            options.append(waiting.pop(0))
    return [*first, *options]


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return the values of parameters in arguments of the form NAME=VALUE, by name.

    Raises:
        LaunchError: an argument does not have this form.
    """
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise LaunchError(f"{word!r} is not of the form NAME=VALUE, such as n=2^16")
        found[name.strip()] = text
    return found


def application_of(arguments: argparse.Namespace) -> "Application":
    """Return the application that the command line names, with the parameter values given there."""
    from pysmpi.aspen.application import Application

    return Application.read(arguments.model).with_values(values_of(arguments.values))


def is_machine_file(path: str) -> bool:
    """Return whether a file is a machine model; the path may be followed by a colon and parameter values."""
    from pysmpi.aspen.model_checks import is_machine
    from pysmpi.aspen.model_files import read_file

    return is_machine(read_file(path.partition(":")[0]))


def single_flow(arguments: argparse.Namespace) -> None:
    """Check that a command line does not name both a control flow and a kernel.

    Raises:
        LaunchError: it names both.
    """
    if arguments.control is not None and arguments.kernel is not None:
        raise LaunchError("options --control and --kernel cannot be given together; choose one")
