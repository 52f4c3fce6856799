"""Command lines of interpreters that ranks spawn."""

import sys

import pytest

from pysmpi.simulation.launch.interpreter_options import Flags, parse


@pytest.mark.parametrize(
    ("words", "kind", "program", "arguments"),
    [
        (["program.py", "-x", "1"], "script", "program.py", ["-x", "1"]),
        (["-u", "-W", "ignore", "-Xdev", "program.py"], "script", "program.py", []),
        (["-Bm", "package.module", "-m", "more"], "-m", "package.module", ["-m", "more"]),
        (["-cprint(1)", "a"], "-c", "print(1)", ["a"]),
        (["--check-hash-based-pycs", "always", "-E", "program.py"], "script", "program.py", []),
        (["-O"], "", "", []),
        ([], "", "", []),
    ],
)
def test_what_is_run(words: list[str], kind: str, program: str, arguments: list[str]) -> None:
    """Options, with or without values, end where the program begins; what follows is the program's."""
    command = parse(words)
    assert (command.kind, command.program, command.arguments) == (kind, program, arguments)


def test_flags() -> None:
    """Options show in the flags that they set, and leave the others as they are."""
    flags = Flags(parse(["-OO", "-Xdev", "-X", "utf8=0", "-dP", "program.py"]).flags)
    assert flags.optimize == sys.flags.optimize + 2
    assert (flags.dev_mode, flags.utf8_mode, flags.debug, flags.safe_path) == (True, 0, sys.flags.debug + 1, True)
    assert flags.hash_randomization == sys.flags.hash_randomization
