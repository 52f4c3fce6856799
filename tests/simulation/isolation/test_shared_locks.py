"""Locks of the interpreter: each rank has its own state of them, and waiting for one lets other ranks run."""

import _thread
import threading
from collections.abc import Callable
from typing import Any

import pytest

Lines = Callable[..., dict[int, list[str]]]


def test_locks_of_shared_modules_held_across_switches(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import logging
        from concurrent.futures import thread
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        for lock in (thread._global_shutdown_lock, logging._lock):
            with lock:
                comm.Barrier()
            comm.Barrier()
        print(thread._global_shutdown_lock.locked())
        """
    )
    assert list(lines.values()) == [["False"]] * 3


def test_locks_of_the_module_thread(lines_of: Lines) -> None:
    """Threads of a rank exclude each other; a wait takes simulated time."""
    lines = lines_of(
        """
        import _thread, threading, time
        from mpi4py import MPI
        lock, order = _thread.allocate_lock(), []
        def work(number):
            with lock:
                order.append(number)
                time.sleep(1)
                order.append(number)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(order, round(time.time(), 3))
        print(lock.acquire(timeout=2), lock.acquire(timeout=2), lock.acquire(False), round(time.time(), 3))
        lock.release()
        try:
            lock.release()
        except RuntimeError as error:
            print(error, lock.locked())
        found = []
        _thread.start_new_thread(found.append, (MPI.COMM_WORLD.rank,))
        time.sleep(0.1)
        print(found)
        """
    )
    for rank in range(3):
        expected = ["[0, 0, 1, 1, 2, 2] 3.0", "True False False 5.0", "release unlocked lock False", f"[{rank}]"]
        assert lines[rank] == expected


@pytest.mark.smpi
def test_locks_made_before_the_simulation(MPI, run_ranks) -> None:
    """Ranks do not change the state of the lock."""
    locked, unlocked, recursive = threading.Lock(), threading.Lock(), threading.RLock()
    condition = threading.Condition()
    locked.acquire()

    def program(MPI) -> list[object]:
        condition_met = []

        def work() -> None:
            MPI.COMM_WORLD.Barrier()
            with condition:
                condition_met.append(1)
                condition.notify()
            locked.release()

        threading.Thread(target=work).start()
        with unlocked, recursive, recursive, condition:
            condition.wait_for(lambda: condition_met)
            locked.acquire()
            MPI.COMM_WORLD.Barrier()
            return [locked.locked(), unlocked.locked(), recursive._is_owned()]  # type: ignore[attr-defined]

    assert run_ranks(program, 3) == [[True, True, True]] * 3
    assert (locked.locked(), unlocked.locked()) == (True, False)
    assert type(unlocked).__dict__["acquire"].__objclass__ is type(_thread.allocate_lock())


def test_a_pool_of_threads_beside_a_communicating_thread(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import queue, threading
        from concurrent.futures import ThreadPoolExecutor
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        arrived = queue.Queue()
        def communicate():
            for i in range(5):
                arrived.put(comm.sendrecv(i, (comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size))
            arrived.put(None)
        thread = threading.Thread(target=communicate)
        thread.start()
        with ThreadPoolExecutor(3) as pool:
            futures = []
            while (item := arrived.get()) is not None:
                futures.append(pool.submit(abs, item))
            total = sum(future.result() for future in futures)
        thread.join()
        print(comm.allreduce(total))
        """,
        np=4,
    )
    assert list(lines.values()) == [["40"]] * 4


@pytest.mark.parametrize("kind", ["Lock", "RLock"])
def test_locks_of_ranks_work_after_the_simulation(run_ranks, kind: str) -> None:
    for lock in run_ranks(lambda MPI: getattr(threading, kind)(), 2):
        with lock:
            assert not acquired_elsewhere(lock)
        assert acquired_elsewhere(lock)


def test_a_handler_that_outlives_the_simulation(pysmpirun) -> None:
    """The launcher shuts down logging at its end and acquires the handler's lock."""
    source = "import collections, logging\ncollections.kept = logging.StreamHandler()\nfrom mpi4py import MPI"
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert (run.returncode, run.stderr) == (0, "")


def acquired_elsewhere(lock: Any) -> bool:
    """Return whether another thread can acquire the lock."""
    found = []

    def work() -> None:
        found.append(lock.acquire(timeout=0.05))
        if found[0]:
            lock.release()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]
