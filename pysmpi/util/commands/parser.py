"""Parser of the command lines of pysmpi's commands: argparse, with errors that name the nearest match."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from pysmpi.errors import LaunchError, did_you_mean, nearest
from pysmpi.util.quantities import parse_bytes

__all__ = ["Parser", "add_words", "size_of", "words_of"]

_LISTED = 12  # largest number of valid options that an error lists


class Parser(argparse.ArgumentParser):
    """Parser of one command, or of a subcommand (see ``add_subparsers``).

    Raises:
        LaunchError: an option is unknown, lacks its value, or the value is not valid.
    """

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**settings)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse all arguments; raise an error if one is not part of the command's syntax."""
        return self.parse_known_args(args, namespace)[0]

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Parse arguments as argparse does, and raise the same errors as `parse_args`.

        argparse calls this function of a subcommand's parser, so that errors name the subcommand's own options.
        """
        found, left = super().parse_known_args(args, namespace)
        for word in left:
            if word.startswith("-"):
                self.error(self._unknown_option(word.partition("=")[0]))
        if left:
            self.error(f"unexpected argument {left[0]!r} ({self.format_usage().strip()})")
        return found, left

    def error(self, message: str) -> NoReturn:
        """Raise LaunchError with the text that argparse would print, plus the nearest match for an unknown choice."""
        match = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message, re.DOTALL)
        if match is not None:
            choices = [choice.strip(" '") for choice in match[3].split(",")]
            hint = did_you_mean(match[2], choices)
            message = f"unknown {match[1]} {match[2]!r}{hint} (valid: {', '.join(choices)})"
        raise LaunchError(message)

    def _unknown_option(self, word: str) -> str:
        valid = [option for option in self._option_string_actions if option.startswith("--")]
        similar = nearest(word, valid)
        hint = f"; did you mean {similar}?" if similar else ""
        listed = f"valid: {', '.join(valid)}" if len(valid) <= _LISTED else f"{self.prog} --help lists all options"
        return f"unknown option {word!r}{hint} ({listed})"


def add_words(parser: Parser) -> None:
    """Add the options --smpi, --mpi and --fabric, which choose sets of default settings as pysmpirun's options of the
    same names do."""
    parser.add_argument("--smpi", action="store_true", help="take every default of SMPI 3.32")
    parser.add_argument("--mpi", metavar="NAME", help="MPI library, as for pysmpirun")
    parser.add_argument("--fabric", metavar="NAME", help="network technology, as for pysmpirun")


def words_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `pysmpi.simulate` for the options that `add_words` has added."""
    return {"smpi": arguments.smpi or None, "mpi": arguments.mpi, "fabric": arguments.fabric}


def size_of(option: str, text: str) -> int:
    """Return the size in bytes given by an option's text, such as "64KiB".

    Raises:
        LaunchError: the text is not a size; the message names the option.
    """
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise LaunchError(f"option {option}: {error}") from None
