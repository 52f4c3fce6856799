"""Memory whose bandwidth the ranks of one host share."""

import pathlib
import subprocess
import sys

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import Cluster, Host, Zone

APPS = pathlib.Path(__file__).parents[3] / "apps"
GB = 10**9
SHARING = {
    "smpi/simulate-computation": "no",
    "smpi/wtime": "0",
    "smpi/memory-sharing": "yes",
    "smpi/memory-bandwidth": "10e9",
    "smpi/host-memory-bandwidth": "40e9",
}


def fill(gigabytes: list[float], seconds: list[float]) -> float:
    """Each rank computes for some seconds, and then fills so much memory; when it has done it."""
    rank = MPI.COMM_WORLD.rank
    pysmpi.execute(seconds[rank % len(seconds)])
    MPI.Wtime()
    array = pysmpi.folded_empty(int(gigabytes[rank % len(gigabytes)] * GB / 8))
    array[...] = 0.0
    return MPI.Wtime()


def filled(np: int, gigabytes: list[float], seconds: tuple[float, ...] = (0.0,), **settings: object) -> list[float]:
    """The times of ranks on one host of sixteen cores."""
    cfg = {**SHARING, **{f"smpi/{name.replace('_', '-')}": text for name, text in settings.items()}}
    machine = Cluster(1, cores=16)
    return pysmpi.simulate(fill, np=np, platform=machine, args=(gigabytes, list(seconds)), cfg=cfg).values


@pytest.mark.parametrize("np", [1, 2, 3, 4, 5, 8, 16])
def test_the_time_grows_once_the_memory_is_saturated(np: int) -> None:
    """One rank moves 10 GB/s, four saturate a host of 40 GB/s, and more of them share that evenly."""
    assert filled(np, [1.0]) == pytest.approx([max(0.1, np / 40)] * np)


def test_without_the_setting_each_rank_has_its_own() -> None:
    cfg = {name: value for name, value in SHARING.items() if "sharing" not in name and "host-memory" not in name}
    times = pysmpi.simulate(fill, np=16, platform=Cluster(1, cores=16), args=([1.0], [0.0]), cfg=cfg).values
    assert times == pytest.approx([0.1] * 16)


def test_a_cluster_in_one_word_has_memory_bandwidth() -> None:
    """Each core has its share of the host's, whether one rank is at work or all are."""
    cfg = {name: SHARING[name] for name in ("smpi/simulate-computation", "smpi/wtime")}
    platform = "flat:1:cores=16:membw=32GBps"
    for np in (1, 16):
        times = pysmpi.simulate(fill, np=np, platform=platform, args=([1.0], [0.0]), cfg=cfg).values
        assert times == pytest.approx([0.5] * np)


def test_shares_are_max_min_fair() -> None:
    assert filled(2, [6.0, 16.0], host_memory_bandwidth="12e9") == pytest.approx([1.0, 2.0])
    late = filled(2, [10.0, 6.0], (0.0, 0.5), host_memory_bandwidth="12e9")  # 5 GB alone, 5 of 6 together, 1 GB alone
    assert late == pytest.approx([0.5 + 5 / 6, 0.5 + 5 / 6 + 0.1])


def test_without_a_figure_of_the_host_one_rank_saturates_it() -> None:
    assert filled(4, [1.0], host_memory_bandwidth="0") == pytest.approx([0.4] * 4)
    cfg = {**SHARING, "smpi/host-memory-bandwidth": "0"}
    result = pysmpi.simulate(fill, np=3, platform=Cluster(3), args=([1.0], [0.0]), cfg=cfg)
    assert result.values == pytest.approx([0.1] * 3)


def test_hosts_say_what_they_have() -> None:
    of_both = {"memory-bandwidth": "20e9", "host-memory-bandwidth": "25e9"}
    hosts = [Host("a", cores=2, properties=of_both), Host("b", cores=2, properties={"memory-bandwidth": "5e9"})]
    hosts.append(Host("c", cores=2))
    cfg = {**SHARING, "smpi/host-memory-bandwidth": "0"}
    times = pysmpi.simulate(
        fill, np=6, platform=Zone("z", hosts), args=([1.0], [0.0]), cfg=cfg, hosts=["a", "a", "b", "b", "c", "c"]
    ).values
    assert times == pytest.approx([2 / 25] * 2 + [2 / 5] * 2 + [2 / 10] * 2)


def small_and_large() -> tuple[float, float]:
    """The seconds of a hundred passes over a small array, and of one over a large one."""
    small, large = pysmpi.folded_empty(10_000), pysmpi.folded_empty(100_000_000)
    times = []
    for array, passes in ((small, 100), (large, 1)):
        array[...] = 0.0
        MPI.COMM_WORLD.Barrier()
        begun = MPI.Wtime()
        for _ in range(passes):
            array[...] = 1.0
        times.append(MPI.Wtime() - begun)
    return times[0], times[1]


def test_caches_are_not_shared() -> None:
    cfg = {**SHARING, "smpi/memory-bandwidth": "1000000:50e9;100000000:10e9", "smpi/host-memory-bandwidth": "20e9"}
    for np, factor in ((1, 1), (8, 4)):
        values = pysmpi.simulate(small_and_large, np=np, platform=Cluster(1, cores=8), cfg=cfg).values
        for small, large in values:
            assert small == pytest.approx(100 * 80_000 / 50e9)
            assert large == pytest.approx(factor * 0.8 / 10, rel=1e-4)  # the small one is near still


def test_faster_cores_do_not_have_faster_memory() -> None:
    machine = Cluster(1, cores=8)
    for np, expected in ((1, 0.1), (8, 0.2)):
        for switch, factor in (("speed*0.5", 1), ("host:*/2", 1), ("memory*0.5", 2), ("speed*2 memory/2", 2)):
            result = pysmpi.simulate(fill, np=np, platform=machine, args=([1.0], [0.0]), cfg=SHARING, what_if=switch)
            assert result.values == pytest.approx([expected * factor] * np), switch
            assert result.time_spent.modelled == pytest.approx(np * expected * factor)


def test_ranks_that_move_data_are_busy() -> None:
    watts = {"wattage_per_state": "100:120:200"}
    machine = Zone("z", [Host("h", cores=2, properties=watts)])
    for sharing, seconds in (("yes", 0.2), ("no", 0.1)):
        cfg = {**SHARING, "smpi/memory-sharing": sharing, "smpi/host-memory-bandwidth": "0", "plugin": "host_energy"}
        result = pysmpi.simulate(fill, np=2, platform=machine, args=([1.0], [0.0]), cfg=cfg)
        assert result.simulated_time == pytest.approx(seconds)
        assert result.energy.total == pytest.approx(200 * seconds)


def test_errors() -> None:
    with pytest.raises(ConfigurationError, match="no effect without smpi/memory-sharing:yes"):
        filled(1, [1.0], memory_sharing="no")
    machine = Zone("z", [Host("h", properties={"host-memory-bandwidth": "fast"})])
    with pytest.raises(ConfigurationError, match="'host-memory-bandwidth' of host 'h' is 'fast'"):
        pysmpi.simulate(fill, np=1, platform=machine, args=([1.0], [0.0]), cfg=SHARING)


def test_stream_saturates() -> None:
    """The triad's bandwidth per host grows with its ranks up to the host's, and its time from there on."""
    settings = [f"--cfg={name}:{value}" for name, value in SHARING.items()]
    told = {}
    for ranks in (1, 4, 8):
        command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks), "--platform", "flat:1:cores=8"]
        command += [*settings, str(APPS / "stream" / "stream.py"), "10000000", "3"]
        told[ranks] = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "1 ranks a host: 0.040000 s, 10.00 GB/s a rank, 10.00 GB/s a host" in told[1]
    assert "4 ranks a host: 0.040000 s, 10.00 GB/s a rank, 40.00 GB/s a host" in told[4]
    assert "8 ranks a host: 0.080000 s, 5.00 GB/s a rank, 40.00 GB/s a host" in told[8]
