"""Settings without effect, and time that the speed of hosts does not change."""

from collections.abc import Callable
from pathlib import Path

from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster


def idle() -> None:
    """Compute a declared time only."""
    pysmpi.execute(1.0)


def moving() -> None:
    pysmpi.folded_empty(1_000_000).sum()


def moving_declared_bytes() -> None:
    pysmpi.execute_flops(1.0, memory_bytes=1e9)


def result_of(program: Callable[[], None], ranks: int = 1, **cfg: str) -> pysmpi.Result:
    return pysmpi.simulate(program, np=ranks, platform=Cluster(ranks), cfg={"smpi/simulate-computation": "no", **cfg})


def test_settings_without_effect_are_named() -> None:
    unused = result_of(idle, **{"smpi/host-speed": "2Gf", "smpi/memory-bandwidth": "1e10"}).without_effect
    assert unused == [
        "--cfg=smpi/host-speed:2Gf: no computation was measured",
        "--cfg=smpi/memory-bandwidth:1e10: the program used no folded array",
    ]
    for program in (moving, moving_declared_bytes):
        assert result_of(program, **{"smpi/memory-bandwidth": "1e10"}).without_effect == []


def gathering() -> None:
    MPI.COMM_WORLD.gather(MPI.COMM_WORLD.rank)
    MPI.COMM_WORLD.Ibarrier().Wait()


def test_algorithms_that_no_call_used_are_named() -> None:
    chosen = {"smpi/bcast": "binomial_tree", "smpi/barrier": "ompi_tree", "smpi/coll-selector": "mpich"}
    chosen["smpi/nonblocking-collectives"] = "blocking"
    unused = "--cfg=smpi/bcast:binomial_tree: no MPI_Bcast on several ranks was called"
    assert result_of(gathering, ranks=2, **chosen).without_effect == [unused]
    assert result_of(idle, ranks=2, **chosen).without_effect == [
        "--cfg=smpi/barrier:ompi_tree: no MPI_Barrier on several ranks was called",
        unused,
        "--cfg=smpi/coll-selector:mpich: no collective on several ranks was called",
    ]


def test_time_that_no_speed_changes() -> None:
    assert "100% of the ranks' time is seconds of pysmpi.execute" in result_of(idle).unscaled
    for program in (moving, moving_declared_bytes):
        assert "of the ranks' time is memory traffic" in result_of(program).unscaled
    assert result_of(lambda: pysmpi.execute(1.0, speed=2e9)).unscaled == ""


def test_seconds_with_a_speed_scale_with_the_host() -> None:
    times = [
        pysmpi.simulate(
            lambda: pysmpi.execute(1.0, speed=2e9), np=1, platform=Cluster(1, speed=speed),
            cfg={"smpi/simulate-computation": "no"},
        ).simulated_time
        for speed in (1e9, 4e9)
    ]  # fmt: skip
    assert times == [2.0, 0.5]


PACKETS = {"network/model": "Packets", "smpi/simulate-computation": "no"}


def pairs(size: int, count: int) -> None:
    """Send `count` messages at once from rank 0 to the last rank, and one from each other rank."""
    world = MPI.COMM_WORLD
    last = world.size - 1
    blocks = [bytearray(size) for _ in range(count if world.rank == 0 else 1)]
    if world.rank < last:
        MPI.Request.Waitall([world.Isend(block, last) for block in blocks])
    else:
        buffers = [bytearray(size) for _ in range(count + last - 1)]
        MPI.Request.Waitall([world.Irecv(buffer, MPI.ANY_SOURCE) for buffer in buffers])


def effects_of_packets(cfg: dict[str, object], size: int, count: int, ranks: int = 2) -> list[str]:
    settings = {name: str(value) for name, value in cfg.items()}
    return pysmpi.simulate(
        pairs, np=ranks, platform=Cluster(ranks), cfg=PACKETS | settings, args=(size, count)
    ).without_effect


def test_parts_of_the_packet_model_that_no_message_uses() -> None:
    everything = {"packets/size": 4096, "packets/train": 2, "packets/buffer": 1e6, "packets/injection": "fair",
                  "packets/bypass": 8}  # fmt: skip
    assert effects_of_packets(everything, 1000, 1) == [
        "--cfg=packets/size:4096: no message had more than one packet",
        "--cfg=packets/train:2: no message had more than one packet",
        "--cfg=packets/injection:fair: no host had several messages to inject at the same time",
        "--cfg=packets/bypass:8: no message was short enough",
        "--cfg=packets/buffer:1000000.0: no packet waited for room in a buffer",
    ]
    used = {"packets/size": 4096, "packets/buffer": 4096, "packets/injection": "fair"}
    assert effects_of_packets(used, 100_000, 2, ranks=3) == []
    assert effects_of_packets({"packets/bypass": 2000}, 1000, 1) == []


def test_profiles_of_links_need_a_model_of_flows(tmp_path: Path) -> None:
    file = tmp_path / "machine.xml"
    file.write_text(
        '<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/>'
        '<host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="slow"/>'
        '<link id="f" bandwidth="10MBps" latency="0s" sharing_policy="FATPIPE"/>'
        '<route src="a" dst="b"><link_ctn id="l"/><link_ctn id="f"/></route></zone></platform>'
    )
    (tmp_path / "slow").write_text("0.0 1e6\n")
    expected = {
        "CM02": [],
        "LogGPS": ["1 profile of links, such as 'l': network/model:LogGPS does not change links during a run"],
        "Packets": [
            "1 profile of links, such as 'l': network/model:Packets does not change links during a run",
            "bandwidth of link 'f' (10 MB/s): it is the narrowest of a route, but packets do not queue for FATPIPE "
            "links (network/model:Packets)",
        ],
    }
    for model, texts in expected.items():
        settings = PACKETS | {"network/model": model}
        result = pysmpi.simulate(pairs, np=2, platform=str(file), cfg=settings, args=(100_000, 1))
        assert result.without_effect == texts
