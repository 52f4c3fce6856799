"""Program of ranks that runs an application: its command line, its checks, and the summary that it prints."""

import argparse
import os
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn

from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.codegen.rank_program import Entry, program_code, program_text
from pysmpi.aspen.cost import cost_of, shared_values
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.exchanges import group_shape, pattern_of
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.runtime import Rank
from pysmpi.aspen.syntax_tree import Name
from pysmpi.aspen.timing import OVERLAP, Clock
from pysmpi.errors import did_you_mean
from pysmpi.simulation.compute import is_simulated, untimed_program
from pysmpi.util.columns import aligned
from pysmpi.util.whole_file import write_whole

__all__ = ["check_program", "forget", "main", "write_program"]

_NOT_VALID = 2  # exit status of ranks other than 0 if the model is not valid
_PROCESSORS_NAME = Name(PROCESSORS)
_VALUE = re.compile(r"\w[\w.]*=.*", re.DOTALL)


class _Parser(argparse.ArgumentParser):
    """Parser of the command line, which reports mistakes as errors of one line."""

    def error(self, message: str) -> NoReturn:
        """Raise an error.

        Raises:
            AspenError: always.
        """
        raise AspenError(f"{self.prog}: {message}")


@dataclass(frozen=True)
class _Prepared:
    """Application that is ready to run on ranks, with the values of all parameters. All ranks share this object.

    Attributes:
        predicted: predicted seconds of each kernel by name; empty without a machine.
        entry: kernel or control flow from which the program is generated.
    """

    predicted: dict[str, float]
    entry: Entry

    @cached_property
    def code(self) -> list[CodeType]:
        """Compiled parts of the generated program, in the order of their execution."""
        return program_code(self.entry)


def main(words: list[str]) -> None:
    """Run an application on the ranks of MPI_COMM_WORLD; `words` are the command-line arguments."""
    untimed_program()
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    try:
        arguments = _arguments(words)
        if arguments.write is not None:
            if comm.rank == 0:
                write_program(words, comm.size)
            return
        prepared = _prepared(tuple(sorted(vars(arguments).items())), comm.size)
        names: dict[str, Any] = {"__name__": "__main__"}
        for part in prepared.code:
            exec(part, names)
    except AspenError as error:
        raise SystemExit(str(error) if comm.rank == 0 else _NOT_VALID) from None
    if comm.rank == 0:
        rank: Rank = names["rank"]
        _print(arguments, prepared.predicted, rank.kernels)
        for each in rank.thin_grids():
            print(f"aspen: {each}; a number of ranks with more divisors gives a more even one")


def check_program(words: list[str], ranks: int) -> None:
    """Check an application and its messages before any rank runs.

    Args:
        words: command-line arguments.
        ranks: number of ranks.

    Raises:
        AspenError: the model or the machine is not valid, messages name neither a collective nor a pattern, or the
            groups in which ranks send messages do not divide the number of ranks.
    """
    forget()
    waiting = [_prepared(tuple(sorted(vars(_arguments(words)).items())), ranks).entry.flow]
    while waiting:
        flow = waiting.pop()
        waiting += flow.steps
        for demand in flow.demands:
            if demand.resource in CARRIED:
                pattern_of(demand)
                group_shape(demand, ranks)


def write_program(words: list[str], ranks: int) -> bool:
    """Write the program that is generated from an application to a file, if the arguments have ``--write FILE``.

    Return whether they have this option.

    Args:
        words: command-line arguments.
        ranks: number of ranks.

    Raises:
        AspenError: the model or the machine is not valid, or the file cannot be written.
    """
    arguments = _arguments(words)
    if arguments.write is None:
        return False
    check_program(words, ranks)
    text = program_text(_prepared(tuple(sorted(vars(arguments).items())), ranks).entry)
    inputs = [arguments.application, *([arguments.machine.partition(":")[0]] if arguments.machine else [])]
    if any(os.path.exists(arguments.write) and os.path.samefile(arguments.write, each) for each in inputs):
        raise AspenError(f"{arguments.write}: refusing to overwrite an input file; choose another path for --write")
    try:
        write_whole(Path(arguments.write), text.encode())
    except OSError as error:
        raise AspenError(f"--write {arguments.write}: cannot write the program: {error.strerror}") from None
    return True


def forget() -> None:
    """Forget the models of earlier runs, whose files may have changed."""
    _prepared.cache_clear()


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="python -m pysmpi.aspen", description="Run an Aspen application on ranks.", allow_abbrev=False
    )
    parser.add_argument("application", metavar="APPLICATION", help="application: NAME.aspen")
    parser.add_argument("--control", metavar="NAME", help="control flow; by default main, or the only one")
    parser.add_argument("--kernel", metavar="NAME", help="kernel, instead of a control flow")
    parser.add_argument("--machine", metavar="MACHINE", help="machine whose sockets compute, one for each rank")
    parser.add_argument("--socket", metavar="NAME", help="sockets that compute; by default the first kind")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of random ranks, samples and alternatives (default 1)"
    )
    parser.add_argument("--write", metavar="FILE", help="write the application as a program for mpi4py, and end")
    given = [word for word in words if _VALUE.fullmatch(word)]
    arguments, left = parser.parse_known_args([word for word in words if not _VALUE.fullmatch(word)])
    if left:
        options = [each for action in parser._actions for each in action.option_strings if each.startswith("--")]
        noun = "option" if left[0].startswith("-") else "word"
        hint = did_you_mean(left[0], options)
        parser.error(f"unknown {noun} {left[0]!r}{hint} (valid: NAME=VALUE, {', '.join(options)})")
    arguments.values = tuple(given)
    return arguments


@lru_cache(maxsize=4)
def _prepared(arguments: tuple[tuple[str, Any], ...], ranks: int) -> _Prepared:
    given = dict(arguments)
    values = dict(word.partition("=")[::2] for word in given["values"])
    application = Application.read(given["application"]).with_values(values)
    is_ranks = PROCESSORS not in {*application.values, *application.module.params}
    if is_ranks:
        application = application.with_values({PROCESSORS: ranks})
    entry = application.entry(given["control"], given["kernel"])
    clock, shared = None, {}
    if given["machine"] is not None:
        clock = _clock(application, Machine.read(given["machine"]), given["socket"])
        shared = shared_values(application, clock.machine, clock.scope)
    names = application.names(None, shared)
    names.draw(given["seed"])
    flow = application.flow(entry, names)
    predicted = {} if clock is None else _predicted(application, clock, entry)
    written = Entry(entry, flow, names, clock, application.path, is_ranks, given["seed"], ranks)
    return _Prepared(predicted, written)


def _clock(application: Application, machine: Machine, socket: str | None) -> Clock:
    processors = application.names().scope.value(_PROCESSORS_NAME)
    scope = machine.scope(processors)
    if socket is None:
        sockets = machine.sockets(scope)
        socket = sockets[0].component.name if sockets else None
    chosen = machine.choose_socket(scope, socket)
    return Clock(machine, scope, chosen, processors, OVERLAP)


def _predicted(application: Application, clock: Clock, entry: str) -> dict[str, float]:
    """Return the predicted seconds of each kernel; empty if the machine lacks a resource, such as comm."""
    socket = clock.socket.component.name if clock.socket else None
    try:
        cost = cost_of(application, clock.machine, socket=socket, control=entry)
    except AspenError as error:
        if any(f"resource {each!r}" in str(error) for each in CARRIED):
            return {}
        raise
    found: dict[str, float] = {}
    for row in cost.rows:
        if row.kind == "kernel":
            found[row.name] = found.get(row.name, 0.0) + float(row.count * row.seconds)
    return found


def _print(arguments: argparse.Namespace, predicted: dict[str, float], seen: dict[str, float]) -> None:
    rows = [["kernel", "predicted, s", "simulated, s" if is_simulated() else "measured, s"]]
    for name in dict.fromkeys([*predicted, *seen]):
        rows.append([name, *(f"{each[name]:.6g}" if name in each else "" for each in (predicted, seen))])
    print(f"aspen: {arguments.application}, seconds of each kernel on rank 0")
    print("\n".join(aligned(rows, (1, 2), "  ")))
