"""Child processes that ranks start with multiprocessing."""

import multiprocessing
import os
import pathlib
import subprocess
import sys
import venv
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

PROGRAMS = {
    "pool": "with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2, -3]))",
    "unclosed pool": "pool = multiprocessing.Pool(2); print(pool.map(abs, [-1, -2, -3]))",
    "executor": "with ProcessPoolExecutor(2) as pool: print(list(pool.map(abs, [-1, -2, -3])))",
    "closed pool": "pool = multiprocessing.Pool(2); print(pool.map(abs, [-1, -2, -3])); pool.close(); pool.join()",
    "queue": (
        "queue = multiprocessing.Queue(); child = multiprocessing.Process(target=answer, args=(queue,)); "
        "child.start(); print(queue.get()); child.join()"
    ),
    "pipe": (
        "mine, other = multiprocessing.Pipe(); child = multiprocessing.Process(target=echo, args=(other,)); "
        "child.start(); mine.send([1, 2, 3]); print(mine.recv()); child.join()"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_children_of_two_ranks(pysmpirun: Command, name: str) -> None:
    source = f"""
        import multiprocessing, time
        from concurrent.futures import ProcessPoolExecutor
        def answer(queue):
            queue.put([1, 2, 3])
        def echo(end):
            end.send(end.recv())
        if __name__ == "__main__":
            from mpi4py import MPI
            MPI.COMM_WORLD.Barrier()
            {PROGRAMS[name]}
            print(MPI.COMM_WORLD.allreduce(1))
    """
    run = pysmpirun("-np", "2", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    assert (run.returncode, run.stderr) == (0, "")
    assert sorted(run.stdout.splitlines()) == ["2", "2", "[1, 2, 3]", "[1, 2, 3]"]


def test_a_rank_waits_for_its_child(pysmpirun: Command) -> None:
    """While a rank waits for its child, simulated time follows real time, and other ranks run."""
    source = """
        import multiprocessing, time
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank == 0:
            child = multiprocessing.Process(target=time.sleep, args=(0.2,))
            child.start()
            child.join()
            print("ended", child.exitcode, MPI.Wtime() > 0.05)
        else:
            time.sleep(1e-3)
            print("others go on")
    """
    run = pysmpirun("-np", "2", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == ["others go on", "ended 0 True"]


def test_a_forked_child_cannot_call_mpi(pysmpirun: Command) -> None:
    """The call fails in the child; the other ranks run once, in the parent."""
    source = """
        import os
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank == 0:
            child = os.fork()
            if child == 0:
                try:
                    world.Recv(bytearray(1), 1)
                except MPI.Exception:
                    os._exit(7)
                os._exit(0)
            print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        world.Barrier()
        print("once")
    """
    run = pysmpirun("-np", "4", "--quiet", "program.py", source=source)
    assert sorted(run.stdout.splitlines()) == ["child 7", *["once"] * 4]
    assert run.stderr == (
        "pysmpi: a child process of a rank called MPI, which only the rank itself can do: the call fails\n"
    )


def test_pools_of_the_package_multiprocess(pysmpirun: Command, installed: Callable[[str, str], None]) -> None:
    """The package has the modules of multiprocessing; the master polls a result while a thread receives it."""
    (folder,) = multiprocessing.__path__
    for file in pathlib.Path(folder).glob("*.py"):
        installed(f"multiprocess/{file.name}", file.read_text())
    installed("multiprocess/dummy/__init__.py", "")
    source = """
        import multiprocess.pool
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        pool = multiprocess.pool.Pool(1)
        result = pool.apply_async(abs, (-world.rank,))
        total = world.allreduce(1)
        while not result.ready():
            pass
        print(result.get(), total)
        if world.rank:
            pool.close()
            pool.join()
        """
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert sorted(run.stdout.splitlines()) == ["0 2", "1 2"], run.stderr


def test_children_that_begin_as_new_interpreters(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """Children import the program again, and mpi4py with it, in an environment without an MPI library.

    MPI calls of the child fail as in a forked child. Each rank has its own server of the start method forkserver.
    """
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    source = """
        import multiprocessing, os
        from concurrent.futures import ProcessPoolExecutor
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        rank = world.Get_rank()
        def place(x):
            return x, os.environ["MINE"]
        def call_mpi(_):
            try:
                return world.allreduce(1)
            except MPI.Exception:
                return MPI.Wtime() > 0
        if __name__ == "__main__":
            os.environ["MINE"] = str(rank)
            for method in ("spawn", "forkserver")[1 - rank :]:
                context = multiprocessing.get_context(method)
                with context.Pool(1) as pool:
                    print(rank, method, pool.map(place, [1]), pool.map(call_mpi, [0]))
            if rank == 0:
                child = context.Process(target=abs, args=(1,))
                child.start()
                child.join(60)
                with ProcessPoolExecutor(1, mp_context=context) as pool:
                    print(child.exitcode, list(pool.map(place, [1])))
        """
    settings = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source, environment=settings, python=[str(python)])
    expected = [
        f"{rank} {method} [(1, '{rank}')] [True]"
        for rank, method in ((1, "spawn"), (0, "forkserver"), (1, "forkserver"))
    ]
    assert sorted(run.stdout.splitlines()) == sorted([*expected, "0 [(1, '0')]"]), run.stderr
    assert set(run.stderr.splitlines()) == {
        "pysmpi: a child process of a rank called MPI, which only the rank itself can do: the call fails"
    }


def test_a_child_does_not_have_the_launchers_handlers(pysmpirun: Command) -> None:
    """A handler in Python would not run in a child that is terminated when it has just begun to wait."""
    source = """
        import os, pathlib, re, signal
        from mpi4py import MPI
        child = os.fork()
        if child == 0:
            status = pathlib.Path("/proc/self/status").read_text()
            caught = int(re.search("SigCgt:(.*)", status)[1], 16)
            os._exit(caught >> signal.SIGTERM - 1 & 1)
        print(os.waitpid(child, 0)[1])
    """
    run = pysmpirun("-np", "2", "program.py", source=source)
    assert run.stdout.split() == ["0", "0"], run.stderr
