"""The command line of pysmpirun: smpirun's spellings, with one dash or two, and mpiexec's MPMD form."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pysmpi.errors import LaunchError, nearest

__all__ = ["HELP", "Arguments", "Part", "parse"]

HELP = """\
usage: pysmpirun -np N --platform FILE [OPTION]… PROGRAM [ARGUMENT]…
       pysmpirun --platform FILE [OPTION]… -np N PROGRAM [ARGUMENT]… : -np N PROGRAM [ARGUMENT]…

Runs an MPI program written for mpi4py on a simulated machine. PROGRAM is script.py, python script.py, or -m module.

  -np N, -n N              how many ranks
  --platform FILE          the machine: a SimGrid platform file, or a cluster in one word, such as fattree:2/8,8/1,4/1,1
                           or torus:4,4,4:speed=10Gf:bw=12.5GBps:lat=1us:cores=4 (TOPOLOGY:PARAMETERS[:NAME=VALUE]…;
                           flat, fattree, torus, dragonfly, dragonfly+, hyperx, slimfly, hypercube, fullmesh)
  --hostfile FILE, --machinefile FILE
                           hosts to place ranks on, one a line: host, host:n or host slots=n; without it ranks
                           fill the platform's cores in order
  --map                    print each rank's host
  --cfg=KEY:VALUE          a setting by SimGrid's name, such as network/model:LV08 (repeatable)
  --print-config           print every setting with its value and where it comes from, and end
  --jobs FILE              no PROGRAM: several at once, each with a world, hosts and a start of its own, and how much
                           slower each is than alone; the TOML file describes them
  --trace FILE             write the run's timeline: what each rank does when, messages, the use of links; in Perfetto's
                           format (ui.perfetto.dev) unless FILE ends in .json, .paje, .parquet or .csv
  --trace-format FORMAT    of that file: perfetto, json (Trace Event), paje, parquet, csv
  --profile[=FILE]         tell where the ranks' time goes, call by call: computation, waiting for whom, for which link,
                           the critical path; FILE gets all of it as JSON
  --network-report[=DIR]   tell which links hold messages back; DIR gets tables of links and of who sends how much to
                           whom, and pictures of both
  --save-run DIR           keep all that the run tells, both of these included, for 'pysmpi report DIR'
  --trace-ti DIR           record what the ranks do as time-independent traces, for --replay and smpirun -replay
  --replay FILE            no PROGRAM: the ranks do what time-independent traces of SMPI's form say; FILE lists them
  --what-if SWITCH         run once more under another machine or setting, and tell what differs (repeatable): links*2,
                           latency*0.5, hosts*2, link:NAME*2, host:NAME*0.5, bcast=ALGORITHM, selector=NAME, KEY:VALUE
  --what-if-jobs N         so many of these runs at a time (1)
  --slow-host NAME:FACTOR  the host, or all of a pattern, computes at this part of its speed, such as node-3:0.5
                           (repeatable)
  --blas FILE              calls of BLAS and LAPACK through NumPy and SciPy take the time of this model
  --seed N                 seed of random numbers that the program does not seed (0)
  --rank-stdout DIR        what each rank prints goes to DIR/rank-N.out and rank-N.err
  --break-at TIME          stop at this simulated time (1.5s, 10ms), and say what each rank waits for; pdb begins in the
                           rank that goes on next where the standard input is a terminal, else the run ends
  --pdb RANK               pdb begins where this rank fails, with --break-at as it goes on; others' breakpoints do not
                           count
  --fill-rank              {rank} in the program's arguments is each rank's number
  --label                  begin each line of output with the rank
  --check                  look for mistakes: collectives, datatypes and counts that do not match between ranks, buffers
                           in use that are changed or shared, messages, requests and objects that are left behind;
                           if there are any, the exit status is 1 at least
  --all-sends-synchronous  every standard send waits for its receive: finds programs that rely on buffering, which hang
                           once messages are large
  --quiet                  no summary at the end, no progress line
  -v, --verbose            say which modules each rank has for itself and which all share, which
                           collective algorithms turned to others, and why
  --version, --help        say which version this is; say this

Spellings with one dash (-platform, -hostfile, -map) work too. The exit status is the program's."""

_WITH_VALUE = {"np": "np", "n": "np", "platform": "platform", "hostfile": "hostfile", "machinefile": "hostfile",
               "cfg": "cfg", "seed": "seed", "blas": "blas", "replay": "replay", "jobs": "jobs", "what-if": "what_if",
               "what-if-jobs": "what_if_jobs", "slow-host": "slow_hosts", "rank-stdout": "rank_stdout",
               "break-at": "break_at", "pdb": "pdb",
               "trace": "timeline", "trace-format": "timeline_format", "trace-ti": "trace",
               "save-run": "save_run"}  # fmt: skip
_REPEATABLE = {"cfg", "what_if", "slow_hosts"}
_FLAGS = {"map": "map", "print-config": "print_config", "label": "label", "check": "check",
          "all-sends-synchronous": "all_sends_synchronous", "quiet": "quiet",
          "fill-rank": "fill_rank",
          "v": "verbose", "verbose": "verbose",
          "version": "version", "V": "version", "help": "help", "h": "help"}  # fmt: skip
_WITH_OPTIONAL_VALUE = {"profile": "profile", "network-report": "network_report"}  # --NAME or --NAME=VALUE
_ATTRIBUTES = {**_WITH_VALUE, **_FLAGS, **_WITH_OPTIONAL_VALUE}
_OF_SMPIRUN = (
    "analyze", "trace-file", "trace-comment", "trace-comment-file",
    "trace-grouped", "trace-resource", "wrapper", "gdb", "lldb", "vgdb", "keep-temps", "no-privatize", "tmpdir",
    "foreground", "git-version", "help-coll", "bandwidth", "latency", "log",
)  # fmt: skip
_PYTHON = re.compile(r"(.*/)?python[\d.]*$")
_PYTHON_FLAGS = re.compile(r"-[bBdEiIOPqsSuvx]+$")


@dataclass
class Part:
    """One program of an MPMD job, or the only one.

    Attributes:
        ranks: how many run it; None when it was not said.
        script: the path of a script, or None.
        module: the name of a module (``-m``), or None.
        code: a program given on the command line (``python -c``), or None.
        arguments: of the program.
    """

    ranks: int | None = None
    script: str | None = None
    module: str | None = None
    code: str | None = None
    arguments: list[str] = field(default_factory=list)


@dataclass
class Arguments:
    """What the command line says."""

    parts: list[Part] = field(default_factory=list)
    platform: str | None = None
    hostfile: str | None = None
    cfg: list[str] = field(default_factory=list)
    what_if: list[str] = field(default_factory=list)
    what_if_jobs: int = 1
    slow_hosts: list[str] = field(default_factory=list)
    rank_stdout: str | None = None
    break_at: float | None = None
    pdb: int | None = None
    fill_rank: bool = False
    seed: int = 0
    map: bool = False
    print_config: bool = False
    label: bool = False
    check: bool = False
    all_sends_synchronous: bool = False
    blas: str | None = None
    replay: str | None = None
    jobs: str | None = None
    trace: str | None = None
    timeline: str | None = None
    timeline_format: str | None = None
    profile: str | None = None  # empty: no file
    network_report: str | None = None  # the same
    save_run: str | None = None
    quiet: bool = False
    verbose: bool = False
    version: bool = False
    help: bool = False

    def refuse(self, options: Iterable[str], why: str) -> None:
        """Checks that none of several options was given.

        Args:
            options: their names, without dashes.
            why: the message, with {option} for the first that was.

        Raises:
            LaunchError: one was.
        """
        nothing = Arguments()
        for option in options:
            attribute = _ATTRIBUTES[option]
            if getattr(self, attribute) != getattr(nothing, attribute):
                raise LaunchError(why.format(option=f"--{option}"))


def parse(words: list[str]) -> Arguments:
    """Reads a command line.

    Raises:
        LaunchError: an option is unknown, lacks its value, or the value is not valid.
    """
    arguments = Arguments()
    for part in _split(words):
        arguments.parts.append(_parse_part(part, arguments))
    return arguments


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
        raise LaunchError(f"{word!r} is given no program; write 'python script.py' or 'python -m module'")
    first = rest.pop(0)
    if first == "-m":
        part.module = _value(first, rest, "a module's name")
    elif first == "-c":
        part.code = _value(first, rest, "a program")
    elif first.startswith("-"):
        raise LaunchError(f"option {first!r} of {word!r} is not understood; give it to the interpreter of pysmpirun")
    else:
        part.script = first
    part.arguments = rest


def _read_option(word: str, rest: list[str], part: Part, arguments: Arguments) -> None:
    name, equals, value = word.lstrip("-").partition("=")
    if word == "-trace":
        raise LaunchError("'-trace' is smpirun's; of pysmpirun it is --trace FILE")
    if name in _WITH_VALUE:
        target = _WITH_VALUE[name]
        text = value if equals else _value(word, rest, "a value")
        if target == "np":
            part.ranks = _whole(word, text, 1)
        elif target == "seed":
            arguments.seed = _whole(word, text, 0)
        elif target == "what_if_jobs":
            arguments.what_if_jobs = _whole(word, text, 1)
        elif target == "pdb":
            arguments.pdb = _whole(word, text, 0)
        elif target == "break_at":
            arguments.break_at = _seconds(word, text)
        elif target in _REPEATABLE:
            getattr(arguments, target).append(text)
        else:
            setattr(arguments, target, text)
    elif name in _WITH_OPTIONAL_VALUE:
        setattr(arguments, _WITH_OPTIONAL_VALUE[name], value)
    elif name in _FLAGS and not equals:
        setattr(arguments, _FLAGS[name], True)
    elif name in _OF_SMPIRUN:
        raise LaunchError(f"{word!r} is an option of smpirun that pysmpirun does not have; see pysmpirun --help")
    else:
        spelled = ["-np", "-n", "-m", "-v"] + [
            f"--{each}" for each in (*_WITH_VALUE, *_WITH_OPTIONAL_VALUE, *_FLAGS) if len(each) > 2
        ]
        match = nearest("--" + name, spelled)
        hint = f"; did you mean {match}?" if match else ""
        raise LaunchError(f"unknown option {word!r}{hint} (valid: {', '.join(spelled)})")


def _value(option: str, rest: list[str], what: str) -> str:
    if not rest:
        raise LaunchError(f"option {option} needs {what}")
    return rest.pop(0)


def _seconds(option: str, text: str) -> float:
    from pysmpi.settings.option_parsers import seconds

    try:
        return seconds(0.0)(text)
    except ValueError as error:
        raise LaunchError(f"option {option}: {error} (valid: seconds, or a time with its unit such as 10ms)") from None


def _whole(option: str, text: str, minimum: int) -> int:
    if not text.isdecimal() or int(text) < minimum:
        raise LaunchError(f"option {option}: {text!r} is not a whole number, {minimum} or more")
    return int(text)
