"""Creating, comparing, naming and freeing communicators."""

import ctypes
import pathlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.native import lib

Runner = Callable[..., list[Any]]
SIZES = [1, 2, 3, 7, 64]


@pytest.mark.parametrize("ranks", SIZES)
def test_split_by_parity_in_reverse(run_ranks: Runner, ranks: int) -> None:
    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        part = world.Split(world.rank % 2, -world.rank)
        return part.rank, part.size, part.allgather(world.rank)

    for rank, (place, size, members) in enumerate(run_ranks(program, ranks)):
        expected = [other for other in reversed(range(ranks)) if other % 2 == rank % 2]
        assert members == expected
        assert (place, size) == (expected.index(rank), len(expected))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=st.lists(st.tuples(st.integers(0, 3) | st.none(), st.integers(-2, 2)), min_size=1, max_size=9))
def test_split_follows_the_standard(run_ranks: Runner, asked: list[tuple[int | None, int]]) -> None:
    """For any colours and keys, members of a colour are ordered by key, then rank; None is MPI_UNDEFINED."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        colour, key = asked[world.rank]
        part = world.Split(MPI.UNDEFINED if colour is None else colour, key)
        return None if part == MPI.COMM_NULL else part.allgather(world.rank)

    for (colour, _), members in zip(asked, run_ranks(program, len(asked)), strict=True):
        order = sorted((key, rank) for rank, (other, key) in enumerate(asked) if other == colour)
        assert members == (None if colour is None else [rank for _, rank in order])


@pytest.mark.parametrize("ranks", SIZES)
def test_messages_stay_in_their_communicator(run_ranks: Runner, ranks: int) -> None:
    """Two messages with one tag are received in either order, each in its communicator."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        other = world.Dup()
        right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
        sent = [world.isend("of the world", right, 7), other.isend("of the duplicate", right, 7)]
        received = other.recv(source=left, tag=7), world.recv(source=left, tag=7)
        MPI.Request.Waitall(sent)
        compared = MPI.Comm.Compare(world, other) == MPI.CONGRUENT, MPI.Comm.Compare(world, world) == MPI.IDENT
        other.Free()
        return received, compared, other == MPI.COMM_NULL

    for received, compared, freed in run_ranks(program, ranks):
        assert received == ("of the duplicate", "of the world")
        assert compared == (True, True)
        assert freed


def test_creation_from_groups(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        everybody = world.Get_group()
        mine = everybody.Incl([rank for rank in reversed(range(world.size)) if rank % 3 == world.rank % 3])
        created = world.Create(mine)
        result = [created.allgather(world.rank)]
        odd = everybody.Incl(range(1, world.size, 2))
        if world.rank % 2:
            for tag in (0, 0, 5):
                made = world.Create_group(odd, tag)
                result.append(made.allreduce(world.rank))
                made.Free()
        assert MPI.Group.Compare(created.Get_group(), mine) == MPI.IDENT
        assert MPI.Comm.Compare(world, created) == (MPI.UNEQUAL if created.size < world.size else MPI.SIMILAR)
        return result

    for rank, (members, *sums) in enumerate(run_ranks(program, 8)):
        assert members == [other for other in reversed(range(8)) if other % 3 == rank % 3]
        assert sums == ([1 + 3 + 5 + 7] * 3 if rank % 2 else [])


@pytest.mark.smpi
def test_ranks_of_a_host_share_memory(MPI: ModuleType, run_ranks: Runner) -> None:
    """MPI_COMM_TYPE_SHARED splits by simulated host, and in SMPI in no time."""

    def program(MPI: Any) -> Any:
        node = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
        assert MPI.Wtime() == 0.0
        return node.size, set(node.allgather(MPI.Get_processor_name()))

    for size, names in run_ranks(program, 6):
        assert len(names) == 1
        assert size == sum(names == others for _, others in run_ranks(program, 6))


def test_keys_order_the_ranks_of_a_host(MPI: ModuleType) -> None:
    """A rank waits for the keys of all ranks of its host, those that come late included."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        time.sleep(world.rank)
        node = world.Split_type(MPI.COMM_TYPE_SHARED if world.rank != 2 else MPI.UNDEFINED, -world.rank)
        return None if node == MPI.COMM_NULL else (node.rank, node.size, round(MPI.Wtime()))

    cfg = {"smpi/simulate-computation": "no"}
    platform = pathlib.Path(__file__).parents[1] / "parity" / "platforms" / "multicore.xml"
    values = pysmpi.simulate(program, np=4, platform=platform, cfg=cfg, args=(MPI,)).values
    assert values == [(2, 3, 3), (1, 3, 3), None, (0, 3, 3)]


def test_names_and_info_are_of_the_rank(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        comm = MPI.COMM_WORLD.Dup()
        default = comm.name
        if comm.rank == 1:
            comm.name = "mine"
            comm.Set_info(MPI.Info.Create({"hint": "1"}))
        comm.barrier()
        copy = comm.Dup()
        return MPI.COMM_WORLD.name, default, comm.name, dict(comm.Get_info()), dict(copy.Get_info()), copy.name

    first, second = run_ranks(program, 2)
    assert first == ("MPI_COMM_WORLD", "", "", {}, {}, "")
    assert second == ("MPI_COMM_WORLD", "", "mine", {"hint": "1"}, {"hint": "1"}, "")


def test_freed_communicators_are_gone(run_ranks: Runner) -> None:
    """Using a freed handle is an error, first for the rank that freed it and then for all."""

    def program(MPI: Any) -> Any:
        comm = MPI.COMM_WORLD.Dup()
        handle = comm.handle
        texts = []
        if comm.rank == 0:
            stale = MPI.Intracomm.fromhandle(handle)
            comm.Free()
            for call in (stale.Get_group, stale.Get_rank, stale.Barrier, lambda: stale.Send(bytes(1), 1)):
                try:
                    call()
                    texts.append("accepted")
                except MPI.Exception as error:
                    assert error.Get_error_class() == MPI.ERR_COMM
                    texts.append(str(error))
        elif comm.rank == 1:
            comm.Send(bytes(1), 2)
        else:
            comm.Recv(bytearray(1), 1)
        MPI.COMM_WORLD.barrier()
        if comm != MPI.COMM_NULL:
            comm.Free()
        MPI.COMM_WORLD.barrier()
        assert lib.pysmpi_communicator_size(ctypes.c_int32(handle).value) == -1
        return texts

    texts = run_ranks(program, 3)[0]
    assert "this rank has freed the communicator" in texts[0]
    assert len(texts) == 4 and "accepted" not in texts


def test_world_cannot_be_freed(MPI: ModuleType) -> None:
    for comm in (MPI.COMM_WORLD, MPI.COMM_SELF):
        with pytest.raises(MPI.Exception, match="cannot be freed"):
            comm.Free()


def test_a_world_of_one_outside_ranks(MPI: ModuleType) -> None:
    assert (MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank) == (1, 0)
    part = MPI.COMM_WORLD.Split(3, 1)
    assert part.allgather("alone") == ["alone"]
    assert part.Dup().bcast(5) == 5
    part.Free()


def test_nonblocking_duplicate(run_ranks: Runner) -> None:
    """MPI_Comm_idup's communicator works once its request is complete."""

    def program(MPI: Any) -> Any:
        comm, request = MPI.COMM_WORLD.Idup()
        request.Wait()
        return comm.allreduce(1)

    assert run_ranks(program, 5) == [5] * 5


def test_self_is_each_ranks_own(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        own = MPI.COMM_SELF.Dup()
        own.send(MPI.COMM_WORLD.rank, 0)
        return own.recv(), own.size, own.handle

    results = run_ranks(program, 4)
    assert [value for value, _, _ in results] == [0, 1, 2, 3]
    assert len({handle for _, _, handle in results}) == 4


def test_attributes_of_ranks(run_ranks: Runner) -> None:
    """Keys belong to the process, values to the rank; duplicates copy them, freeing deletes them."""

    def program(MPI: Any) -> Any:
        deleted: list[Any] = []
        copied = MPI.Comm.Create_keyval(
            copy_fn=lambda comm, key, value: [*value, "copied"],
            delete_fn=lambda comm, key, value: deleted.append(value),
        )
        plain = MPI.Comm.Create_keyval()
        comm = MPI.COMM_WORLD.Dup()
        rank = comm.rank
        comm.Set_attr(copied, [rank])
        comm.Set_attr(plain, rank)
        comm.barrier()
        duplicate = comm.Dup()
        found = comm.Get_attr(copied), comm.Get_attr(plain), duplicate.Get_attr(copied), duplicate.Get_attr(plain)
        duplicate.Free()
        comm.Delete_attr(copied)
        found += (comm.Get_attr(copied),)
        comm.Free()
        MPI.Comm.Free_keyval(copied)
        return found, deleted

    for rank, (found, deleted) in enumerate(run_ranks(program, 3)):
        assert found == ([rank], rank, [rank, "copied"], None, None)
        assert deleted == [[rank, "copied"], [rank]]


def test_predefined_attributes(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        keys = (MPI.UNIVERSE_SIZE, MPI.WTIME_IS_GLOBAL, MPI.APPNUM, MPI.IO)
        return [world.Get_attr(key) for key in keys], world.Get_attr(MPI.TAG_UB) >= 32767, MPI.ANY_SOURCE

    for values, enough_tags, any_source in run_ranks(program, 3):
        assert values == [32 * 4, False, 0, any_source]  # one process per core of the platform
        assert enough_tags


@pytest.mark.smpi
def test_a_split_is_answered_as_in_smpi(MPI: ModuleType) -> None:
    """SMPI 3.32's times of MPI_Comm_split(r % 4 == 3 ? MPI_UNDEFINED : r % 2, -r) on the parity tests' fat tree.

    Ranks in no part leave after sending their colour; the others are answered part by part, in the order of their
    keys.
    """

    def program(MPI: Any) -> tuple[float, int]:
        world = MPI.COMM_WORLD
        part = world.Split(MPI.UNDEFINED if world.rank % 4 == 3 else world.rank % 2, -world.rank)
        return MPI.Wtime() * 1e6, part.rank if part else -1

    platforms = pathlib.Path(__file__).parents[1] / "parity" / "platforms"
    cfg = {"smpi/simulate-computation": "no"}
    result = pysmpi.simulate(program, np=16, platform=platforms / "fattree.xml", cfg=cfg, args=(MPI,))
    times = {15: 0, 14: 16.16701, 13: 16.16701, 12: 20.19832, 11: 0, 10: 24.229631, 9: 24.229631, 8: 28.260941}
    times |= {7: 0, 6: 24.229631, 5: 24.229631, 4: 28.260941, 3: 0, 2: 32.290281, 1: 32.290281, 0: 36.321591}
    places = {14: 0, 12: 1, 10: 2, 8: 3, 6: 4, 4: 5, 2: 6, 0: 7, 13: 0, 9: 1, 5: 2, 1: 3}
    assert [place for _, place in result.values] == [places.get(rank, -1) for rank in range(16)]
    assert [time for time, _ in result.values] == pytest.approx([times[rank] for rank in range(16)], abs=2e-6)


def test_a_failing_rank_of_a_split_stops_the_others(MPI: ModuleType, run_ranks: Runner) -> None:
    finished = []

    def program(MPI: Any) -> None:
        world = MPI.COMM_WORLD
        if world.rank == 3:
            raise RuntimeError("no split with me")
        try:
            world.Split(0)
        finally:
            finished.append(world.rank)

    with pytest.raises(pysmpi.PysmpiError):
        run_ranks(program, 4)
    assert sorted(finished) == [0, 1, 2]


def test_a_thousand_ranks_split_in_rows_and_columns(run_ranks: Runner) -> None:
    """The grid is that of an HPL run; a split is computed once, not once per rank."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        row, column = divmod(world.rank, 32)
        rows, columns = world.Split(row, column), world.Split(column, row)
        return rows.rank, rows.size, columns.rank, columns.size

    assert run_ranks(program, 1024) == [(rank % 32, 32, rank // 32, 32) for rank in range(1024)]


def test_reports_name_the_function_that_the_program_called(run_ranks: Runner) -> None:
    """Error reports of mismatches and deadlocks do not name inner collectives."""

    def mismatched(MPI: Any) -> None:
        world = MPI.COMM_WORLD
        if world.rank == 0:
            world.Barrier()
        else:
            world.Split(0)

    with pytest.raises(pysmpi.PysmpiError, match=r"on MPI_COMM_WORLD is MPI_Comm_split at rank 1"):
        run_ranks(mismatched, 3)

    def deadlocked(MPI: Any) -> None:
        world = MPI.COMM_WORLD
        if world.rank == 0:
            world.recv(source=1)
        else:
            world.Dup()

    with pytest.raises(pysmpi.PysmpiError, match=r"rank 1 \(node-0\): world.Dup on MPI_COMM_WORLD"):
        run_ranks(deadlocked, 3)


def test_splits_by_hardware(run_ranks: Runner) -> None:
    """Shared memory and unguided splits divide by host; a single host and unknown resources give none."""

    def program(MPI: Any) -> Any:
        def members(part: Any) -> Any:
            return None if part == MPI.COMM_NULL else part.allgather(MPI.COMM_WORLD.rank)

        world, found = MPI.COMM_WORLD, MPI.Info.Create()
        host = world.Split_type(MPI.COMM_TYPE_HW_UNGUIDED, info=found)
        kinds = ("mpi_shared_memory", "pysmpi://host", "hwloc://Package")
        guided = [MPI.Info.Create({"mpi_hw_resource_type": kind}) for kind in kinds]
        set_of_self = MPI.Info.Create({"mpi_pset_name": "mpi://SELF"})
        return (
            [members(world.Split_type(MPI.COMM_TYPE_SHARED)), members(host), found.Get("mpi_hw_resource_type")],
            members(host.Split_type(MPI.COMM_TYPE_HW_UNGUIDED)),
            [members(world.Split_type(MPI.COMM_TYPE_HW_GUIDED, info=info)) for info in guided],
            members(world.Split_type(MPI.COMM_TYPE_RESOURCE_GUIDED, info=set_of_self)),
            dict(MPI.Get_hw_resource_info()),
        )

    for rank, found in enumerate(run_ranks(program, 6)):
        here = [0, 1, 2, 3] if rank < 4 else [4, 5]
        assert found[0] == [here, here, "mpi_shared_memory"]
        assert found[1:4] == (None, [here, here, None], [rank])
        assert found[4] == {"pysmpi://host": "true"}


def test_churn_uses_handles_again(run_ranks: Runner) -> None:
    """Handles of freed communicators are reused; old messages do not match new ones."""

    def program(MPI: Any) -> Any:
        world, handles = MPI.COMM_WORLD, set()
        for i in range(50):
            other = world.Dup()
            local = world.Split(world.rank % 2)
            between = local.Create_intercomm(0, world, 1 - world.rank % 2)
            local.Free()
            handles |= {other.handle, between.handle}
            request = other.isend(("never received", i), (world.rank + 1) % world.size)
            assert between.sendrecv(i, 0, source=0) == i
            between.Free()
            other.Free()
            request.Free()
        return len(handles)

    assert all(count <= 20 for count in run_ranks(program, 2))
