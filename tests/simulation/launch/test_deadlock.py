"""The report on a deadlock."""

import re
import subprocess
from collections.abc import Callable

from pysmpi.simulation.launch.deadlock import Blocked, report

Command = Callable[..., subprocess.CompletedProcess[str]]

RING = """
    import numpy as np
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    buffer = np.zeros(4)
    def receive():
        comm.Recv(buffer, source=(comm.rank + 1) % comm.size, tag=7)
    receive()
    """


def test_a_ring_of_receives(pysmpirun: Command) -> None:
    """Each blocked rank's call, communicator, peer, tag, bytes and place are named, then the cycle."""
    run = pysmpirun("-np", "64", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=RING)
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert lines[0] == "pysmpirun: deadlock at 0 s: 64 ranks are blocked and no event is pending"
    for rank in range(64):
        assert lines[1 + rank] == (
            f"  rank {rank} (node{rank // 16}): MPI_Recv on MPI_COMM_WORLD from rank {(rank + 1) % 64}, tag 7, "
            "up to 32 bytes, at program.py:7"
        )
    assert lines[65:] == [
        "wait-for cycle: rank 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> … -> 59 -> 60 -> 61 -> 62 -> 63 -> 0 (64 ranks)"
    ]


def test_many_that_wait_alike_are_grouped(pysmpirun: Command) -> None:
    """A hundred ranks take one line."""
    run = pysmpirun("-np", "100", "--quiet", "program.py", source=RING)
    assert run.stderr.splitlines()[1] == (
        "  100 ranks (0-99): MPI_Recv on MPI_COMM_WORLD from rank + 1 (modulo 100), tag 7, up to 32 bytes, "
        "at program.py:7"
    )


def test_other_calls_and_ended_ranks(pysmpirun: Command) -> None:
    source = """
        import numpy as np
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            comm.Ssend(np.zeros(2, "i"), dest=4, tag=3)
        elif comm.rank == 1:
            comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG)
        elif comm.rank == 2:
            MPI.Request.Waitall([comm.Irecv(np.zeros(1), source=r, tag=r) for r in (4, 1)])
        elif comm.rank == 3:
            comm.Barrier()
        """
    run = pysmpirun("-np", "5", "--quiet", "program.py", source=source)
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert re.match(
        r"pysmpirun: deadlock at \S+ s: 4 ranks are blocked and no event is pending; 1 other has ended", lines[0]
    )
    assert lines[1] == "  rank 0 (node0): MPI_Ssend on MPI_COMM_WORLD to rank 4, tag 3, 8 bytes, at program.py:6"
    assert lines[2] == "  rank 1 (node0): MPI_Probe on MPI_COMM_WORLD from any source, tag any, at program.py:8"
    assert lines[3] == (
        "  rank 2 (node0): MPI_Waitall on MPI_COMM_WORLD from rank 4, tag 4, up to 8 bytes "
        "(the first of 2 requests), at program.py:10"
    )
    assert lines[4] == "  rank 3 (node0): MPI_Barrier on MPI_COMM_WORLD, waiting for rank 0, at program.py:12"
    assert lines[5] == "rank 0 waits for rank 4, which has ended (and 1 more wait for ranks that have ended)"


def test_finally_clauses_run(pysmpirun: Command) -> None:
    """After the report the ranks are stopped, and their MPI calls fail at once."""
    source = """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        try:
            comm.recv(source=comm.rank)
        finally:
            print("cleaning")
            comm.barrier()
            print("never")
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    assert (run.returncode, run.stdout) == (1, "cleaning\n" * 3)
    assert run.stderr.splitlines()[4:] == [
        "rank 0 waits for itself",
        "rank 1 waits for itself",
        "rank 2 waits for itself",
    ]


def blocked(rank: int, peer: int, place: str = "a.py:1") -> Blocked:
    """A rank that receives from a peer."""
    return Blocked(rank, f"h{rank}", "MPI_Recv", 1, "MPI_COMM_WORLD", peer, peer, 0, 8, 1, place)


def test_every_cycle_is_found_once() -> None:
    """Two cycles and a rank that waits for one of them."""
    lines = report([blocked(0, 1), blocked(1, 0), blocked(2, 3), blocked(3, 2), blocked(4, 0)], 5, 1.5).splitlines()
    assert lines[0] == "deadlock at 1.5 s: 5 ranks are blocked and no event is pending"
    assert lines[6:] == ["wait-for cycle: rank 0 -> 1 -> 0 (2 ranks)", "wait-for cycle: rank 2 -> 3 -> 2 (2 ranks)"]


def test_groups_keep_places_apart() -> None:
    """Ranks that wait at different lines are different groups; scattered ranks are abbreviated."""
    many = [blocked(rank, -2, f"a.py:{rank % 2}") for rank in range(200)]
    lines = report(many, 200, 0.0).splitlines()
    assert len(lines) == 3
    assert lines[1] == (
        "  100 ranks (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, …, 198): MPI_Recv on MPI_COMM_WORLD from any source, "
        "tag 0, up to 8 bytes, at a.py:0"
    )


def test_messages_of_a_collective_that_have_come_are_not_awaited(pysmpirun: Command) -> None:
    """With overheads of receives, ranks take messages one by one; the report counts those that are left."""
    source = """
        import numpy as np
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank < 3:
            comm.Alltoall(np.zeros(40000), np.zeros(40000))
        """
    cfg = ("--cfg=smpi/alltoall:basic_linear", "--cfg=smpi/or:0:1e-6:0", "--cfg=smpi/ois:0:1e-6:0")
    run = pysmpirun("-np", "4", "--quiet", *cfg, "program.py", source=source)
    assert run.returncode == 1
    for rank, line in enumerate(run.stderr.splitlines()[1:4]):
        assert line == (
            f"  rank {rank} (node0): MPI_Alltoall on MPI_COMM_WORLD (the first of 2 requests), waiting for rank 3, "
            "at program.py:6"
        )


def deadlock_of(pysmpirun: Command, source: str, ranks: int = 4) -> list[str]:
    run = pysmpirun("-np", str(ranks), "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    assert run.returncode == 1
    return run.stderr.splitlines()[1:]


def test_partitions_that_are_not_ready(pysmpirun: Command) -> None:
    """A send waits for its own rank until all partitions are ready; a ready one waits for its receiver."""
    source = """
        import numpy as np
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        partner = comm.rank ^ 1
        make = comm.Psend_init if comm.rank % 2 == 0 else comm.Precv_init
        request = make([np.zeros(8), 2, MPI.DOUBLE], 4, partner, 0) if comm.rank != 5 else MPI.REQUEST_NULL
        request.Start() if comm.rank != 5 else None
        for partition in {0: (0, 1, 3), 2: (3,), 4: range(4)}.get(comm.rank, ()):
            request.Pready(partition)
        request.Wait()
        """
    lines = deadlock_of(pysmpirun, source, 6)
    wait = "MPI_Wait on MPI_COMM_WORLD"
    assert [line.partition(": ")[2].rpartition(", at")[0] for line in lines[:4]] == [
        f"{wait} to rank 1, tag 0, partitioned send of 64 bytes, partition 2 is not ready",
        f"{wait} from rank 0, tag 0, partitioned receive of 64 bytes",
        f"{wait} to rank 3, tag 0, partitioned send of 64 bytes, 3 partitions are not ready, the first is 0",
        f"{wait} from rank 2, tag 0, partitioned receive of 64 bytes",
    ]
    assert not any("cycle" in line for line in lines)


def test_communicators_are_named_by_how_they_were_made(pysmpirun: Command) -> None:
    """The two sides of an intercommunicator have one name, and a message on another communicator is a near match."""
    source = """
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        half = world.Split(world.rank // 2)
        for turn in range(2):
            between = half.Create_intercomm(0, world, 2 if world.rank < 2 else 0, turn)
        made, named = world.Dup(), world.Dup()
        named.Set_name("named")
        if world.rank == 0:
            world.send(0, 1, 5)
            made.recv(source=1)
        elif world.rank == 1:
            made.recv(source=0, tag=5)
        elif world.rank == 2:
            between.recv(source=1, tag=3)
        else:
            named.Barrier()
        """
    lines = deadlock_of(pysmpirun, source)
    dup = "the communicator of MPI_Comm_dup of MPI_COMM_WORLD at program.py:7"
    assert f"made.recv on {dup} from rank 1, tag any, at" in lines[0]
    assert (
        "between.recv on the intercommunicator of MPI_Intercomm_create at program.py:6 (ranks 0-1 and ranks 2-3; "
        "number 2) from rank 1, tag 3, at" in lines[2]
    )
    assert "MPI_Barrier on communicator 'named', waiting for rank" in lines[3]
    assert lines[4] == f"unreceived: rank 0 -> 1, tag 5, 5 bytes on MPI_COMM_WORLD; rank 1 wanted {dup}"


def test_calls_in_which_objects_are_made(pysmpirun: Command) -> None:
    """A rank that waits inside such a call waits on the communicator that the program has passed."""
    source = """
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        half = world.Split(world.rank // 2)
        between = half.Create_intercomm(0, world, 2 if world.rank < 2 else 0)
        file = MPI.File.Open(half, f"{world.rank // 2}.bin", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
        if world.rank == 0:
            between.Merge()
        elif world.rank == 1:
            half.Dup()
        elif world.rank == 2:
            file.Close()
        """
    lines = deadlock_of(pysmpirun, source)
    assert "between.Merge on the intercommunicator of MPI_Intercomm_create at program.py:5" in lines[0]
    split = "the communicator of MPI_Comm_split of MPI_COMM_WORLD at program.py:4 (ranks 0-1)"
    assert f"half.Dup on {split}, waiting for rank 0, at" in lines[1]
    assert "file.Close on the file 1.bin, waiting for rank 1 (rank 3 of MPI_COMM_WORLD), at" in lines[2]
