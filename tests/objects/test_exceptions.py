"""Exceptions raised inside MPI functions written in Python, and fatal errors."""

import contextlib
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import pysmpi
from pysmpi.simulation.mpi import info

pytestmark = pytest.mark.both_modes

Runner = Callable[..., list[Any]]


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a function that raises the exception."""

    def function(*_: object) -> None:
        raise error

    return function


def test_a_defect_is_an_error_with_its_place(MPI: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is never MPI_SUCCESS."""
    monkeypatch.setattr(info, "add_info", raising(ZeroDivisionError("by nought")))
    with pytest.raises(MPI.Exception) as caught:
        MPI.Info.Create()
    assert caught.value.Get_error_class() == MPI.ERR_INTERN
    assert "test_exceptions.py:" in str(caught.value)
    assert "ZeroDivisionError: by nought; this is a defect of pysmpi (MPI_ERR_INTERN)" in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit("x")])
def test_what_is_no_error_reaches_the_program(
    MPI: ModuleType, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """An interrupt or exit inside an MPI function is raised in the code that called it."""
    monkeypatch.setattr(info, "add_info", raising(error))
    with pytest.raises(type(error)) as caught:
        try:
            MPI.Info.Create()
        except MPI.Exception:
            for _ in range(10):
                pass
    assert caught.value.args == error.args
    assert getattr(caught.value, "code", None) == getattr(error, "code", None)


def test_exit_inside_an_mpi_function_ends_the_rank(run_ranks: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rank ends with the exit status, without a report of an MPI error."""

    def program(MPI: Any) -> None:
        if MPI.COMM_WORLD.rank == 1:
            with contextlib.suppress(MPI.Exception):
                MPI.Info.Create()

    monkeypatch.setattr(info, "add_info", raising(SystemExit(0)))
    assert run_ranks(program, 3) == [None] * 3


def test_fatal_errors_abort_the_simulation(run_ranks: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    """With MPI_ERRORS_ARE_FATAL the error is printed, and all ranks are stopped."""
    after: list[int] = []

    def program(MPI: Any) -> None:
        world = MPI.COMM_WORLD
        if world.rank == 2:
            world.Set_errhandler(MPI.ERRORS_ARE_FATAL)
            world.send(None, dest=-7)
            after.append(world.rank)
        world.recv(source=0, tag=9)

    with pytest.raises(pysmpi.PysmpiError):
        run_ranks(program, 4)
    assert after == []
    expected = "MPI_Send: invalid rank -7; valid: 0 to 3 and MPI_PROC_NULL (MPI_ERR_RANK)"
    assert f"Fatal MPI error in rank 2: {expected}" in capfd.readouterr().err


def test_fatal_errors_outside_ranks_end_the_process() -> None:
    program = """
from pysmpi.simulation.launch.binding import bind
MPI = bind()
MPI.COMM_WORLD.Set_errhandler(MPI.ERRORS_ARE_FATAL)
MPI.COMM_WORLD.Create_cart([2])
print("not reached")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Fatal MPI error: MPI_Cart_create: the grid has 2 places, but the communicator's size is 1" in done.stderr


def test_the_interpreter_ends_cleanly_with_objects_left() -> None:
    """mpi4py cleans up after the interpreter's end, when no Python function can be called."""
    program = """
from pysmpi.simulation.launch.binding import bind
MPI = bind()
comm = MPI.COMM_WORLD.Dup()
comm.Set_attr(MPI.Comm.Create_keyval(delete_fn=print), "value")
MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(delete_fn=print), "value")
comm.Set_errhandler(MPI.Comm.Create_errhandler(print))
operation = MPI.Op.Create(print)
datatype = MPI.INT.Create_vector(2, 1, 3)
comm.bcast(None)
MPI._comm_lock_table(comm)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_finalize_deletes_attributes_of_self(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        deleted: list[Any] = []
        key = MPI.Comm.Create_keyval(delete_fn=lambda comm, _, value: deleted.append(value))
        MPI.COMM_SELF.Set_attr(key, MPI.COMM_WORLD.rank)
        MPI._comm_lock_table(MPI.COMM_SELF)
        MPI.Finalize()
        return deleted

    assert run_ranks(program, 3) == [[0], [1], [2]]


def test_lock_tables_are_of_the_rank(run_ranks: Runner) -> None:
    """mpi4py's locks for pickled communication are in one table per rank."""

    def program(MPI: Any) -> Any:
        comm = MPI.COMM_WORLD.Dup()
        comm.bcast(1)
        comm.barrier()
        table = MPI._comm_lock_table(comm)
        assert table is MPI._comm_lock_table(comm)
        keys = sorted(table)
        comm.barrier()
        comm.Free()
        return id(table), keys

    results = run_ranks(program, 4)
    assert len({identity for identity, _ in results}) == 4
    assert all(keys == ["bcast"] for _, keys in results)
