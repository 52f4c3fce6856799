"""Threads that loop over the state of another thread without blocking let it run."""

from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]

LOOPS = {
    "lock": "while not done:\n            with lock: pass",
    "acquire": "while not done:\n            if lock.acquire(False): lock.release()",
    "recursive lock": "while not done:\n            with recursive: pass",
    "locked": "while held.locked(): pass",
    "event": "while not event.is_set(): pass",
    "queue": "while True:\n            try: fifo.get_nowait(); break\n            except queue.Empty: pass",
    "simple queue": "while simple.empty(): pass",
    "thread": "while thread.is_alive(): pass",
    "count of threads": "while threading.active_count() > 1: pass",
    "future": "while not future.done(): pass",
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_wait_for_a_thread(lines_of: Lines, name: str) -> None:
    """The thread waits for messages and for simulated time, of which the loop itself takes none."""
    lines = lines_of(
        f"""
        import queue, threading, time
        from concurrent.futures import Future
        from mpi4py import MPI
        lock, recursive, held, event = threading.Lock(), threading.RLock(), threading.Lock(), threading.Event()
        fifo, simple, future, done = queue.Queue(), queue.SimpleQueue(), Future(), []
        held.acquire()
        def work():
            total = MPI.COMM_WORLD.allreduce(1)
            time.sleep(1)
            done.append(total), held.release(), event.set(), fifo.put(1), simple.put(1), future.set_result(1)
        thread = threading.Thread(target=work)
        thread.start()
        {LOOPS[name]}
        print(done, 1 <= time.time() < 1.1)
        """,
    )
    assert list(lines.values()) == [["[3] True"]] * 3


def test_usual_use_of_locks_does_not_switch(lines_of: Lines) -> None:
    """A thread that uses locks a few hundred times in a row is not interrupted by another one that is ready."""
    lines = lines_of(
        """
        import queue, threading
        from mpi4py import MPI
        lock, fifo, order = threading.Lock(), queue.Queue(), []
        thread = threading.Thread(target=lambda: order.append("thread"))
        thread.start()
        for i in range(100):
            with lock:
                fifo.put(i)
        order.append("main")
        thread.join()
        print(order)
        """
    )
    assert list(lines.values()) == [["['main', 'thread']"]] * 3
