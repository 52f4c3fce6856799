"""A thread waits for a module that another thread of its rank imports, and not for other ranks."""

from collections.abc import Callable
from pathlib import Path

Lines = Callable[..., dict[int, list[str]]]


def test_threads_that_import_a_module_that_communicates(lines_of: Lines, tmp_path: Path) -> None:
    (tmp_path / "ring.py").write_text(
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "before = comm.sendrecv(comm.rank, (comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)\n"
    )
    lines = lines_of(
        """
        import threading
        from mpi4py import MPI
        seen = []
        def work():
            import ring
            seen.append(ring.before)
        threads = [threading.Thread(target=work) for _ in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(seen)
        """
    )
    assert lines == {0: ["[2, 2]"], 1: ["[0, 0]"], 2: ["[1, 1]"]}


def test_threads_that_import_each_others_modules(lines_of: Lines, tmp_path: Path) -> None:
    """One of the threads gets an unfinished module, as in the interpreter."""
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / f"{name}.py").write_text(f"import time, mpi4py.MPI\ntime.sleep(1)\nimport {other}\n")
    lines = lines_of(
        """
        import importlib, threading, time
        from mpi4py import MPI
        threads = [threading.Thread(target=importlib.import_module, args=(name,)) for name in ("one", "two")]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(round(time.time(), 2))
        """
    )
    assert list(lines.values()) == [["1.0"]] * 3
