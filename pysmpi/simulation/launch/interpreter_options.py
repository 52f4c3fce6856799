"""Command line of an interpreter that a rank spawns: ``python [options] script | -m module | -c code [arguments]``.

Ranks share one interpreter, so these options have only one effect: the new ranks' ``sys.flags`` shows them.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Flags", "InterpreterCommand", "parse"]

_COUNTED = {
    "B": ("dont_write_bytecode",),
    "E": ("ignore_environment",),
    "I": ("isolated", "ignore_environment", "no_user_site"),
    "O": ("optimize",),
    "R": ("hash_randomization",),
    "S": ("no_site",),
    "b": ("bytes_warning",),
    "d": ("debug",),
    "i": ("inspect", "interactive"),
    "q": ("quiet",),
    "s": ("no_user_site",),
    "v": ("verbose",),
}


@dataclass(slots=True)
class InterpreterCommand:
    """Program and options of an interpreter.

    Attributes:
        kind: "script", "-m", "-c", or "" if the command line names no program.
        program: script, module or code.
        arguments: command-line arguments of the program.
        flags: fields of ``sys.flags`` that the options set.
    """

    kind: str = ""
    program: str = ""
    arguments: list[str] = field(default_factory=list)
    flags: dict[str, int] = field(default_factory=dict)


class Flags:
    """``sys.flags`` of a rank: the flags of the launcher, overridden by the options of the rank's interpreter."""

    def __init__(self, own: dict[str, int]) -> None:
        self.__dict__.update(own)
        self._shared = sys.flags

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared, name)


def parse(arguments: Sequence[str]) -> InterpreterCommand:
    """Parse the command line of an interpreter, given without the name of the interpreter."""
    left = list(arguments)
    command = InterpreterCommand()
    while left and not command.kind:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            command.kind, command.program = "script", word
        elif word.startswith("--"):
            if word == "--check-hash-based-pycs" and left:
                left.pop(0)
        else:
            _read_letters(word[1:], left, command)
    command.arguments = left
    return command


def _read_letters(letters: str, left: list[str], command: InterpreterCommand) -> None:
    """Read the option letters of one argument of an interpreter, such as ``-Bm``.

    Args:
        letters: the letters, such as "Bm".
        left: arguments after this one; one is removed if the last letter takes it as its value.
        command: description of the command line, to which the options are added.
    """
    flags = command.flags
    for i, letter in enumerate(letters):
        if letter in "cmWX":
            rest = letters[i + 1 :]
            value = rest if rest or not left else left.pop(0)
            if letter in "cm":
                command.kind, command.program = f"-{letter}", value
            elif letter == "X" and value == "dev":
                flags["dev_mode"] = True
            elif letter == "X" and value.partition("=")[0] == "utf8":
                flags["utf8_mode"] = int(value.partition("=")[2] or "1")
            return
        if letter in "PI":
            flags["safe_path"] = True
        for name in _COUNTED.get(letter, ()):
            flags[name] = flags.get(name, getattr(sys.flags, name)) + 1
