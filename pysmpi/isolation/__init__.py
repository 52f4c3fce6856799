"""Ranks behave as processes do: what each has of its own in one interpreter.

Some of it is swapped natively when another rank runs (pysmpi/native/isolation); the rest are functions of the standard
library that ask which rank runs. Everything is put back when the simulation ends.
"""

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from pysmpi.isolation import (
    arithmetic,
    child_processes,
    clocks,
    debuggers,
    interpreter,
    logs,
    modules,
    mpi4py_settings,
    process,
    profilers,
    randomness,
    sockets,
    threads,
)
from pysmpi.isolation.child_processes import end_children
from pysmpi.isolation.current import begin, forget, forget_all
from pysmpi.isolation.patching import Patches
from pysmpi.isolation.process import run_exit_handlers
from pysmpi.isolation.rank_files import RankFiles, make_directory
from pysmpi.isolation.streams import RankInput, RankOutput
from pysmpi.isolation.threads import end_threads
from pysmpi.isolation.verdicts import Verdicts
from pysmpi.native import lib

__all__ = ["Isolated", "isolated"]


@dataclass(frozen=True)
class Isolated:
    """Ranks that are isolated from each other.

    Attributes:
        output: what ``sys.stdout`` is in all ranks that do not change it.
        errors: the same of ``sys.stderr``.
        verdicts: which modules each rank has for itself, and why.
    """

    output: RankOutput
    errors: RankOutput
    verdicts: Verdicts

    def end_rank(self, rank: int) -> None:
        """What a process does at its end, called in the rank: exit handlers, then the rest of its last line."""
        try:
            end_threads(rank)
            run_exit_handlers(rank)
            end_children()
        finally:
            self.output.end_rank(rank)
            self.errors.end_rank(rank)

    def add_ranks(self, count: int) -> None:
        """There are so many more ranks; lines of output may now be torn unless they are held."""
        lib.pysmpi_isolation_extend(lib.pysmpi_rank_count() + count)
        self.output.hold()
        self.errors.hold()

    def add_program(self, directory: str, package: str) -> None:
        """A program that begins later: where its own modules lie, and which package is its own, or ""."""
        self.verdicts.add_program(directory, package)

    @staticmethod
    def forget(rank: int) -> None:
        """Releases what the rank had of its own; it has ended."""
        forget(rank)


@contextmanager
def isolated(
    ranks: int,
    *,
    arguments: Callable[[int], list[str]],
    search_path: Callable[[int], list[str]],
    host_name: Callable[[int], str],
    host_cores: Callable[[int], int],
    variables: Callable[[int], Mapping[str, str]],
    host_number: Callable[[str], int | None],
    seed: int,
    first_seeded: int,
    models_arithmetic: bool,
    label: bool,
    directories: Iterable[str],
    packages: Iterable[str],
    start_thread: Callable[[int, Callable[[], None]], None],
    output_directory: str | os.PathLike[str] | None,
    debugged: int | None,
) -> Iterator[Isolated]:
    """Isolates the ranks of the simulation that has begun.

    Args:
        ranks: how many there are.
        arguments: a rank's command line.
        search_path: what comes first in a rank's ``sys.path``.
        host_name: the name of a rank's host.
        host_cores: the number of its cores.
        variables: a rank's own environment variables.
        host_number: the number of the host of a name; None: there is none.
        seed: of random numbers that ranks do not seed.
        first_seeded: as which rank the first one draws them.
        models_arithmetic: functions of NumPy and SciPy take the time of a model (`pysmpi.compute.blas`).
        label: lines of output begin with the rank.
        directories: where the programs' own modules lie.
        packages: programs' own packages, wherever they lie.
        start_thread: has the main greenlet start a thread of this number with this body.
        output_directory: where what each rank prints goes to files of its own; None: all prints to the same streams.
        debugged: the rank whose breakpoints count; None: all.
    """
    patches = Patches()
    files = []
    if output_directory is not None:
        make_directory(output_directory, ranks)
        files = [RankFiles(output_directory, "out"), RankFiles(output_directory, "err")]

    def stream(number: int, shared: TextIO) -> RankOutput:
        hold = ranks > 1 and not shared.isatty()
        return RankOutput(shared, label=label, hold=hold, files=files[number] if files else None)

    streams = Isolated(
        output=stream(0, sys.stdout),
        errors=stream(1, sys.stderr),
        verdicts=modules.install(patches, directories, packages),
    )
    begin()
    lib.pysmpi_isolation_begin(ranks)
    try:
        patches.set(sys, "stdout", streams.output)
        patches.set(sys, "stderr", streams.errors)
        if sys.stdin is not None:
            standard_input = RankInput(sys.stdin, (streams.output, streams.errors))
            patches.set(sys, "stdin", standard_input)
            patches.set(builtins, "input", standard_input.asking(builtins.input))
        process.install(patches, host_name, host_cores, variables)
        child_processes.install(patches)
        clocks.install(patches)
        randomness.install(patches, seed, first_seeded)
        logs.install(patches)
        mpi4py_settings.install(patches)
        interpreter.install(patches, arguments, search_path)
        sockets.install(patches, host_number)
        threads.install(patches, start_thread)
        debuggers.install(patches, debugged)
        profilers.install(patches)
        if models_arithmetic:
            arithmetic.install(patches)
        yield streams
    finally:
        lib.pysmpi_isolation_end()
        patches.undo()
        forget_all()
        streams.output.flush()
        streams.errors.flush()
        for each in files:
            each.close()
