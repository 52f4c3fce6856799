"""Exchanges on simulated networks: all-to-alls against formulas, and collectives against mpi4py programs."""

import pathlib

import pytest

import pysmpi
from pysmpi import aspen

EXACT = ["network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1", "network/crosstraffic:no"]
AT_ONCE = [*EXACT, "smpi/alltoall:basic_linear", "smpi/simulate-computation:no", "smpi/copy-bandwidth:0"]


def torus(longest: int) -> float:
    """Return the seconds of an all-to-all on a torus over those of its bytes on one link.

    On a ring of even length, messages to the opposite rank all go the same way, so that one direction has more.
    """
    return (longest + 2) / 8 if longest % 2 == 0 else (longest**2 - 1) / (8 * longest)


@pytest.mark.parametrize(
    ("platform", "ranks", "expected"),
    [
        ("hypercube:4", 16, 0.5),
        ("hypercube:6", 64, 0.5),
        ("torus:3,3", 9, torus(3)),
        ("torus:6,6", 36, torus(6)),
        ("torus:8,4", 32, torus(8)),
        ("torus:9,5", 45, torus(9)),
        ("torus:3,3,3", 27, torus(3)),
        ("torus:4,4,4", 64, torus(4)),
    ],
)
def test_all_to_alls_of_equal_blocks(tmp_path: pathlib.Path, platform: str, ranks: int, expected: float) -> None:
    (tmp_path / "a.aspen").write_text("kernel main { execute [P] { messages [1e8] as allToAll } }\n")
    program = aspen.read_application(str(tmp_path / "a.aspen")).program()
    result = pysmpi.simulate(program, np=ranks, platform=f"{platform}:bw=4GBps:lat=1ns", cfg=AT_ONCE)
    assert result.simulated_time / (1e8 / 4e9) == pytest.approx(expected, rel=0.005)


CALLS = {
    "allToAll": "comm.Ialltoall([a, b // p, MPI.BYTE], [c, b // p, MPI.BYTE])",
    "allReduce": "comm.Iallreduce([a, b, MPI.BYTE], [c, b, MPI.BYTE], MPI.BOR)",
    "broadcast": "comm.Ibcast([a, b, MPI.BYTE], 0)",
    "reduce": "comm.Ireduce([a, b, MPI.BYTE], [c, b, MPI.BYTE], MPI.BOR, 0)",
    "gather": "comm.Igather([a, b, MPI.BYTE], [c, b, MPI.BYTE], 0)",
    "scatter": "comm.Iscatter([a, b // p, MPI.BYTE], [c, b // p, MPI.BYTE], 0)",
    "allGather": "comm.Iallgather([a, b, MPI.BYTE], [c, b, MPI.BYTE])",
    "reduceScatter": "comm.Ireduce_scatter_block([a, b // p, MPI.BYTE], [c, b // p, MPI.BYTE], MPI.BOR)",
    "scan": "comm.Iscan([a, b, MPI.BYTE], [c, b, MPI.BYTE], MPI.BOR)",
    "barrier": "comm.Ibarrier()",
}


@pytest.mark.parametrize("within", ["", "within(4)", "within(3, 4)"])
@pytest.mark.parametrize("trait", CALLS)
def test_collectives_take_the_time_of_a_hand_written_program(tmp_path: pathlib.Path, trait: str, within: str) -> None:
    split = {
        "": "MPI.COMM_WORLD",
        "within(4)": "MPI.COMM_WORLD.Split(rank // 4, rank)",
        "within(3, 4)": "MPI.COMM_WORLD.Split(rank % 4, rank)",
    }[within]
    (tmp_path / "p.py").write_text(
        "from mpi4py import MPI\n"
        "rank = MPI.COMM_WORLD.rank\n"
        f"comm = {split}\n"
        "b, p = 24000, comm.size\n"
        "a, c = bytearray(b), bytearray(b * p)\n"
        f"{CALLS[trait]}.Wait()\n"
    )
    traits = f"{trait.upper()}, {within}" if within else trait
    (tmp_path / "a.aspen").write_text(f"kernel main {{ execute [P] {{ messages [24000] as {traits} }} }}\n")
    program = aspen.read_application(str(tmp_path / "a.aspen")).program()
    # An application's split has no data to copy, so that its ranks would leave it some nanoseconds earlier.
    cfg = ["smpi/simulate-computation:no", "smpi/copy-bandwidth:0"]
    found = pysmpi.simulate(program, np=12, platform="torus:4,3", cfg=cfg, network_report=True)
    expected = pysmpi.simulate(str(tmp_path / "p.py"), np=12, platform="torus:4,3", cfg=cfg, network_report=True)
    assert found.simulated_time == expected.simulated_time
    assert found.counters.messages == expected.counters.messages
    assert found.network.matrix.bytes.tolist() == expected.network.matrix.bytes.tolist()
