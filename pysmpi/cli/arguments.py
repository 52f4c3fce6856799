"""The command line of pysmpirun: smpirun's options, with one dash or two, and several programs as for mpiexec."""

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysmpi.errors import LaunchError, nearest
from pysmpi.simulation.launch.instrument_kinds import instrument_options, run_options
from pysmpi.simulation.settings.run_option import RunOption
from pysmpi.simulation.settings.run_options import RunOptions
from pysmpi.util.commands.command_name import command_name
from pysmpi.util.wings import language_of_program, wings

__all__ = ["USAGE", "Arguments", "Part", "find_option", "help_text", "parse"]

USAGE = """\
usage: pysmpirun -np N [--platform FILE] [OPTION]… PROGRAM [ARGUMENT]…
       pysmpirun [--platform FILE] [OPTION]… -np N PROGRAM [ARGUMENT]… : -np N PROGRAM [ARGUMENT]…"""

_INTRODUCTION = """\
Runs an MPI program on a simulated machine. PROGRAM is script.py, python script.py, -m module, or an executable."""

_NOTE = "Options may also be written with one dash (-platform, -map). The exit status is the program's."

_WIDTH, _COLUMN = 120, 27  # width of the help, and column in which the meanings of options begin
_SHORT = {"h": "help", "V": "version"}
_ROWS = {name: row for row in run_options() for name in row.names}
_OF_INSTRUMENTS = {row.field for row in instrument_options()}
_OF_SMPIRUN = {  # options of smpirun that pysmpirun lacks, and what to do instead
    "analyze": "the summary at the end contains the times; see also --profile",
    "bandwidth": "write --platform flat:16:bw=1GBps:lat=10us",
    "foreground": "not needed: pysmpirun stays in the foreground",
    "gdb": "run the interpreter in a debugger: python -m pdb -m pysmpi.cli.run …",
    "git-version": "use --version",
    "help-coll": "use 'pysmpi collectives'",
    "keep-temps": "not needed: there are no temporary files",
    "latency": "write --platform flat:16:bw=1GBps:lat=10us",
    "lldb": "run the interpreter in a debugger: python -m pdb -m pysmpi.cli.run …",
    "log": "use -v",
    "no-privatize": "not available: each rank has its own variables",
    "tmpdir": "not needed: there are no temporary files",
    "trace-comment": "not available",
    "trace-comment-file": "not available",
    "trace-file": "name the output after the option: --trace FILE, or --trace-ti DIR",
    "trace-grouped": "not needed: a timeline groups ranks by host",
    "trace-resource": "use --network-report, or --trace FILE.paje",
    "vgdb": "run the interpreter in valgrind: valgrind python -m pysmpi.cli.run …",
    "wrapper": "run the interpreter in the wrapper: WRAPPER python -m pysmpi.cli.run …",
}
_PYTHON = re.compile(r"(.*/)?python[\d.]*$")
_PYTHON_FLAGS = re.compile(r"-[bBdEiIOPqsSuvx]+$")


@dataclass
class Part:
    """Program of the command line and its number of ranks; an MPMD job has several programs.

    Attributes:
        ranks: number of ranks, or None if not given.
        script: path of a script, or None.
        module: name of a module (``-m``), or None.
        code: program given on the command line (``python -c``), or None.
        arguments: command-line arguments of the program.
    """

    ranks: int | None = None
    script: str | None = None
    module: str | None = None
    code: str | None = None
    arguments: list[str] = field(default_factory=list)


@dataclass
class Arguments:
    """Parsed command line of pysmpirun.

    Attributes:
        parts: programs with their numbers of ranks.
        options: values of the options.
    """

    parts: list[Part] = field(default_factory=list)
    options: RunOptions = field(default_factory=RunOptions)

    def refuse_with(self, mode: str, reason: str) -> None:
        """Raise an error if an option was given that cannot be combined with a mode.

        Args:
            mode: "jobs", "replay", "what-if" or "replicas".
            reason: error text, with {option} for the option that was given.

        Raises:
            LaunchError: an option was given that cannot be combined with the mode.
        """
        defaults = RunOptions()
        for row in run_options():
            if row.field in _OF_INSTRUMENTS:
                is_given = row.field in self.options.instruments
            else:
                is_given = getattr(self.options, row.field) != getattr(defaults, row.field)
            if is_given and mode in row.not_with:
                raise LaunchError(reason.format(option=f"--{row.names[0]}"))


def help_text() -> str:
    """Return the text of ``pysmpirun --help``."""
    lines: list[str] = []
    for row in run_options():
        first = f"  {row.spelled}"
        if len(first) > _COLUMN - 2:
            lines.append(first)
            first = ""
        lines += textwrap.wrap(
            row.meaning,
            _WIDTH,
            initial_indent=first.ljust(_COLUMN),
            subsequent_indent=" " * _COLUMN,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([USAGE, "", _INTRODUCTION, "", *lines, "", _NOTE])


def parse(words: list[str]) -> Arguments:
    """Parse the command line of pysmpirun, given without the name of the command.

    Raises:
        LaunchError: an option is unknown, lacks its value, or the value is not valid.
    """
    arguments = Arguments()
    for part in _split(words):
        arguments.parts.append(_parse_part(part, arguments))
    path = arguments.options.app
    if path is not None:
        if any(part.script or part.module or part.code or part.ranks for part in arguments.parts):
            raise LaunchError(
                "--app takes neither a program nor -np: the file says which programs run on how many ranks"
            )
        arguments.parts = [_parse_part(line, arguments) for line in _lines_of(path)]
    return arguments


def _lines_of(path: str) -> list[list[str]]:
    """Return the words of each line of a file of programs (``--app``)."""
    try:
        text = Path(path).read_text()
    except OSError as error:
        raise LaunchError(f"--app {path}: cannot read the file: {error.strerror}") from error
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise LaunchError(f"{path}:{number}: {error}") from error
        if words:
            lines.append(words)
    if not lines:
        raise LaunchError(f"--app {path}: the file names no program")
    return lines


def find_option(word: str) -> RunOption | None:
    """Return the option of pysmpirun that an argument such as ``--platform=FILE`` or ``-np`` names, or None."""
    name = word.lstrip("-").partition("=")[0]
    return _ROWS.get(_SHORT.get(name, name)) if word.startswith("-") else None


def _split(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == ":":
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _parse_part(words: list[str], arguments: Arguments) -> Part:
    part = Part()
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "-m":
            part.module = _value(word, waiting, "a module's name")
            part.arguments = waiting
            return part
        if not word.startswith("-") or word == "-":
            _read_program(part, word, waiting)
            _read_model(part, arguments)
            return part
        _read_option(word, waiting, part, arguments)
    return part


def _read_program(part: Part, word: str, rest: list[str]) -> None:
    if not _PYTHON.match(word):
        part.script, part.arguments = word, rest
        return
    while rest and _PYTHON_FLAGS.match(rest[0]):
        rest.pop(0)
    if not rest:
        raise LaunchError(f"{word!r} needs a program; write 'python script.py' or 'python -m module'")
    first = rest.pop(0)
    if first == "-m":
        part.module = _value(first, rest, "a module's name")
    elif first == "-c":
        part.code = _value(first, rest, "a program")
    elif first.startswith("-"):
        raise LaunchError(
            f"option {first!r} of {word!r} is not supported; give it to the interpreter that runs pysmpirun"
        )
    else:
        part.script = first
    part.arguments = rest


def _read_model(part: Part, arguments: Arguments) -> None:
    """Let ranks run the module that interprets a program in a modelling language such as Aspen."""
    language = None if part.script is None else language_of_program(part.script)
    if part.script is None or language is None:
        return
    part.module = language.module
    part.arguments = language.words(part.script, part.arguments, arguments.options.platform)
    part.script = None


def _read_option(word: str, rest: list[str], part: Part, arguments: Arguments) -> None:
    name, equals, value = word.lstrip("-").partition("=")
    if word == "-trace":
        raise LaunchError("'-trace' is smpirun's option; pysmpirun has --trace FILE")
    row = find_option(word)
    if row is None or (equals and row.takes == "nothing"):
        raise LaunchError(_unknown_option(word, name))
    if row.takes == "value":
        setting = _parse_value(row, word, value if equals else _value(word, rest, f"a value: {row.spelled}"))
    else:
        setting = value or True
    if row.field == "np":
        part.ranks = setting
    elif row.field in _OF_INSTRUMENTS:
        arguments.options.instruments[row.field] = setting
    elif row.repeatable:
        getattr(arguments.options, row.field).append(setting)
    else:
        setattr(arguments.options, row.field, setting)


def _unknown_option(word: str, name: str) -> str:
    if name in _OF_SMPIRUN:
        return f"{word!r} is an option of smpirun that pysmpirun does not have; {_OF_SMPIRUN[name]}"
    for language in (each for wing in wings().values() for each in wing.languages):
        if name in language.options:
            after = f"NAME{language.suffix} {word}"
            return f"option {word!r} belongs to a program in {language.name}; write it behind the file: {after}"
    spelled = ["-np", "-n", "-m", "-v"] + [f"--{each}" for each in _ROWS if len(each) > 2]
    match = nearest("--" + name, spelled)
    hint = f"; did you mean {match}?" if match else ""
    return f"unknown option {word!r}{hint} ({command_name()} --help lists all options)"


def _parse_value(row: RunOption, option: str, text: str) -> Any:
    try:
        return row.parse(text)
    except ValueError as error:
        raise LaunchError(f"option {option}: {error} (valid: {row.valid})") from None


def _value(option: str, rest: list[str], what: str) -> str:
    if not rest:
        raise LaunchError(f"option {option} needs {what}")
    following = rest[0].partition("=")[0]
    name = following.lstrip("-")
    if following.startswith("-") and len(name) > 1 and (name in _ROWS or name in _OF_SMPIRUN):
        hint = f" ({_OF_SMPIRUN[name]})" if name in _OF_SMPIRUN else ""
        raise LaunchError(f"option {option} needs {what}; {following!r} after it is another option{hint}")
    return rest.pop(0)
