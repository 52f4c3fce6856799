"""select.select and epoll of ranks let other ranks run."""

from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]


@pytest.mark.parametrize("kind", ["SelectSelector", "EpollSelector"])
def test_a_rank_waits_for_a_socket(lines_of: Lines, kind: str) -> None:
    lines = lines_of(
        f"""
        import os, selectors, time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        reading, writing = os.pipe()
        ends = comm.allgather(writing)
        selector = selectors.{kind}()
        selector.register(reading, selectors.EVENT_READ)
        if comm.rank == 0:
            print(len(selector.select()), time.time() >= 1)
            print(selector.select(0) == selector.select(-1), os.read(reading, 1), selector.select(2), time.time() >= 3)
        else:
            time.sleep(1)
            os.write(ends[0], b"x")
        """,
        np=2,
    )
    assert lines[0] == ["1 True", "True b'x' [] True"]


def test_the_start_of_a_child_process_takes_no_simulated_time(lines_of: Lines) -> None:
    """Popen reads a pipe until the child runs; a thread of the rank waits meanwhile."""
    lines = lines_of(
        """
        import subprocess, sys, threading, time
        from mpi4py import MPI
        thread = threading.Thread(target=lambda: MPI.COMM_WORLD.recv())
        thread.start()
        before = time.time()
        child = subprocess.Popen([sys.executable, "-c", "pass"])
        taken = time.time() - before
        child.wait()
        MPI.COMM_WORLD.send(0, MPI.COMM_WORLD.rank)
        thread.join()
        print(taken)
        """,
        np=2,
        cfg={"smpi/simulate-computation": "no", "smpi/wtime": "0"},
    )
    assert lines == {rank: ["0.0"] for rank in range(2)}
