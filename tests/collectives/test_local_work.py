"""Time that a rank's core takes in collectives for combining and copying data, and for new memory."""

import resource
from pathlib import Path

import numpy as np
import pytest

import pysmpi
from pysmpi import simulate
from pysmpi.platform import load
from pysmpi.platform.processors import UNKNOWN, processor_of

MIB = 1 << 20
NOTHING = {
    "smpi/simulate-computation": "no",
    "smpi/wtime": 0,
    "smpi/reduction-bandwidth": 0,
    "smpi/copy-bandwidth": 0,
    "smpi/new-buffers": 0,
}


def call(collective: str, size: int) -> float:
    """Return the duration of a collective with a whole buffer of `size` bytes."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    whole, block = size // 4, size // 4 // world.size
    big, small = (pysmpi.folded_empty(each, dtype=np.int32) for each in (whole, block))
    result = pysmpi.folded_empty(whole, dtype=np.int32)
    world.Barrier()
    begun = MPI.Wtime()
    if collective == "allreduce":
        world.Allreduce(big, result)
    elif collective == "allgather":
        world.Allgather(small, result)
    elif collective == "alltoall":
        world.Alltoall(big, result)
    elif collective == "scatter":
        world.Scatter(big if world.rank == 0 else None, small)
    else:
        world.Reduce_scatter_block(big, small)
    return MPI.Wtime() - begun


def longest(collective: str, size: int, ranks: int = 2, platform: str = "", **settings: object) -> float:
    cfg = NOTHING | {
        name if "/" in name else name.replace("__", "/").replace("_", "-"): value for name, value in settings.items()
    }
    return max(simulate(call, np=ranks, platform=platform or f"flat:{ranks}", args=(collective, size), cfg=cfg).values)


def test_a_rank_copies_its_own_block() -> None:
    way = {"smpi__allgather": "pair"}
    without = longest("allgather", 2 * MIB, **way)
    assert longest("allgather", 2 * MIB, smpi__copy_bandwidth=1e9, **way) - without == pytest.approx(MIB / 1e9)


@pytest.mark.parametrize(("size", "rate"), [(1, 10e9), (4, 10e9), (6, 2 / (1 / 10e9 + 1 / 2e9)), (8, 2e9), (32, 2e9)])
def test_the_rate_depends_on_the_bytes_of_the_buffers(size: int, rate: float) -> None:
    """An allreduce touches its two buffers and another operand."""
    table = f"{12 * MIB}:10e9;{24 * MIB}:2e9"
    way = {"smpi__allreduce": "rdb"}
    took = longest("allreduce", size * MIB, smpi__reduction_bandwidth=table, **way)
    assert took - longest("allreduce", size * MIB, **way) == pytest.approx(size * MIB / rate, rel=1e-6)


def host(cpu: str, cores: int = 16, more: str = "") -> str:
    """Return a cluster of two hosts with this processor."""
    return (
        f'<platform version="4.1"><cluster id="c" prefix="c-" suffix="" radical="0-1" speed="1Gf" core="{cores}" '
        f'bw="1GBps" lat="1us"><prop id="cpu" value="{cpu}"/>{more}</cluster></platform>'
    )


def on_host(tmp_path: Path, text: str, size: int, ranks: int = 2, **settings: object) -> float:
    file = tmp_path / "platform.xml"
    file.write_text(text)
    used = {"smpi__reduction_bandwidth": "host", "smpi__allreduce": "rdb"} | settings
    with_time = longest("allreduce", size, ranks, str(file), **used)
    return with_time - longest("allreduce", size, ranks, str(file), **used | {"smpi__reduction_bandwidth": 0})


def test_rates_of_the_host(tmp_path: Path) -> None:
    """A Xeon combines received data from its cache, an EPYC from memory, an A64FX everywhere at the same rate."""
    times = {
        cpu: on_host(tmp_path, host(cpu, 1), MIB, smpi__received_in_cache="yes")
        for cpu in ("2 x Xeon Platinum 8358", "EPYC 7A53", "A64FX", "Unknown 1")
    }
    assert times["2 x Xeon Platinum 8358"] == pytest.approx(MIB / 20e9)
    assert times["EPYC 7A53"] == pytest.approx(MIB / 9e9)
    assert times["A64FX"] == pytest.approx(MIB / 20e9)
    assert times["Unknown 1"] == pytest.approx(MIB / 20e9)
    assert on_host(tmp_path, host("EPYC 7A53", 1), MIB, smpi__received_in_cache="no") == pytest.approx(MIB / 20e9)
    assert on_host(tmp_path, host("Xeon Platinum 8358", 1), 256 * MIB) == pytest.approx(256 * MIB / 9e9)


def test_ranks_of_a_host_share_its_memory(tmp_path: Path) -> None:
    """16 ranks on a host of 54 GB/s combine 54 / 3 / 16 GB/s each."""
    text = host("Xeon Platinum 8358", 16, '<prop id="host-memory-bandwidth" value="54e9"/>')
    took = on_host(tmp_path, text, 256 * MIB, 16)
    assert took == pytest.approx(4 * 256 * MIB / (54e9 / 48), rel=1e-3)


def test_large_temporary_buffers_are_new_memory() -> None:
    """The card fills the second operand of recursive doubling."""
    way = {"smpi__allreduce": "rdb"}
    for size, new in ((31, 0.0), (32, 32 * MIB / 9e9)):
        took = longest("allreduce", size * MIB, smpi__new_buffers=32 * MIB, **way)
        assert took - longest("allreduce", size * MIB, **way) == pytest.approx(new, rel=1e-6, abs=1e-12)


def test_two_temporary_buffers_are_new_memory() -> None:
    """Recursive halving copies the operand to one, and receives half of it in the other; malloc keeps 128 KiB."""
    way = {"smpi/reduce_scatter": "ompi_basic_recursivehalving"}
    took = longest("reduce_scatter", 2 * MIB, smpi__new_buffers=32 * MIB, **way)
    new = (2 * MIB / 2.5e9 + MIB / 9e9) * (1 - 1 / 32)
    assert took - longest("reduce_scatter", 2 * MIB, **way) == pytest.approx(new, rel=1e-5)


def test_filling_new_memory_contains_the_copy() -> None:
    way = {"smpi__new_buffers": 32 * MIB, "smpi__alltoall": "bruck"}
    copied = longest("alltoall", 64 * MIB, smpi__copy_bandwidth=1e9, **way)
    assert copied - longest("alltoall", 64 * MIB, **way) == pytest.approx(2 * 64 * MIB / 1e9)  # of 3 * 64 MiB


def test_copies_of_bruck() -> None:
    """On 4 ranks: to the receive buffer, half of it out and in in each of two steps, and the last rotation."""
    way = {"smpi__alltoall": "bruck"}
    took = longest("alltoall", 4 * MIB, 4, smpi__copy_bandwidth=1e9, **way)
    assert took - longest("alltoall", 4 * MIB, 4, **way) == pytest.approx(4 * 4 * MIB / 1e9)


def combine(how: str) -> float:
    """Return the duration of combining 1 MiB with 1 MiB on rank 0 of two ranks."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    ones, sums = np.ones(MIB // 4, "i"), np.ones(MIB // 4, "i")
    own = MPI.Op.Create(lambda one, other, kind: np.frombuffer(other, "i").__iadd__(np.frombuffer(one, "i")), True)
    window = MPI.Win.Create(sums, 4, comm=world)
    window.Fence()
    begun = MPI.Wtime()
    if how == "accumulate" and world.rank == 0:
        window.Accumulate(ones, 1)
    elif how == "local" and world.rank == 0:
        MPI.SUM.Reduce_local(ones, sums)
    elif how == "own":
        world.Allreduce(ones, sums, op=own)
    took = MPI.Wtime() - begun
    window.Fence()
    if how == "local" and world.rank == 0:
        assert sums.tolist() == [2] * (MIB // 4)
    window.Free()
    return took


@pytest.mark.parametrize("how", ["accumulate", "local", "own"])
def test_operations_outside_collectives_and_of_the_program_take_time(how: str) -> None:
    slow, quick = (
        simulate(combine, np=2, platform="flat:2", args=(how,),
                 cfg=NOTHING | {"smpi/allreduce": "rdb", "smpi/reduction-bandwidth": rate})
        for rate in (1e9, 0)
    )  # fmt: skip
    assert slow.values[0] - quick.values[0] == pytest.approx(MIB / 1e9)
    assert slow.time_spent.on_data == pytest.approx((2 if how == "own" else 1) * MIB / 1e9)
    headlines = [note.headline for note in slow.notes]
    assert any(each.startswith("MPI's arithmetic and copies take") for each in headlines)


def test_binomial_scatters_of_open_mpi() -> None:
    """Since 4.1 the largest subtree comes first, so that the tree takes as long as its largest messages."""
    way = {"smpi__scatter": "ompi_binomial"}
    before, since = (longest("scatter", 32 * MIB, 32, mpi=mpi, **way) for mpi in ("openmpi-4.0", "openmpi-4.1"))
    assert since < 0.6 * before


def test_temporary_buffers_of_folded_operands_are_folded() -> None:
    """1,000 ranks with 8 MiB each would need 16 GB, although a rank's own block is small and may not be folded."""

    def program() -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        block = 8 * MIB // 4 // world.size
        sent = pysmpi.folded_empty(block * world.size, dtype=np.int32)
        world.Reduce_scatter_block(sent, np.empty(block, dtype=np.int32))

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for algorithm in ("ompi_basic_recursivehalving", "ompi_ring"):
        simulate(program, np=500, platform="flat:500", cfg=NOTHING | {"smpi/reduce_scatter": algorithm})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # KiB


def test_machines_name_processors() -> None:
    for name in ("marenostrum5-acc", "lumi-g", "fugaku", "mahti", "dahu"):
        assert processor_of(load(name).hosts[0].properties["cpu"]) is not UNKNOWN
