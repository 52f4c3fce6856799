"""Isolation of ranks: each rank behaves like a process, although all run in one interpreter.

Native code (pysmpi/native/isolation) swaps one part of the state whenever another rank runs. Programs reach the
remaining state through functions of the standard library; these are replaced by functions whose results depend on the
running rank. Everything is restored when the simulation ends.
"""

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

from pysmpi.native import lib
from pysmpi.simulation.isolation import (
    arithmetic,
    awaited_signals,
    child_lifetimes,
    child_processes,
    clocks,
    compilers,
    crashes,
    debuggers,
    event_loops,
    executors,
    figures,
    garbage,
    host_code,
    import_locks,
    interpreter,
    interval_timers,
    library_loading,
    library_settings,
    limits,
    logs,
    modules,
    mpi4py_settings,
    own_stacks,
    process,
    process_ids,
    profilers,
    randomness,
    registries,
    selects,
    shared_locks,
    sockets,
    thread_dictionary,
    threads,
)
from pysmpi.simulation.isolation.child_processes import end_children
from pysmpi.simulation.isolation.current import begin, forget, forget_all
from pysmpi.simulation.isolation.library_copies import LibraryCopies
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.private_libraries import PrivateLibraries
from pysmpi.simulation.isolation.process import run_exit_handlers
from pysmpi.simulation.isolation.rank_files import RankFiles, make_directory
from pysmpi.simulation.isolation.streams import RankInput, RankOutput
from pysmpi.simulation.isolation.thread_variables import ThreadVariables
from pysmpi.simulation.isolation.threads import stop_threads, wait_for_threads
from pysmpi.simulation.isolation.verdicts import Verdicts

__all__ = ["Isolated", "isolated"]


@dataclass(frozen=True)
class Isolated:
    """Isolation of a simulation's ranks, as returned by `isolated`.

    Attributes:
        output: stream that is ``sys.stdout`` in all ranks; a rank may assign another one for itself.
        errors: stream that is ``sys.stderr`` in all ranks, likewise.
        verdicts: decisions on which modules are private to each rank, with the reasons.
        thread_variables: exchange of thread-local variables of compiled libraries.
        private_libraries: each rank's own variables of C libraries.
    """

    output: RankOutput
    errors: RankOutput
    verdicts: Verdicts
    thread_variables: ThreadVariables
    private_libraries: PrivateLibraries

    def end_rank(self, rank: int) -> None:
        """Do what a process does at its end: wait for threads, run exit handlers, and write an incomplete last line.

        Call this in the rank itself.
        """
        try:
            wait_for_threads(rank)
            run_exit_handlers(rank)  # daemons still run
            stop_threads(rank)
            end_children()
        finally:
            self.output.end_rank(rank)
            self.errors.end_rank(rank)

    def finalise(self, rank: int) -> bool:
        """Finalise the rank's objects as the interpreter does at exit: first garbage, then modules.

        Call this in the rank itself, after `end_rank`.

        Returns:
            whether the garbage has been collected. False if this interpreter's garbage collector cannot be separated by
            ranks: the rank's garbage is then collected with that of all other ranks.
        """
        lib.pysmpi_garbage_collect(False)
        lib.pysmpi_isolation_release(rank)
        collected = bool(lib.pysmpi_garbage_collect(True))
        self.output.end_rank(rank)
        self.errors.end_rank(rank)
        return collected

    def add_ranks(self, count: int) -> None:
        """Isolate `count` more ranks, which are added while the simulation runs.

        From now on, incomplete lines of output are buffered, even if there was only one rank before, so that lines of
        several ranks do not mix.
        """
        lib.pysmpi_isolation_extend(lib.pysmpi_rank_count() + count)
        lib.pysmpi_garbage_begin(count)
        self.output.hold()
        self.errors.hold()

    def add_program(self, directory: str, package: str) -> None:
        """Register the modules of a program that starts while the simulation runs.

        Args:
            directory: directory of the program's own modules.
            package: name of the program's own package, or "" for none.
        """
        self.verdicts.add_program(directory, package)

    @staticmethod
    def forget(rank: int) -> None:
        """Release the private state of a rank that has ended."""
        forget(rank)
        lib.pysmpi_garbage_merge(rank)


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
    chosen: Mapping[str, bool],
    shared_threads: Sequence[str],
    stack_size: float,
    private_libraries: Sequence[str],
    start_thread: Callable[[int, Callable[[], None]], None],
    child_prologue: str,
    output_directory: str | os.PathLike[str] | None,
    debugged: int | None,
) -> Iterator[Isolated]:
    """Isolate the ranks of the current simulation, until the context ends.

    Args:
        ranks: number of ranks.
        arguments: function that returns a rank's command line.
        search_path: function that returns the first entries of a rank's ``sys.path``.
        host_name: function that returns the name of a rank's host.
        host_cores: function that returns the number of cores of a rank's host.
        variables: function that returns a rank's own environment variables.
        host_number: function that returns the number of the host with a name, or None if the name is unknown.
        seed: seed of random numbers that ranks do not seed themselves.
        first_seeded: number of the random sequence of rank 0; rank r draws from sequence `first_seeded` + r.
        models_arithmetic: whether the simulated time of linear algebra in NumPy and SciPy comes from a model
            (`pysmpi.simulation.compute.blas`) instead of a measurement.
        label: whether lines of output begin with the rank.
        directories: directories of the programs' own modules.
        packages: the programs' own packages, wherever they lie.
        chosen: the user's choice of private (True) and shared (False) packages and modules, by name.
        shared_threads: parts of names of libraries whose thread-local variables all ranks share.
        stack_size: size of ranks' own stacks in KiB, or 0 for that of a process's stack.
        private_libraries: values of ``--private-libs``.
        start_thread: function that adds a thread to the running rank, given the thread's number and the function that
            it runs. The thread becomes a greenlet, which the main greenlet switches to.
        child_prologue: Python source that a child process runs first if multiprocessing starts a new interpreter.
        output_directory: directory for one output file per rank and stream, or None if all ranks share the standard
            streams.
        debugged: the only rank whose breakpoints have an effect, or None for all ranks.
    """
    patches = Patches()
    files = []
    if output_directory is not None:
        make_directory(output_directory, ranks)
        files = [RankFiles(output_directory, "out"), RankFiles(output_directory, "err")]

    def stream(number: int, shared: TextIO) -> RankOutput:
        hold = ranks > 1 and not shared.isatty()
        return RankOutput(shared, label=label, hold=hold, files=files[number] if files else None)

    own_libraries = PrivateLibraries(patches, private_libraries)
    copies = LibraryCopies(patches, own_libraries)
    streams = Isolated(
        output=stream(0, sys.stdout),
        errors=stream(1, sys.stderr),
        verdicts=modules.install(patches, directories, packages, chosen, copies),
        thread_variables=ThreadVariables(patches, shared_threads),
        private_libraries=own_libraries,
    )
    begin()
    lib.pysmpi_isolation_begin(ranks)
    try:
        host_code.install(patches)
        garbage.install(patches, ranks)
        patches.set(sys, "stdout", streams.output)
        patches.set(sys, "stderr", streams.errors)
        if sys.stdin is not None:
            standard_input = RankInput(sys.stdin, (streams.output, streams.errors))
            patches.set(sys, "stdin", standard_input)
            patches.set(builtins, "input", standard_input.asking(builtins.input))
        crashes.install(patches, ranks, host_name)
        interval_timers.install(patches)
        awaited_signals.install(patches)
        process.install(patches, host_name, host_cores, variables)
        process_ids.install(patches)
        child_lifetimes.install(patches)
        child_processes.install(patches, child_prologue)
        clocks.install(patches)
        library_loading.install(patches, copies)
        compilers.install(patches)
        randomness.install(patches, seed, first_seeded)
        logs.install(patches)
        mpi4py_settings.install(patches)
        interpreter.install(patches, arguments, search_path)
        thread_dictionary.install(patches)
        registries.install(patches)
        sockets.install(patches, host_number)
        limits.install(patches)
        threads.install(patches, start_thread)
        executors.install(patches)
        figures.install(patches)
        own_stacks.install(patches, stack_size)
        library_settings.install(patches, streams.thread_variables, seed, first_seeded)
        shared_locks.install(patches)
        import_locks.install(patches)
        selects.install(patches)
        event_loops.install(patches, streams.verdicts)
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
