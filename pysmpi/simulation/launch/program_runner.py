"""Execution of a rank's program as ``__main__``, and the end of the rank, which is like that of a process."""

import os
import sys
import weakref
from types import FunctionType, ModuleType
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.executables.running import Executables
from pysmpi.simulation.isolation import Isolated
from pysmpi.simulation.isolation.interpreter import isolate_assignments
from pysmpi.simulation.isolation.modules import own_module
from pysmpi.simulation.isolation.mpi4py_settings import abort_status
from pysmpi.simulation.isolation.stopping import RankStopped
from pysmpi.simulation.launch.interpreter_options import Flags
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.program import ExecutableProgram, FunctionProgram, MainProgram

__all__ = ["ProgramRunner"]

_MAIN = "__pysmpi_main__"  # entry in the namespace of a rank that ends: its module


class ProgramRunner:
    """Runner of the programs of a job. Each rank calls `run`, and `end` after its program.

    Args:
        job: the job; MPI_Comm_spawn adds programs and ranks to it while it runs.
        mpi: module ``mpi4py.MPI``.
        isolated: isolation of the ranks, which gives each rank its own modules, variables and streams.
    """

    def __init__(self, job: Job, mpi: ModuleType, isolated: Isolated) -> None:
        self._job = job
        self._mpi = mpi
        self._isolated = isolated
        self._mains: dict[int, ModuleType] = {}
        self._executables: Executables | None = None  # begun by the first rank that runs one
        for program in job.programs:
            if isinstance(program, FunctionProgram) and program.globals is not None:
                isolate_assignments(program.globals)

    def run(self, rank: int) -> Any:
        """Run the program of a rank; return the value of its function, or None for a script."""
        program = self._job.programs[self._job.program_of[rank]]
        if isinstance(program, FunctionProgram):
            return program.function(*program.positional, **program.named)
        if isinstance(program, ExecutableProgram):
            return self._execute(program, rank)
        # The frame of this call, which is kept in memory for each blocked rank, has few variables.
        return self._script(program, rank)()

    def _execute(self, program: ExecutableProgram, rank: int) -> None:
        """Run an executable in a rank that has not called MPI_Init yet, and whose MPI errors are fatal."""
        _begin(program.start, program.directory)
        lib.pysmpi_await_initialization()
        lib.pysmpi_provide_threads(self._mpi.THREAD_SINGLE)
        for communicator in (self._mpi.COMM_SELF, self._mpi.COMM_WORLD):
            communicator.Set_errhandler(self._mpi.ERRORS_ARE_FATAL)
        if self._executables is None:
            self._executables = Executables(self._write, self._job.options.seed, self._host_name, self._host_cores)
        status = self._executables.run(rank, program.executable, sys.argv)
        if status:
            raise SystemExit(status)

    def _write(self, descriptor: int, content: bytes) -> None:
        stream = self._isolated.output if descriptor == 1 else self._isolated.errors
        stream.buffer.write(content)

    def _host_name(self, rank: int) -> str:
        return self._job.platform.hosts[self._job.placed[rank]].name

    def _host_cores(self, rank: int) -> int:
        return self._job.platform.hosts[self._job.placed[rank]].cores

    def close(self) -> None:
        """Release what the ranks' programs have needed. Call this outside ranks."""
        if self._executables is not None:
            self._executables.end()

    def _script(self, program: MainProgram, rank: int) -> FunctionType:
        """Prepare a rank for its script; return a function that runs the script."""
        _begin(program.start, program.directory)
        if program.flags:
            sys.flags = Flags(dict(program.flags))  # type: ignore[assignment]
        module = self._mains[rank] = program.new_main()
        own_module(rank, module)
        # This does what exec would do, but uses less of the stack, which is kept in memory for each blocked rank.
        return FunctionType(program.code, module.__dict__)

    def end(self, rank: int) -> None:
        """End a rank like a process: run exit handlers, call MPI_Abort after a failure, release objects."""
        lib.pysmpi_account_computation()
        lib.pysmpi_note_objects()
        try:
            self._isolated.end_rank(rank)
            status = abort_status(rank)
            if status and not self._mpi.Is_finalized():
                lib.pysmpi_abort(status)
        finally:
            lib.pysmpi_keep_messages()
            self._release(rank)

    def _release(self, rank: int) -> None:
        main = self._mains.pop(rank, None)
        collected = False
        if not lib.pysmpi_is_stopping(rank):
            left = None
            if main is not None:
                main.__dict__[_MAIN] = main  # now the module lives as long as its namespace, which functions refer to
                left = weakref.ref(main)
                del main
            collected = self._isolated.finalise(rank)
            main = left() if left is not None else None
        if main is not None:
            _clear(main.__dict__, collected)


def _begin(start: float, directory: str | None) -> None:
    """Let a rank's program begin at a simulated time, in its working directory."""
    if start > 0 and lib.pysmpi_sleep(start) < 0:
        raise RankStopped
    if directory is not None:
        os.chdir(directory)


def _clear(namespace: dict[str, Any], collected: bool) -> None:
    # Objects with finalizers are released first, so that the finalizers can still use the other globals, as at the end
    # of an interpreter.
    for name in [name for name, value in namespace.items() if hasattr(type(value), "__del__")]:
        del namespace[name]
    if collected:  # shared modules or other ranks keep objects of the namespace, whose methods may need it
        namespace.pop(_MAIN, None)
    else:  # the functions of a namespace refer to the namespace
        namespace.clear()
