"""Time of file accesses: disks that ranks share, their path through the network, and the file system."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.platform import Disk, Host, Link, Route, Zone

READ, WRITE = 2e6, 1e6  # bytes/s
EXACT = {"smpi/simulate-computation": "no", "precision/timing": "1e-12", "smpi/wtime": "0"}


def lab(mount: str | None = None, ends: str = "ab") -> Zone:
    """Return two hosts with a link between them; the first has a disk."""
    link = Link("wire", "1MBps", "10ms")
    routes = [Route("a", "b", [link])] if ends == "ab" else []
    hosts = [Host("a", "1Gf", cores=8, disks=[Disk("d", READ, WRITE, mount)]), Host("b", "1Gf", cores=8)]
    return Zone("lab", [*hosts, link, *routes])


def run(program: Callable[..., Any], platform: Zone, hosts: str, *arguments: Any, **cfg: Any) -> list[Any]:
    """Return the results of ranks, one on each of these hosts."""
    result = pysmpi.simulate(program, np=len(hosts), platform=platform.build(), hosts=list(hosts), cfg=EXACT | cfg,
                             args=arguments)  # fmt: skip
    return result.values


def expected_ends(accesses: list[tuple[float, bool, int]]) -> list[float]:
    """Return the end of each access (start, writes, bytes) by a plain model that steps from event to event."""
    left = [float(size) for _, _, size in accesses]
    ends = [start for start, _, _ in accesses]
    unfinished = {i for i, (_, _, size) in enumerate(accesses) if size > 0}
    now = 0.0
    while unfinished:
        active = sorted(i for i in unfinished if accesses[i][0] <= now)
        writers = [i for i in active if accesses[i][1]]
        readers = [i for i in active if not accesses[i][1]]
        rates = dict.fromkeys(active, 0.0)
        free, rising = {True: WRITE, False: READ, None: max(READ, WRITE)}, set(active)
        while rising:  # water-filling over three constraints: reads, writes, all
            groups = {False: rising & set(readers), True: rising & set(writers), None: rising}
            step = min(free[kind] / len(group) for kind, group in groups.items() if group)
            for i in rising:
                rates[i] += step
            for kind, group in groups.items():
                free[kind] -= step * len(group)
            full = {kind for kind, group in groups.items() if group and free[kind] < 1e-6}
            rising = {i for i in rising if None not in full and accesses[i][1] not in full}
        steps = [accesses[i][0] - now for i in unfinished if accesses[i][0] > now]
        steps += [left[i] / rates[i] for i in active]
        step = min(steps)
        now += step
        for i in active:
            left[i] -= rates[i] * step
            if left[i] < 1e-6:
                ends[i] = now
                unfinished.discard(i)
    return ends


def one_access(starts: list[float], writes: list[bool], sizes: list[int], folder: Path) -> tuple[float, float]:
    """Wait, access a file, and return start and end of the access."""
    from mpi4py import MPI

    rank = MPI.COMM_WORLD.rank
    mode = MPI.MODE_WRONLY if writes[rank] else MPI.MODE_RDONLY
    file = MPI.File.Open(MPI.COMM_SELF, folder / "data", mode)
    pysmpi.sleep(starts[rank])
    begin = MPI.Wtime()
    buffer = np.zeros(sizes[rank], "B")
    (file.Write if writes[rank] else file.Read)(buffer)
    end = MPI.Wtime()
    file.Close()
    return begin, end


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25]), st.booleans(), st.integers(0, 900_000)), min_size=1,
                max_size=6))  # fmt: skip
def test_a_disk_is_shared_fairly(tmp_path: Path, accesses: list[tuple[float, bool, int]]) -> None:
    """Random reads and writes take the time of max-min fair sharing."""
    (tmp_path / "data").write_bytes(bytes(1_000_000))
    starts, writes, sizes = (list(each) for each in zip(*accesses, strict=True))
    times = run(one_access, lab(), "a" * len(accesses), starts, writes, sizes, tmp_path)
    begun = [(begin, *access[1:]) for (begin, _), access in zip(times, accesses, strict=True)]
    assert [end for _, end in times] == pytest.approx(expected_ends(begun), rel=1e-9, abs=1e-9)


def test_a_remote_disk(tmp_path: Path) -> None:
    """The bytes cross the network like a message: after the disk when reading, before it when writing."""
    size = 500_000
    model = {"network/model": "CM02", "network/TCP-gamma": "0", "network/crosstraffic": "no", "network/weight-S": "0"}
    network = 0.01 + (size + 16) / 1e6  # SMPI's messages have an envelope of 16 bytes
    for writes in (False, True):
        (tmp_path / "data").write_bytes(bytes(size))
        [[begin, end]] = run(one_access, lab(str(tmp_path)), "b", [0.0], [writes], [size], tmp_path, **model)
        assert end - begin == pytest.approx(network + size / (WRITE if writes else READ), rel=1e-6)


def test_a_disk_out_of_reach(tmp_path: Path) -> None:
    """A rank whose host has no route to the disk gets an error when it opens the file; no rank hangs."""

    def program() -> str:
        from mpi4py import MPI

        with pytest.raises(MPI.Exception) as caught:
            MPI.File.Open(MPI.COMM_WORLD, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
        return str(caught.value)

    [text] = run(program, lab(str(tmp_path), ends=""), "b")
    assert "disk 'd' of another host" in text
    assert "no route" in text


def test_the_file_system(tmp_path: Path) -> None:
    """Files on no disk take a latency before the bytes, and share one bandwidth."""

    def program() -> list[float]:
        from mpi4py import MPI

        times = [MPI.Wtime()]
        file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
        times.append(MPI.Wtime())
        file.Write_at(0, bytes(1000))
        times.append(MPI.Wtime())
        file.Read_at(0, bytearray(1000))
        times.append(MPI.Wtime())
        request = file.Iwrite_at(0, bytes(1000))
        times.append(MPI.Wtime())
        pysmpi.sleep(0.5)
        request.Wait()
        times.append(MPI.Wtime())
        file.Close()
        return list(np.diff(times))

    io = {"io/read-bw": "4000", "io/write-bw": "1000", "io/latency": "0.125"}
    rows = run(program, lab("/nowhere"), "aabb", **io)
    for row in rows:
        assert row == pytest.approx([0.125, 4.125, 1.125, 0.0, 4.125], rel=1e-9)


def test_nonblocking_accesses_overlap_with_other_work(tmp_path: Path) -> None:
    """A request completes when its bytes have been transferred; a split call behaves alike."""

    def program() -> tuple[bool, float, float]:
        from mpi4py import MPI

        file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
        begin = MPI.Wtime()
        request = file.Iwrite_at(0, bytes(500_000))  # half a second
        early = request.Test()
        pysmpi.sleep(0.25)
        request.Wait()
        middle = MPI.Wtime()
        file.Write_at_all_begin(0, bytes(500_000))
        pysmpi.sleep(0.75)
        file.Write_at_all_end(bytes(500_000))
        file.Close()
        return early, middle - begin, MPI.Wtime() - middle

    [[early, first, second]] = run(program, lab(), "a")
    assert not early
    assert (first, second) == pytest.approx((0.5, 0.75), rel=1e-6)
