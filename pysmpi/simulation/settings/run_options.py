"""Options of a run: one table for the command line, its help, the documentation, and the jobs that are run.

Each field of `RunOptions` is a row of this table, and instruments add rows of their own. `pysmpirun` reads its command
line by the rows, ``pysmpirun --help`` and docs/commands.md print them, and a job passes the values on to the run. To
add an option, add a row here and the code that reads its value.
"""

import os
import re
from dataclasses import dataclass, field
from typing import Any

from pysmpi.platform.fabrics import FABRICS, NEUTRAL
from pysmpi.platform.topology import TOPOLOGIES
from pysmpi.simulation.settings import option_parsers
from pysmpi.simulation.settings.mpi_libraries import DEFAULT as DEFAULT_LIBRARY
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.run_option import run_option

__all__ = ["RunOptions"]

_Path = str | os.PathLike[str]


def _option(spelled: str, meaning: str, **more: Any) -> Any:
    row = run_option(spelled, meaning, **more)
    if row.repeatable:
        return field(default_factory=list, metadata={"row": row})
    return field(default=row.default, metadata={"row": row})


def _whole(minimum: int) -> dict[str, Any]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
            raise ValueError(f"{text!r} is not a whole number")
        if int(text) < minimum:
            raise ValueError(f"{text!r} is too small")
        return int(text)

    return {"parse": parse, "valid": f"{minimum} or more"}


_SECONDS: dict[str, Any] = {
    "parse": option_parsers.seconds(0.0),
    "valid": "seconds, or a time with its unit such as 10ms",
}


@dataclass
class RunOptions:
    """Values of a run's options; each field also defines the option's spelling, default and meaning.

    Attributes:
        instruments: values of the options of instruments that were given, by name (`RunOption.field`).
    """

    np: int | None = _option("-np N, -n N", "number of ranks", smpirun="`-np`", **_whole(1))
    platform: str | None = _option(
        "--platform FILE",
        "the machine: a SimGrid platform file; a name that pysmpi platform list shows, such as fattree; or a cluster "
        "in one word, such as fattree:2/8,8/1,4/1,1 or torus:4,4,4:speed=10Gf:bw=12.5GBps:lat=1us:cores=4 "
        "(TOPOLOGY:PARAMETERS[:NAME=VALUE]…; "
        f"{', '.join(kind.short_name for kind in TOPOLOGIES.values())}); default: laptop, except with --smpi",
        smpirun="`-platform`",
    )
    hostfile: str | None = _option(
        "--hostfile FILE, --machinefile FILE",
        "hosts to place ranks on, one a line: host, host:n or host slots=n; without a hostfile, ranks fill the "
        "platform's cores in order",
        not_with="jobs",
        smpirun="`-hostfile`",
    )
    app: str | None = _option(
        "--app FILE",
        "programs and their ranks from a file: each line is what stands between colons on the command line, such as "
        "-np 2 ./a.out; # begins a comment",
        not_with="jobs what-if replicas replay",
        smpirun="`-app`",
    )
    map: bool = _option("--map", "print the host of each rank", of_one_run=True, smpirun="`-map`")
    cfg: list[str] = _option(
        "--cfg=KEY:VALUE",
        "set a setting by SimGrid's name, such as network/model:LV08 (repeatable)",
        repeatable=True,
        smpirun="`--cfg=NAME:VALUE`",
    )
    smpi: bool = _option(
        "--smpi", "take every default of SMPI 3.32, as --mpi smpi --fabric smpi", smpirun="what smpirun does"
    )
    mpi: str | None = _option(
        "--mpi NAME",
        f"MPI library whose algorithms, thresholds and costs of calls are simulated (default {DEFAULT_LIBRARY.name}): "
        + ", ".join(MPI_LIBRARIES),
    )
    fabric: str | None = _option(
        "--fabric NAME",
        "network technology whose factors, latencies and overheads by message size hold (default: the platform's, else "
        f"{NEUTRAL.name}): " + ", ".join(FABRICS),
    )
    print_config: bool = _option(
        "--print-config",
        "print every setting with its value and the origin of the value, and exit",
        smpirun="a program's `--help`, without values",
    )
    jobs: str | None = _option(
        "--jobs FILE",
        "instead of PROGRAM: run the jobs of a TOML file at the same time, each with its own world, hosts and start, "
        "and print how much slower each is than alone",
    )
    instruments: dict[str, Any] = field(default_factory=dict)
    replay: str | None = _option(
        "--replay FILE",
        "instead of PROGRAM: replay time-independent traces in SMPI's format; FILE lists one file per rank",
        not_with="jobs",
        smpirun="`-replay`",
    )
    what_if: list[str] = _option(
        "--what-if SWITCH",
        "run once more on another machine or with another setting, and print the difference (repeatable): speed*2, "
        "memory*2, links*2, bandwidth*2, latency/2, nodes*2 (and twice the ranks), link:NAME*2, host:NAME*0.5, "
        "bcast=ALGORITHM, selector=NAME, KEY:VALUE",
        repeatable=True,
        not_with="jobs",
    )
    slow_host: list[str] = _option(
        "--slow-host NAME:FACTOR",
        "let a host, or all hosts that match a pattern, compute at this fraction of their speed, such as node-3:0.5 "
        "(repeatable)",
        repeatable=True,
        not_with="jobs",
    )
    blas: _Path | None = _option(
        "--blas FILE", "let calls of BLAS and LAPACK through NumPy and SciPy take the time of the model in FILE"
    )
    seed: int = _option(
        "--seed N", "seed of random numbers that the program does not seed (default 0)", default=0, **_whole(0)
    )
    replicas: int = _option(
        "--replicas N",
        "run N times with other random draws, by the seeds from --seed on, and print the median and an interval of the "
        "simulated time and of what the program reports (default 1)",
        default=1,
        not_with="jobs what-if",
        **_whole(1),
    )
    parallel: int = _option(
        "--parallel N",
        "number of runs of --what-if or --replicas in parallel (default 1)",
        default=1,
        not_with="jobs",
        **_whole(1),
    )
    rank_stdout: _Path | None = _option(
        "--rank-stdout DIR",
        "write the output of each rank to DIR/rank-N.out and DIR/rank-N.err",
        of_one_run=True,
        not_with="jobs replay",
    )
    break_at: float | None = _option(
        "--break-at TIME",
        "stop at this simulated time (1.5s, 10ms) and print what each rank waits for; if the standard input is a "
        "terminal, pdb starts in the rank that continues next, otherwise the run ends",
        of_one_run=True,
        not_with="jobs replay what-if replicas",
        **_SECONDS,
    )
    pdb: int | None = _option(
        "--pdb RANK",
        "start pdb where this rank fails, or with --break-at where it continues; breakpoints of other ranks are "
        "ignored",
        of_one_run=True,
        not_with="jobs replay what-if replicas",
        **_whole(0),
    )
    fill_rank: bool = _option(
        "--fill-rank", "replace {rank} in the program's arguments by the number of each rank", not_with="jobs replay"
    )
    share: list[str] = _option(
        "--share PACKAGE",
        "run the modules of a package or one module once, for all ranks, also if its import seems to depend on the "
        "rank (repeatable)",
        repeatable=True,
        not_with="jobs replay",
    )
    private: list[str] = _option(
        "--private PACKAGE",
        "run the modules of a package or one module once for each rank, as a process does (repeatable)",
        repeatable=True,
        not_with="jobs replay",
    )
    share_threads: list[str] = _option(
        "--share-threads NAME",
        "let all ranks share the thread-local variables of the loaded libraries whose path contains NAME (repeatable)",
        repeatable=True,
        not_with="jobs replay",
    )
    own_stacks: bool = _option(
        "--own-stacks",
        "give each rank a private C stack, so that compiled code may use local variables in nonblocking calls and "
        "windows; code that ctypes or cffi calls has one without this option",
        not_with="jobs replay",
    )
    private_libs: list[str] = _option(
        "--private-libs NAME",
        "give each rank its own variables of the C libraries whose file name contains NAME, as a process has; with "
        "NAME=copy each rank loads a copy of the library, else (NAME=remap) their pages are mapped when another rank "
        "runs (repeatable)",
        repeatable=True,
        not_with="jobs replay",
        parse=option_parsers.private_library,
        valid="a part of a library's file name, which =remap or =copy may follow",
    )
    label: bool = _option("--label", "begin each line of output with the rank")
    all_sends_synchronous: bool = _option(
        "--all-sends-synchronous",
        "let every standard send wait for its receive; finds programs that rely on buffering, which hang with large "
        "messages",
    )
    quiet: bool = _option("--quiet", "print no summary and no progress line")
    verbose: bool = _option(
        "-v, --verbose",
        "print all notes on the run, the errors seen for times like its own, and its conditions; which modules, "
        "thread-local variables and variables of libraries each rank has for itself and which all ranks share; and "
        "which collective algorithms were replaced by others, and why",
        of_one_run=True,
    )
    version: bool = _option(
        "--version", "print the versions of pysmpi and of the packages it uses", smpirun="`-version`"
    )
    help: bool = _option("--help", "print this help", smpirun="`--help`")
