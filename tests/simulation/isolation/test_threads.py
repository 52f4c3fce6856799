"""Threads that ranks start are greenlets of the rank, with cooperative locks, events, queues and pools."""

import pathlib
import threading
from collections.abc import Callable

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]


def test_threads_that_call_mpi(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import threading
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        received = []
        def receive():
            received.append(comm.recv(source=MPI.ANY_SOURCE, tag=3))
        threads = [threading.Thread(target=receive) for _ in range(2)]
        for thread in threads:
            thread.start()
        comm.barrier()
        comm.send(comm.rank, dest=comm.rank, tag=3)
        comm.send(comm.rank + 10, dest=(comm.rank + 1) % comm.size, tag=3)
        for thread in threads:
            thread.join()
        print(sorted(received), [thread.is_alive() for thread in threads])
        """
    )
    assert lines == {rank: [f"{sorted([rank, (rank - 1) % 3 + 10])} [False, False]"] for rank in range(3)}


def test_locks_events_and_conditions(lines_of: Lines) -> None:
    """A held lock blocks other threads of the same rank, and no other rank."""
    lines = lines_of(
        """
        import threading, time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        lock, event, condition = threading.Lock(), threading.Event(), threading.Condition()
        order = []
        def work(name, pause):
            with lock:
                order.append("in " + name)
                time.sleep(pause)
                order.append("out " + name)
            with condition:
                condition.notify()
            if name == "b":
                event.set()
        threads = [threading.Thread(target=work, args=arguments) for arguments in (("a", 2), ("b", 1))]
        with condition:
            [thread.start() for thread in threads]
            notified = condition.wait(timeout=10)
        print(event.wait(0.5), round(time.monotonic(), 3))
        print(event.wait(), lock.acquire(blocking=False), lock.acquire(timeout=3), notified)
        print(order, round(time.monotonic(), 3))
        """
    )
    expected = ["False 2.5", "True True False True", "['in a', 'out a', 'in b', 'out b'] 6.0"]
    assert lines == dict.fromkeys(range(3), expected)


def test_queues_and_pools(lines_of: Lines) -> None:
    """A pool that is not shut down ends with the rank."""
    lines = lines_of(
        """
        import queue, threading, time
        from concurrent.futures import ThreadPoolExecutor
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        jobs, results = queue.Queue(), queue.SimpleQueue()
        def serve():
            while (job := jobs.get()) is not None:
                time.sleep(job)
                results.put((job, comm.rank))
                jobs.task_done()
        threading.Thread(target=serve, daemon=True).start()
        for job in (3, 1):
            jobs.put(job)
        jobs.join()
        print(results.get(), results.get(), round(time.time(), 3))
        try:
            jobs.put(None)
            results.get(timeout=2)
        except queue.Empty:
            print("empty", round(time.time(), 3))
        with ThreadPoolExecutor(3) as pool:
            print(list(pool.map(lambda x: (time.sleep(x), x * x)[1], range(4))), round(time.time(), 3))
        left = ThreadPoolExecutor(2)
        print(left.submit(comm.Get_rank).result())
        """
    )
    for rank in range(3):
        assert lines[rank] == [f"(3, {rank}) (1, {rank}) 4.0", "empty 6.0", "[0, 1, 4, 9] 9.0", str(rank)]


def test_identity_and_thread_locals(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import threading
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        data = threading.local()
        data.value = [comm.rank]
        seen = []
        def look():
            seen.append((threading.current_thread().name, hasattr(data, "value"), threading.get_ident()))
            data.value = "mine"
            comm.barrier() if comm.size == 1 else None
        thread = threading.Thread(target=look, name="helper")
        thread.start()
        count = threading.active_count()
        thread.join()
        comm.barrier()
        print(count, len(threading.enumerate()), seen[0][:2], seen[0][2] == thread.ident, data.value)
        print(threading.current_thread() is threading.main_thread(), threading.main_thread().ident != thread.ident)
        """
    )
    assert lines == {rank: [f"2 1 ('helper', False) True [{rank}]", "True True"] for rank in range(3)}


def test_a_thread_that_raises(pysmpirun) -> None:
    source = """
        import threading
        from mpi4py import MPI
        def fail():
            raise ValueError("in a thread")
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        print("goes on", MPI.COMM_WORLD.allreduce(1))
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert (run.returncode, run.stdout) == (0, "goes on 3\n" * 3)
    assert run.stderr.count("ValueError: in a thread") == 3


def test_daemon_threads_end_with_the_rank(lines_of: Lines) -> None:
    """A daemon that waits or polls forever does not keep the rank alive; other threads are waited for."""
    lines = lines_of(
        """
        import threading, time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        def poll():
            while not comm.Iprobe():
                time.sleep(1)
        def wait():
            comm.recv()
        def finish():
            time.sleep(5)
            print("finished", round(time.time()))
        for target in (poll, wait):
            threading.Thread(target=target, daemon=True).start()
        threading.Thread(target=finish).start()
        time.sleep(2)
        print("end", round(time.time()))
        """
    )
    assert lines == {rank: ["end 2", "finished 5"] for rank in range(3)}


def test_daemons_still_run_during_exit_handlers(lines_of: Lines) -> None:
    """An exit handler may ask a daemon, and may start one; both end with the rank."""
    lines = lines_of(
        """
        import atexit, queue, threading
        asked, answers = queue.Queue(), queue.Queue()
        def serve():
            while True:
                answers.put(asked.get() + 1)
        def ask():
            threading.Thread(target=serve, daemon=True).start()
            asked.put(1)
            asked.put(2)
            print(answers.get(), answers.get())
        threading.Thread(target=serve, daemon=True).start()
        atexit.register(ask)
        """
    )
    assert lines == {rank: ["2 3"] for rank in range(3)}


def test_a_deadlock_between_threads_is_reported(pysmpirun) -> None:
    """Two locks are taken in opposite order; the report names the places of both threads."""
    source = """
        import threading, time
        from mpi4py import MPI
        a, b = threading.Lock(), threading.Lock()
        def take(first, second):
            with first:
                time.sleep(1)
                with second:
                    pass
        thread = threading.Thread(target=take, args=(a, b))
        thread.start()
        take(b, a)
        """
    run = pysmpirun("-np", "1", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert lines[0] == "pysmpirun: deadlock at 1 s: 1 rank (2 threads) is blocked and no event is pending"
    assert lines[1] == lines[2] == "  rank 0 (node0): a wait for another thread, at program.py:8"


def test_what_is_awaited_may_happen_before_the_wait_begins(lines_of: Lines) -> None:
    """While the thread's computation passes, a joined thread ends, or a lock is released."""
    lines = lines_of(
        """
        import threading
        import time
        import pysmpi

        lock = threading.Lock()

        def hold():
            with lock:
                time.sleep(0.5)

        for wait in ("join", "acquire"):
            thread = threading.Thread(target=hold)
            thread.start()
            time.sleep(0.1)
            pysmpi.execute(1.0)
            if wait == "join":
                thread.join()
            else:
                with lock:
                    thread.join()
            print(f"{time.perf_counter():.3f}")
        """,
        np=1,
    )
    assert lines == {0: ["1.100", "2.200"]}


def test_what_a_thread_computes_passes_before_it_ends_or_wakes_others(lines_of: Lines) -> None:
    """Computation after the last call counts before a join returns or an event wakes a waiting thread."""
    lines = lines_of(
        """
        import threading
        import pysmpi

        event = threading.Event()

        def work(last):
            pysmpi.execute(1.0)
            if not last:
                event.set()
                pysmpi.execute(0.25)

        def now():
            return f"{threading._time():.3f}"

        joined = threading.Thread(target=work, args=(True,))
        joined.start()
        joined.join()
        print(now())
        left = threading.Thread(target=work, args=(False,))
        left.start()
        event.wait()
        print(now())
        """,
        np=1,
    )
    assert lines == {0: ["1.000", "2.000"]}


def test_threads_that_nobody_joins_end_before_their_rank(platform_file: pathlib.Path) -> None:
    def program() -> None:
        threading.Thread(target=pysmpi.execute, args=(1.5,)).start()

    assert pysmpi.simulate(program, np=2, platform=platform_file).simulated_time == pytest.approx(1.5, abs=0.1)
