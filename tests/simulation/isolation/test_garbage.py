"""The garbage collector in ranks: a collection visits and finalises only objects that the running rank has made."""

import gc
import pathlib
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]
Run = Callable[..., list[Any]]

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ranks share the collector from Python 3.14 on")

NODE = """
import gc
from mpi4py import MPI
comm = MPI.COMM_WORLD
gc.disable()

class Node:
    def __init__(self, name):
        self.me = self  # only the collector finds it
        self.name = name
        self.home = comm.rank

    def __del__(self):
        print(self.name, "at home" if comm.rank == self.home else "elsewhere")
"""


def test_each_rank_finalises_its_own_garbage(lines_of: Lines) -> None:
    lines = lines_of(
        f"""{NODE}
Node("node")
comm.Barrier()
if comm.rank == 0:
    print(gc.collect() > 0)
comm.Barrier()
if comm.rank > 0:
    print("rank 0 has collected")
    gc.collect()
"""
    )
    assert lines[0] == ["node at home", "True"]
    assert lines[1] == lines[2] == ["rank 0 has collected", "node at home"]


def test_automatic_collections_take_place_in_the_rank_that_allocates(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        collections = []
        gc.callbacks.append(lambda phase, info: collections.append(comm.rank))
        comm.Barrier()
        if comm.rank == 1:
            kept = [[] for _ in range(5000)]
        comm.Barrier()
        print(set(collections))
        """
    )
    assert lines == {0: ["set()"], 1: ["{1}"], 2: ["set()"]}


def test_a_collection_visits_the_objects_of_its_rank_only(lines_of: Lines) -> None:
    """The number of frozen objects is the number of objects that a collection visits."""
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        kept = [[] for _ in range(1000 * comm.rank)]
        comm.Barrier()
        import colorsys, mailbox, plistlib  # shared modules
        gc.collect()
        gc.freeze()
        print(round(gc.get_freeze_count(), -3))
        comm.Barrier()
        gc.unfreeze()
        print(gc.get_freeze_count())
        """
    )
    assert {rank: printed[-2:] for rank, printed in lines.items()} == {
        rank: [f"{1000 * rank}", "0"] for rank in range(3)
    }


def test_finalisers_may_communicate(lines_of: Lines) -> None:
    """A rank that blocks in a finaliser lets others run, collect, and finalise objects in their turn."""
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD

        gc.disable()

        class Plain:
            count = 0

            def __init__(self):
                self.me = self

            def __del__(self):
                Plain.count += 1

        class Node(Plain):
            def __del__(self):
                received = [comm.recv(source=1), comm.recv(source=2)]
                print(gc.collect(), received)  # the collector is running already

        for _ in range(3):
            if comm.rank == 0:
                Node()
            else:
                [Plain() for _ in range(comm.rank)]
                gc.collect()
                comm.send(Plain.count, dest=0)
        if comm.rank == 0:
            print(gc.collect() >= 3)
            [Plain() for _ in range(100)]
            gc.collect()
        print(Plain.count)
        """
    )
    assert lines == {0: ["0 [1, 2]", "0 [2, 4]", "0 [3, 6]", "True", "100"], 1: ["3"], 2: ["6"]}


def test_settings_are_the_ranks_own(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 1:
            gc.disable()
            gc.set_threshold(5000, 3, 4)
            gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
        comm.Barrier()
        print(gc.isenabled(), gc.get_threshold(), gc.get_debug())
        """
    )
    others = f"True {gc.get_threshold()} 0"
    assert lines == {0: [others], 1: [f"False (5000, 3, 4) {gc.DEBUG_UNCOLLECTABLE}"], 2: [others]}
    assert gc.isenabled()
    assert gc.get_debug() == 0


def test_statistics_are_the_ranks_own(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        gc.disable()
        before = gc.get_stats()[2]["collections"]
        for _ in range(comm.rank):
            gc.collect()
            comm.Get_rank()
        comm.Barrier()
        print(gc.get_stats()[2]["collections"] - before)
        """
    )
    assert lines == {0: ["0"], 1: ["1"], 2: ["2"]}


def test_objects_of_a_rank_and_shared_ones_are_listed(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import gc
        from mpi4py import MPI
        comm = MPI.COMM_WORLD

        class Node:
            pass

        mine = Node()
        holder = [mine]
        comm.Barrier()
        nodes = [each for each in gc.get_objects() if type(each) is Node]
        print(nodes == [mine], any(each is gc.__dict__ for each in gc.get_objects()))
        referrers = gc.get_referrers(mine)
        print(len(referrers), all(any(each is one for each in referrers) for one in (holder, nodes, globals())))
        """
    )
    assert lines == {rank: ["True True", "3 True"] for rank in range(3)}


def test_weak_references_call_back_in_the_owner(lines_of: Lines) -> None:
    lines = lines_of(
        f"""{NODE}
import weakref
class Plain:
    pass
node = Plain()
node.me = node
reference = weakref.ref(node, lambda _: print("gone from", comm.rank))
weakref.finalize(node, lambda: print("finalised in", comm.rank))
del node
comm.Barrier()
if comm.rank == 2:
    gc.collect()
comm.Barrier()
gc.collect()
"""
    )
    assert lines == {rank: [f"finalised in {rank}", f"gone from {rank}"] for rank in range(3)}


def test_objects_that_other_ranks_hold_are_alive(run_ranks: Run) -> None:
    """References from another rank's objects are references from outside."""
    shared: list[Any] = []

    def program(MPI: types.ModuleType) -> int:
        comm = MPI.COMM_WORLD
        mine: list[Any] = []
        mine.append(mine)
        shared.append(mine)
        del mine
        comm.Barrier()
        gc.collect()
        comm.Barrier()
        if comm.rank == 0:
            shared[:] = [each for each in shared if each[0] is each]
        return len(shared)

    assert run_ranks(program, 4) == [4] * 4


def test_lists_stay_whole_when_ranks_delete_each_others_objects(run_ranks: Run) -> None:
    shared: list[Any] = []

    def program(MPI: types.ModuleType) -> int:
        comm = MPI.COMM_WORLD
        for step in range(40):
            shared.extend([[comm.rank, step, {}] for _ in range(50)])
            ring: list[Any] = [None]
            ring[0] = ring
            del shared[:: 2 + comm.rank]
            if (step + comm.rank) % 7 == 0:
                gc.collect(step % 3)
            comm.Barrier()
            del shared[len(shared) // 2 :: 3]
        return len(gc.get_objects())

    before = gc.get_freeze_count()
    assert all(run_ranks(program, 6))
    gc.collect()
    assert gc.get_freeze_count() == before
    assert sum(each is shared for each in gc.get_objects()) == 1


def test_threads_of_a_rank_share_its_objects(lines_of: Lines) -> None:
    lines = lines_of(
        f"""{NODE}
import threading
def collect():
    comm.Barrier()
    gc.collect()
Node("node")
thread = threading.Thread(target=collect)
thread.start()
thread.join()
print("joined")
"""
    )
    assert lines == {rank: ["node at home", "joined"] for rank in range(3)}


@pytest.mark.parametrize("enabled", [True, False])
def test_the_end_of_a_rank_finalises_its_objects(lines_of: Lines, enabled: bool) -> None:
    """Finalisers of objects in global variables run as in a process, and MPI works in them."""
    lines = lines_of(
        f"""{NODE}
import atexit
{"gc.enable()" if enabled else ""}
atexit.register(print, "exit handler")
class Duplicate(Node):
    def __del__(self):
        print(self.name, self.home == comm.rank, MPI.Is_finalized(), comm.allreduce(1))
kept = Duplicate("kept")
Duplicate("garbage")
if comm.rank == 1:
    for _ in range(3):
        comm.Get_rank()
"""
    )
    names = ["garbage", "kept"] if enabled else ["kept", "garbage"]
    assert lines == {rank: ["exit handler", *(f"{name} True False 3" for name in names)] for rank in range(3)}


def test_objects_in_private_modules_are_finalised_in_their_rank(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    (tmp_path / "module_of_rank.py").write_text(
        NODE + "\nnode = Node('of a module')\nnode.me = None\nring = Node('ring')\n"
    )
    lines = lines_of("import module_of_rank\nmodule_of_rank.comm.Barrier()")
    assert {rank: sorted(printed) for rank, printed in lines.items()} == {
        rank: ["of a module at home", "ring at home"] for rank in range(3)
    }


def test_finalisers_after_mpi_finalize_do_not_crash(lines_of: Lines) -> None:
    lines = lines_of(
        """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD

        class Grid:
            def __init__(self):
                self.me = self
                self.comm = comm.Dup()

            def __del__(self):
                try:
                    self.comm.Free()
                    print("freed")
                except MPI.Exception as error:
                    print(error.Get_error_class() != MPI.SUCCESS)

        kept = Grid()
        Grid()
        comm.Barrier()
        MPI.Finalize()
        """
    )
    assert all(len(printed) == 2 for printed in lines.values())


def test_values_of_functions_outlive_their_ranks(run_ranks: Run) -> None:
    def program(MPI: types.ModuleType) -> list[Any]:
        value: list[Any] = [MPI.COMM_WORLD.rank]
        value.append(value)
        return value

    values = run_ranks(program, 3)
    gc.collect()
    assert [value[0] for value in values] == [0, 1, 2]
    tracked = gc.get_objects()
    assert all(any(each is value for each in tracked) for value in values)


def test_garbage_of_many_ranks_does_not_accumulate(run_ranks: Run) -> None:
    """A rank keeps at most as many pieces of garbage as the threshold of its youngest generation allows."""

    class Piece:
        alive = 0

        def __init__(self) -> None:
            self.me = self
            Piece.alive += 1
            Piece.most = max(getattr(Piece, "most", 0), Piece.alive)

        def __del__(self) -> None:
            Piece.alive -= 1

    def program(MPI: types.ModuleType) -> None:
        gc.set_threshold(20)
        for _ in range(300):
            Piece()
            MPI.COMM_WORLD.Get_rank()
        MPI.COMM_WORLD.Barrier()

    run_ranks(program, 64)
    assert Piece.alive == 0
    assert Piece.most < 64 * 100


def test_the_collector_is_as_before_after_a_failed_run(platform_file: pathlib.Path) -> None:
    settings = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()

    def program() -> None:
        gc.disable()
        gc.freeze()
        raise ValueError

    with pytest.raises(pysmpi.PysmpiError):
        pysmpi.simulate(program, np=2, platform=platform_file)
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == settings
    assert gc.collect() >= 0


node: Any = None


def test_values_that_a_rank_replaces_in_globals_are_finalised_at_once(run_ranks: Run) -> None:
    finalised: list[tuple[int, int]] = []

    def program(MPI: types.ModuleType) -> list[int]:
        global node
        comm = MPI.COMM_WORLD

        class Node:
            def __init__(self) -> None:
                self.home = comm.rank

            def __del__(self) -> None:
                finalised.append((self.home, MPI.COMM_WORLD.rank))

        counts = []
        for _ in range(3):
            node = Node()
            counts.append(sum(home == comm.rank for home, _ in finalised))
            comm.Barrier()
        del node
        counts.append(sum(home == comm.rank for home, _ in finalised))
        return counts

    assert run_ranks(program, 3) == [[0, 1, 2, 3]] * 3
    assert all(home == rank for home, rank in finalised)
    assert node is None


COLLECTING_THREAD = """
import gc, os, threading

asked, asks = os.pipe()  # os.read releases the interpreter's lock
answered, answers = os.pipe()
continued, continues = os.pipe()

class Slow:
    def __init__(self):
        self.me = self

    def __del__(self):
        os.write(answers, b"1")
        os.read(continued, 1)

def run():
    while os.read(asked, 1) == b"c":
        gc.collect()
        os.write(answers, b"2")

threading.Thread(target=run, daemon=True).start()
"""


def test_a_thread_without_ranks_does_not_finalise_a_ranks_objects(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    installed("collecting_thread.py", COLLECTING_THREAD)
    lines = lines_of(
        f"""{NODE}
import os
import collecting_thread as thread
Node("node")
comm.Barrier()
os.write(thread.asks, b"c")
os.read(thread.answered, 1)
print("collected elsewhere", gc.get_stats()[2]["collections"])
comm.Barrier()
gc.collect()
comm.Barrier()
if comm.rank == 0:
    os.write(thread.asks, b"e")
"""
    )
    assert lines == {rank: ["collected elsewhere 0", "node at home"] for rank in range(3)}


def test_ranks_collect_after_a_long_collection_in_another_thread(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    """Ranks are switched while the other thread collects."""
    installed("collecting_thread.py", COLLECTING_THREAD + "\nSlow()\n")
    lines = lines_of(
        f"""{NODE}
import os
import collecting_thread as thread
Node("node")
comm.Barrier()
if comm.rank == 0:
    os.write(thread.asks, b"c")
    print(os.read(thread.answered, 1))
comm.Barrier()
print("collects", gc.collect())
comm.Barrier()
if comm.rank == 0:
    os.write(thread.continues, b"c")
    print(os.read(thread.answered, 1))
comm.Barrier()
print("collects", gc.collect() > 0)
if comm.rank == 0:
    os.write(thread.asks, b"e")
"""
    )
    assert lines[0] == ["b'1'", "collects 0", "b'2'", "node at home", "collects True"]
    assert lines[1] == lines[2] == ["collects 0", "node at home", "collects True"]


def test_an_object_that_a_shared_module_keeps_still_has_the_globals_of_its_program(
    pysmpirun, installed: Callable[[str, str], None]
) -> None:
    """The object is finalised when the interpreter ends."""
    installed("keeper.py", "kept = {}\n")
    source = """
        import keeper
        from mpi4py import MPI
        count = 0
        class Kept:
            def __del__(self):
                global count
                count += 1
        class Released:
            def __del__(self):
                print("released", count, MPI.COMM_WORLD.rank)
        released = Released()
        keeper.kept[MPI.COMM_WORLD.rank] = Kept()
        MPI.COMM_WORLD.Barrier()
        """
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert (sorted(run.stdout.splitlines()), run.stderr) == (["released 0 0", "released 0 1"], "")


def test_functions_of_the_host_that_time_collections() -> None:
    """Functions in gc.callbacks read clocks in ranks, and between two ranks, without a switch to another rank."""
    read: list[float] = []

    def measure(_phase: str, _info: dict[str, int]) -> None:
        read.append(time.perf_counter())

    def program() -> float:
        from mpi4py import MPI

        for _ in range(50):
            _ = [[] for _ in range(100)]
            MPI.COMM_WORLD.Barrier()
        return MPI.Wtime()

    cfg = {"smpi/simulate-computation": "no"}
    thresholds = gc.get_threshold()
    expected = pysmpi.simulate(program, np=16, platform="flat:16", cfg=cfg).values
    gc.callbacks.append(measure)
    gc.set_threshold(1)
    try:
        assert pysmpi.simulate(program, np=16, platform="flat:16", cfg=cfg).values == expected
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(measure)
    assert len(read) > 1000
