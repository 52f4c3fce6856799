"""Process state that each rank has for itself."""

import inspect
import os
import pathlib
import socket
from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]


def test_main_is_private(lines_of: Lines) -> None:
    """A global keeps each rank's value across a barrier."""
    lines = lines_of(
        """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        mine = [comm.rank]
        comm.Barrier()
        mine.append(comm.rank)
        comm.Barrier()
        import sys
        print(mine, sys.modules["__main__"].mine is mine, __name__, __file__.endswith("program.py"))
        """
    )
    assert lines == {rank: [f"[{rank}, {rank}] True __main__ True"] for rank in range(3)}


def test_a_class_of_main_can_be_pickled(lines_of: Lines) -> None:
    """An object of a class in __main__ arrives as one of the receiver's own class."""
    lines = lines_of(
        """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        class Point:
            def __init__(self, x):
                self.x = x
        received = comm.sendrecv(Point(comm.rank), dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
        print(received.x, type(received) is Point, [point.x for point in comm.allgather(Point(comm.rank * 10))])
        """
    )
    assert lines == {rank: [f"{(rank - 1) % 3} True [0, 10, 20]"] for rank in range(3)}


def test_arguments_and_search_path(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        arguments = sys.argv
        if comm.rank == 1:
            arguments.pop()
            sys.path.insert(0, "/of/rank/1")
        if comm.rank == 2:
            sys.argv = ["new"]
            sys.path = sys.path[:1]
        comm.Barrier()
        print(sys.argv[1:], "/of/rank/1" in sys.path, len(sys.path) == 1, sys.argv is arguments)
        """,
        args=["one", "two"],
    )
    assert lines == {
        0: ["['one', 'two'] False False True"],
        1: ["['one'] True False True"],
        2: ["[] False True False"],
    }


def test_standard_output_of_one_rank(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            sys.stdout = open(os.devnull, "w")
        comm.Barrier()
        print("visible")
        comm.Barrier()
        if comm.rank == 1:
            sys.stdout.close()
            sys.stdout = sys.__stdout__
            print("later")
        """
    )
    assert lines[0] == lines[2] == ["visible"]
    assert "visible" not in lines.get(1, [])


def test_environment(lines_of: Lines) -> None:
    os.environ["PYSMPI_TEST_SHARED"] = "outside"
    try:
        lines = lines_of(
            """
            import os
            from os import environ
            from mpi4py import MPI
            comm = MPI.COMM_WORLD
            if comm.rank == 0:
                os.environ["OMP_PLACES"] = "cores"
            if comm.rank == 1:
                del os.environ["PYSMPI_TEST_SHARED"]
            if comm.rank == 2:
                os.environ.update(PYSMPI_TEST_SHARED="mine")
            comm.Barrier()
            print(environ.get("OMP_PLACES"), os.getenv("PYSMPI_TEST_SHARED"), "PYSMPI_TEST_SHARED" in dict(environ))
            """
        )
        assert os.environ["PYSMPI_TEST_SHARED"] == "outside"
    finally:
        del os.environ["PYSMPI_TEST_SHARED"]
    assert lines == {0: ["cores outside True"], 1: ["None None False"], 2: ["None mine True"]}
    assert "OMP_PLACES" not in os.environ


def test_working_directory(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    before = pathlib.Path.cwd()
    lines = lines_of(
        f"""
        import os
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank > 0:
            os.makedirs({str(tmp_path)!r} + f"/rank{{comm.rank}}")
            os.chdir({str(tmp_path)!r} + f"/rank{{comm.rank}}")
        comm.Barrier()
        if comm.rank == 2:
            os.chdir("..")
        comm.Barrier()
        if comm.rank == 1:
            open("here", "w").close()
        print(os.path.basename(os.getcwd()))
        """
    )
    assert lines == {0: [before.name], 1: ["rank1"], 2: [tmp_path.name]}
    assert (tmp_path / "rank1" / "here").exists()
    assert pathlib.Path.cwd() == before


def test_exit_handlers(lines_of: Lines) -> None:
    """Each rank runs its own handlers at its end, the last first; MPI still works in them."""
    lines = lines_of(
        """
        import atexit
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        def leave(word):
            print(word, comm.allreduce(1))
        def never():
            print("never")
        for word in ("first", "second"):
            atexit.register(leave, word)
        atexit.register(never)
        atexit.unregister(never)
        if comm.rank == 1:
            atexit.register(print, "only rank 1")
        """
    )
    assert lines == {0: ["second 3", "first 3"], 1: ["only rank 1", "second 3", "first 3"], 2: ["second 3", "first 3"]}


def test_signal_handlers(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, signal
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        before = signal.getsignal(signal.SIGUSR1)
        if comm.rank < 2:
            signal.signal(signal.SIGUSR1, lambda number, frame: print("got", number, "in", comm.rank))
        comm.Barrier()
        print(signal.getsignal(signal.SIGUSR1) is before)
        if comm.rank == 0:
            os.kill(os.getpid(), signal.SIGUSR1)
        if comm.rank == 1:
            signal.raise_signal(signal.SIGUSR1)
        """
    )
    assert lines == {0: ["False", "got 10 in 0"], 1: ["False", "got 10 in 1"], 2: ["True"]}


def test_identity(lines_of: Lines) -> None:
    """Host name and cores are the simulated host's; each rank has its own process id, the same in each run."""
    source = """
        import multiprocessing, os, platform, socket
        from mpi4py import MPI
        print(socket.gethostname(), platform.node(), os.uname().nodename, MPI.Get_processor_name())
        print(os.cpu_count(), multiprocessing.cpu_count(), len(os.sched_getaffinity(0)))
        print(os.getpid())
        """
    lines = lines_of(source, hosts=["node3", "node3", "node5"])
    assert [lines[rank][0] for rank in range(3)] == [" ".join([host] * 4) for host in ("node3", "node3", "node5")]
    assert lines[0][1] == "16 16 16"
    assert len({lines[rank][2] for rank in range(3)}) == 3
    assert lines == lines_of(source, hosts=["node3", "node3", "node5"])
    assert socket.gethostname() not in {"node3", "node5"}
    assert str(os.getpid()) not in {lines[rank][2] for rank in range(3)}


def test_asking_for_the_machine_starts_no_process(lines_of: Lines) -> None:
    """A rank that waited for a child process would let others run in the middle of the library that asks."""
    source = """
        import platform, subprocess
        subprocess.check_output = None
        print(platform.machine() == platform.uname().machine, platform.system(), platform.uname().node)
        """
    assert lines_of(source, np=1, hosts=["node3"])[0] == ["True Linux node3"]


def test_a_rank_chooses_cores_of_its_simulated_host(lines_of: Lines) -> None:
    before = os.sched_getaffinity(0)
    lines = lines_of(
        """
        import os
        from mpi4py import MPI
        rank = MPI.COMM_WORLD.rank
        os.sched_setaffinity(0 if rank else os.getpid(), {rank + 3, 1000})
        MPI.COMM_WORLD.Barrier()
        print(os.sched_getaffinity(0))
        try:
            os.sched_setaffinity(0, {16})
        except OSError as error:
            print(error)
        """
    )
    assert lines == {rank: [f"{{{rank + 3}}}", "[Errno 22] Invalid argument"] for rank in range(3)}
    assert os.sched_getaffinity(0) == before


def test_replaced_functions_have_the_signatures_of_the_original_ones(lines_of: Lines) -> None:
    shown = [str(inspect.signature(function)) for function in (open, os.getpid, os.stat, os.kill)]
    lines = lines_of(
        """
        import inspect, os
        for function in (open, os.getpid, os.stat, os.kill):
            print(inspect.signature(function))
        print(open.__doc__ is not None, os.stat.__name__)
        """
    )
    assert lines == {rank: [*shown, "True stat"] for rank in range(3)}


def test_exit_without_handlers(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import atexit, os
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        atexit.register(print, "handler")
        if comm.rank == 1:
            print("leaving")
            os._exit(0)
        print("staying")
        """
    )
    assert lines == {0: ["staying", "handler"], 1: ["leaving"], 2: ["staying", "handler"]}


def test_standard_input(lines_of: Lines, monkeypatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("first\nsecond\n"))
    lines = lines_of(
        """
        import sys
        from mpi4py import MPI
        print(sys.stdin.readline().strip(), len(sys.stdin.read()))
        """
    )
    assert lines == {0: ["first 7"], 1: [" 0"], 2: [" 0"]}


def test_programs_that_a_rank_starts(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import os, subprocess, tempfile
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        with tempfile.TemporaryDirectory() as directory:
            if comm.rank == 1:
                os.environ["PYSMPI_TEST"] = "mine"
                os.chdir(directory)
            comm.Barrier()
            command = 'echo "$PYSMPI_TEST" "$PWD"'
            word, where = subprocess.run(command, shell=True, capture_output=True, text=True).stdout.split(" ")
            print(word, os.path.basename(where.strip()) == os.path.basename(directory))
            os.chdir("/")
        """
    )
    assert lines == {0: [" False"], 1: ["mine True"], 2: [" False"]}


def test_finalisers_at_the_end(lines_of: Lines) -> None:
    """Finalisers that run at a program's end may still use its globals and MPI."""
    lines = lines_of(
        """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        class Resource:
            def __del__(self):
                print("freed by", comm.rank, comm.allreduce(1))
        resource = Resource()
        """
    )
    assert lines == {rank: [f"freed by {rank} 3"] for rank in range(3)}


def test_a_rank_that_forks(lines_of: Lines) -> None:
    """The child is not a rank; its exit status reaches the rank."""
    lines = lines_of(
        """
        import os
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        real = os.getppid()
        child = os.fork()
        if child == 0:
            os._exit(40 + comm.rank if os.getppid() != real else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), comm.allreduce(1))
        """
    )
    assert lines == {rank: [f"{40 + rank} 3"] for rank in range(3)}


def test_replaced_functions_can_be_pickled(lines_of: Lines) -> None:
    """A replacement is pickled by name, like the original function."""
    lines = lines_of(
        """
        import os, pickle, socket, threading, time
        from mpi4py import MPI
        functions = [time.sleep, time.time, os.getpid, socket.gethostname, threading.get_ident]
        print(all(a is b for a, b in zip(functions, MPI.COMM_WORLD.bcast(functions))))
        """
    )
    assert lines == {rank: ["True"] for rank in range(3)}


def test_a_rank_finds_its_place_in_its_environment(lines_of: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables give rank and size in the world and on the host; changes reach the rank's children too."""
    monkeypatch.setenv("PMI_RANK", "17")
    monkeypatch.setenv("SLURM_PROCID", "17")
    lines = lines_of(
        """
        import os, subprocess
        from mpi4py import MPI
        rank, environ = MPI.COMM_WORLD.rank, os.environ
        ompi = [environ[f"OMPI_COMM_WORLD_{name}"] for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")]
        mpich = environ["PMI_RANK"], environ["PMI_SIZE"], environ["MPI_LOCALRANKID"], environ["MPI_LOCALNRANKS"]
        MPI.COMM_WORLD.Barrier()
        child = subprocess.run(["sh", "-c", "echo $PMI_RANK"], capture_output=True, text=True).stdout.strip()
        before = os.environb[b"PMI_RANK"]
        if rank == 1: os.environ["PMI_RANK"] = "changed"
        if rank == 2: os.environ.clear()
        MPI.COMM_WORLD.Barrier()
        print(*ompi, tuple(ompi) == mpich, child, int(before), os.getenv("PMI_RANK"), os.getenv("SLURM_PROCID"))
        """,
        np=3,
        hosts=["node0", "node1", "node0"],
    )
    assert lines == {
        0: ["0 3 0 2 True 0 0 0 0"],
        1: ["1 3 0 1 True 1 1 changed 1"],
        2: ["2 3 1 2 True 2 2 None None"],
    }
    assert os.environ["PMI_RANK"] == "17"


def test_spawned_ranks_find_their_place(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    """The variables describe their own MPI_COMM_WORLD."""
    (tmp_path / "child.py").write_text(
        "import os\n"
        "from mpi4py import MPI\n"
        "names = ('PMI_RANK', 'PMI_SIZE', 'MPI_LOCALRANKID', 'MPI_LOCALNRANKS')\n"
        "parent = MPI.Comm.Get_parent()\n"
        "parent.gather([int(os.environ[name]) for name in names], root=0)\n"
    )
    lines = lines_of(
        f"""
        import os, sys
        from mpi4py import MPI
        children = MPI.COMM_SELF.Spawn(sys.executable, [{str(tmp_path / "child.py")!r}], maxprocs=3)
        print(children.gather(None, root=MPI.ROOT), os.environ["PMI_SIZE"])
        """,
        np=1,
        hosts=["node3"],
    )
    assert lines[0] == ["[[0, 3, 0, 3], [1, 3, 1, 3], [2, 3, 2, 3]] 1"]
