"""Programs that ranks start, and their connection with their parents."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi

Runner = Callable[..., list[Any]]

CHILD = """
import os, sys
from mpi4py import MPI
world, parent = MPI.COMM_WORLD, MPI.Comm.Get_parent()
total = world.allreduce(world.rank)
parent.send((world.rank, world.size, total, parent.rank, parent.remote_size, sys.argv[1:], os.getcwd(),
             MPI.Get_processor_name(), world.Get_attr(MPI.APPNUM), __name__), dest=0)
parent.Disconnect()
assert MPI.Comm.Get_parent() == MPI.COMM_NULL
"""


@pytest.fixture
def child(tmp_path: pathlib.Path) -> str:
    """Return the path of a program that reports to its first parent."""
    path = tmp_path / "child.py"
    path.write_text(CHILD)
    return str(path)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_children_have_a_world_of_their_own(run_ranks: Runner, child: str, ranks: int) -> None:
    """Children are numbered from 0, know their parents, and run on the next free cores."""

    def program(MPI: Any) -> Any:
        between = MPI.COMM_WORLD.Spawn(sys.executable, [child, "-x", "7"], maxprocs=3, root=ranks - 1)
        assert (between.rank, between.size, between.remote_size) == (MPI.COMM_WORLD.rank, ranks, 3)
        return [between.recv(source=i) for i in range(3)] if between.rank == 0 else None

    found = run_ranks(program, ranks)[0]
    for rank, told in enumerate(found):
        host = f"node-{(ranks + rank) // 4}"
        assert told == (rank, 3, 3, rank, ranks, ["-x", "7"], os.getcwd(), host, 0, "__main__")


def test_starting_takes_time(child: str, MPI: Any) -> None:
    """Parents continue when smpi/spawn-time has passed, which the children's clocks show too."""

    def program() -> float:
        between = MPI.COMM_SELF.Spawn(child, maxprocs=2)
        for _ in range(2):
            between.recv()
        return float(MPI.Wtime())

    for seconds in (0.0, 3.0):
        cfg = {"smpi/spawn-time": seconds, "smpi/simulate-computation": "no"}
        platform = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "cluster.xml"
        result = pysmpi.simulate(program, np=1, platform=platform, cfg=cfg)
        assert seconds <= result.values[0] < seconds + 0.01
        assert len(result.ranks) == 3


def test_several_programs_in_one_world(run_ranks: Runner, child: str, tmp_path: pathlib.Path) -> None:
    """Each command has its number as MPI_APPNUM, its hosts and its directory."""

    def program(MPI: Any) -> Any:
        infos = [MPI.Info.Create({"host": "node-7,node-9"}), MPI.Info.Create({"wdir": str(tmp_path)})]
        codes: list[list[int]] = []
        between = MPI.COMM_SELF.Spawn_multiple(
            [sys.executable, child], [["-u", "-W", "ignore", child], []], [3, 1], infos, errcodes=codes
        )
        assert codes == [[0] * 3, [0]]
        return [between.recv(source=i) for i in range(4)]

    found = run_ranks(program, 1)[0]
    assert [(told[7], told[8]) for told in found] == [("node-7", 0), ("node-9", 0), ("node-7", 0), ("node-0", 1)]
    assert [told[6] for told in found] == [os.getcwd()] * 3 + [str(tmp_path)]


def test_soft_takes_what_is_free(run_ranks: Runner, child: str) -> None:
    """The largest number in `soft` that fits the free cores is started; the other processes get an error
    code."""

    def program(MPI: Any) -> Any:
        codes: list[int] = []
        between = MPI.COMM_SELF.Spawn(child, maxprocs=200, info=MPI.Info.Create({"soft": "1:200:50"}), errcodes=codes)
        for _ in range(between.remote_size):
            between.recv()
        return between.remote_size, codes.count(0), codes.count(MPI.ERR_SPAWN)

    assert run_ranks(program, 1)[0] == (101, 101, 99)


@pytest.mark.parametrize(
    ("command", "arguments", "info", "message"),
    [
        ("no-such-program", [], {}, "cannot find the program 'no-such-program'"),
        (sys.executable, ["no_such_script.py"], {}, "cannot find the script"),
        (sys.executable, ["-m", "no_such_module"], {}, "cannot find a module 'no_such_module'"),
        (sys.executable, ["-c", "1 +"], {}, "<string>:1: invalid syntax"),
        (sys.executable, [], {}, "without a program"),
        ("ls", [], {}, "is linked with no MPI library"),
        (sys.executable, ["-c", ""], {"host": "nowhere"}, "nowhere"),
        (sys.executable, ["-c", ""], {"soft": "many"}, "info key 'soft' is 'many'"),
        (
            sys.executable,
            ["-c", ""],
            {"soft": "2:8"},
            "info key 'soft' is '2:8', which allows no number of processes from 0 to 1",
        ),
    ],
)
def test_programs_that_cannot_start(
    run_ranks: Runner, command: str, arguments: list[str], info: dict[str, str], message: str
) -> None:
    """All ranks get MPI_ERR_SPAWN with the reason."""

    def program(MPI: Any) -> Any:
        with pytest.raises(MPI.Exception) as caught:
            MPI.COMM_WORLD.Spawn(command, arguments, 1, MPI.Info.Create(info))
        return caught.value.Get_error_class() == MPI.ERR_SPAWN and str(caught.value)

    for text in run_ranks(program, 2):
        assert message in text


def test_more_than_there_are_cores(run_ranks: Runner, child: str) -> None:
    """When no core is free, all are filled again in order."""

    def program(MPI: Any) -> Any:
        between = MPI.COMM_SELF.Spawn(child, maxprocs=133)
        return [between.recv(source=i)[7] for i in (0, 2, 3, 126, 127, 130, 131, 132)]

    numbers = (0, 0, 1, 31, 0, 0, 1, 1)  # rank 0 has the first of 32 * 4 cores
    assert run_ranks(program, 1)[0] == [f"node-{number}" for number in numbers]


def test_children_spawn_again(run_ranks: Runner, tmp_path: pathlib.Path) -> None:
    """Each generation has its own parents, and cores of ended ranks are reused."""
    script = tmp_path / "generation.py"
    script.write_text(
        "import sys\n"
        "from mpi4py import MPI\n"
        "left, parent = int(sys.argv[1]), MPI.Comm.Get_parent()\n"
        "found = []\n"
        "if left > 0:\n"
        "    found = MPI.COMM_WORLD.Spawn(sys.argv[0], [str(left - 1)], 1).recv()\n"
        "parent.send([left, *found], 0)\n"
    )

    def program(MPI: Any) -> Any:
        return [MPI.COMM_SELF.Spawn(str(script), [str(depth)], 1).recv() for depth in (0, 3, 100)]

    assert run_ranks(program, 1)[0] == [[0], [3, 2, 1, 0], list(range(100, -1, -1))]


def test_children_that_fail(child: str, tmp_path: pathlib.Path) -> None:
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import sys\nfrom mpi4py import MPI\nMPI.COMM_WORLD.Spawn(sys.executable, ['-c', '1 / 0'], 2).recv()\n"
    )
    platform = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "cluster.xml"
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "2", "--platform", str(platform), str(parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "rank 2 (host node-0) raised ZeroDivisionError" in done.stderr


def test_a_module_of_a_package(run_ranks: Runner, tmp_path: pathlib.Path) -> None:
    """-m runs a module with its package, which the parent does not import."""
    package = tmp_path / "offspring"
    package.mkdir()
    (package / "__init__.py").write_text("values = [5]\n")
    (package / "__main__.py").write_text(
        "from mpi4py import MPI\nfrom offspring import values\nMPI.Comm.Get_parent().send((*values, __package__), 0)\n"
    )

    def program(MPI: Any) -> Any:
        info = MPI.Info.Create({"wdir": str(tmp_path)})
        told = MPI.COMM_SELF.Spawn(sys.executable, ["-m", "offspring"], 1, info).recv()
        return told, "offspring" in sys.modules

    assert run_ranks(program, 1)[0] == ((5, "offspring"), False)
