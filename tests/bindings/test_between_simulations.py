"""Objects that are made outside ranks, and threads that call MPI, while simulations begin and end."""

import contextlib
import pathlib
import sys
import threading
from types import ModuleType

import numpy as np

import pysmpi

PLATFORM = "torus:2,1,1"
TRACE = "0 init\n0 barrier\n0 finalize\n1 init\n1 barrier\n1 finalize\n"


def replay(folder: pathlib.Path) -> None:
    trace = folder / "trace.txt"
    trace.write_text(TRACE)
    pysmpi.simulate_replay(trace, platform=PLATFORM)


def test_a_replay_keeps_windows(MPI: ModuleType, tmp_path: pathlib.Path) -> None:
    window = MPI.Win.Allocate(1 << 16, comm=MPI.COMM_SELF)
    memory = np.frombuffer(window.tomemory(), dtype="d")
    memory[:] = 3.0
    replay(tmp_path)
    assert memory.sum() == 3.0 * memory.size
    assert window.Get_attr(MPI.WIN_SIZE) == 1 << 16


def test_simulations_keep_error_classes(MPI: ModuleType, tmp_path: pathlib.Path) -> None:
    code = MPI.Add_error_class()
    MPI.Add_error_string(code, "of our own")
    replay(tmp_path)
    pysmpi.simulate(lambda: None, np=2, platform=PLATFORM)
    assert MPI.Get_error_string(code) == "of our own"
    MPI.Remove_error_string(code)
    MPI.Remove_error_class(code)


def test_threads_call_mpi_while_simulations_begin_and_end(MPI: ModuleType) -> None:
    ended = threading.Event()

    def call() -> None:
        while not ended.is_set():
            with contextlib.suppress(MPI.Exception):  # calls of foreign threads fail while ranks run
                MPI.COMM_WORLD.Get_name()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=call)
    thread.start()
    try:
        for _ in range(50):
            assert pysmpi.simulate(lambda: MPI.COMM_WORLD.rank, np=2, platform=PLATFORM).values == [0, 1]
    finally:
        ended.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_a_replay_keeps_communicators(MPI: ModuleType, tmp_path: pathlib.Path) -> None:
    """Communicators that were made outside ranks are used again after a replay, and get no other's handle."""
    twin = MPI.COMM_SELF.Dup()
    replay(tmp_path)
    other = MPI.COMM_SELF.Dup()
    assert twin.allreduce(2) == 2
    assert (twin.size, twin == other) == (1, False)
    other.Free()
    twin.Free()
