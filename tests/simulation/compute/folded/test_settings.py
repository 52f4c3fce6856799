"""Settings of folded memory: folding by size, huge pages, and no folding."""

import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import pysmpi
from pysmpi.native import lib


def _allocations():
    found = {
        "large": np.empty(1 << 40, np.uint8),
        "small": np.empty(99, np.uint8),
        "just": np.empty(100_000, np.uint8),
        "zeros": np.zeros((1000, 1000)),
        "list": np.array([1.0] * 20_000),
        "result": np.ones(20_000) + 1,
    }
    grown, shrunk = np.empty(10, np.uint8), np.empty(200_000, np.uint8)
    grown.resize(300_000, refcheck=False)
    shrunk.resize(10, refcheck=False)
    in_thread = []
    thread = threading.Thread(target=lambda: in_thread.append(np.empty(1 << 20)))
    thread.start()
    thread.join()
    found |= {"grown": grown, "shrunk": shrunk, "thread": in_thread[0]}
    return {name: (pysmpi.is_folded(array), type(array)) for name, array in found.items()}


def test_allocations_above_the_threshold_are_folded(run) -> None:
    """This covers all ranks and their threads; the class stays numpy.ndarray, and smaller arrays are plain."""
    for folded in run(_allocations, 3, cfg={"smpi/auto-shared-malloc-thresh": 100_000}).values:
        assert {kind for _, kind in folded.values()} == {np.ndarray}
        assert [name for name, (is_folded, _) in folded.items() if not is_folded] == ["small", "shrunk"]


def test_allocations_are_numpy_s_own_elsewhere(run) -> None:
    assert not any(is_folded for is_folded, _ in run(_small_allocations, 1).values[0])
    run(_small_allocations, 1, cfg={"smpi/auto-shared-malloc-thresh": 1})
    assert not pysmpi.is_folded(np.empty(1000))


def _small_allocations():
    return [(pysmpi.is_folded(np.empty(size)), size) for size in (1, 1000, 100_000)]


def _communication(size):
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    mine, other = np.full(size, 1.0), np.empty(size)
    start = MPI.Wtime()
    world.Allreduce(mine, other)
    world.Sendrecv(mine, (world.rank + 1) % world.size, 0, other, (world.rank - 1) % world.size)
    return MPI.Wtime() - start


def test_programs_take_the_same_time_when_their_arrays_are_folded(run) -> None:
    plain, folded = (run(_communication, 5, 30_000, cfg={"smpi/auto-shared-malloc-thresh": each}) for each in (0, 1000))
    assert folded.values == plain.values


def _resident():
    before = _shared_bytes()
    arrays = [np.zeros(1 << 24) for _ in range(50)]
    total = sum(arrays)
    return _shared_bytes() - before, total.nbytes


def _shared_bytes():
    """Return the kernel's memory for folded arrays, counted once however often it is mapped."""
    lines = pathlib.Path("/proc/self/smaps").read_text().splitlines()
    found, total = False, 0
    for line in lines:
        if "-" in line.split()[0]:
            found = "pysmpi-folded" in line
        elif found and line.startswith("Pss:"):
            total += int(line.split()[1]) * 1024
    return total


def test_computing_with_folded_memory_takes_one_block(run) -> None:
    """50 arrays of 128 MB are really computed with, in a block of 1 MiB."""
    ((grown, size),) = run(_resident, 1, cfg={"smpi/auto-shared-malloc-thresh": 1 << 20}).values
    assert size == 1 << 27
    assert grown <= max(lib.pysmpi_folded_block(), 1 << 20)


def _classes():
    return [pysmpi.is_folded(pysmpi.folded_empty(1000, private=private)) for private in ([], [(0, 8)])]


def test_arrays_are_plain_without_shared_malloc(run) -> None:
    assert run(_classes, 1, cfg={"smpi/shared-malloc": "no"}).values == [[False, False]]
    assert run(_classes, 1).values == [[True, True]]


def test_a_run_without_huge_pages_says_so_and_goes_on(run, tmp_path, capsys) -> None:
    """The folder is missing, or holds ordinary files."""
    for path, reason in ((tmp_path / "none", "No such file or directory"), (tmp_path, "No such device")):
        cfg = {"smpi/shared-malloc-hugepage": path}
        assert run(_classes, 1, cfg=cfg).values == [[True, True]]
        told = capsys.readouterr().err
        assert f"no huge pages at '{path}' ({reason}); folded memory uses ordinary pages" in told


_PLATFORM = pathlib.Path(__file__).parents[4] / "platforms" / "cluster.xml"
_ON_HUGE_PAGES = """
import pathlib, sys
import pysmpi

def use():
    whole = pysmpi.folded_empty(10_000_000)
    zoned = pysmpi.folded_empty(1 << {shift}, "uint8", private=[(0, 9), (5000, 9000)])
    zoned[:9] = 7
    return [pysmpi.is_folded(each) for each in (whole, zoned)], int(zoned[:9].sum())

result = pysmpi.simulate(use, np=2, platform={platform!r}, cfg={{"smpi/shared-malloc-hugepage": "mount"}})
print(result.values, "mount/pysmpi-folded" in pathlib.Path("/proc/self/maps").read_text(), file=sys.stderr)
"""


@pytest.mark.skipif(
    os.geteuid() != 0 or "hugetlbfs" not in pathlib.Path("/proc/filesystems").read_text(),
    reason="a file system of huge pages is to be mounted",
)
@pytest.mark.parametrize(("pages", "shift"), [(0, 26), (1, 26), (1, 44)])
def test_a_run_on_huge_pages_goes_on_where_there_are_too_few(tmp_path, pages: int, shift: int) -> None:
    """No page is free, enough are, or one for a block of several; a run with too few reports it."""
    free = int(re.search(r"HugePages_Free:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    if (pages == 0) != (free == 0):
        pytest.skip(f"{free} huge pages are free")
    (tmp_path / "mount").mkdir()
    (tmp_path / "program.py").write_text(_ON_HUGE_PAGES.format(shift=shift, platform=str(_PLATFORM)))
    mount = f"mount -t hugetlbfs -o size={max(pages, 1) * 2}M none mount && exec {sys.executable} program.py"
    command = ["unshare", "--mount", "sh", "-c", mount]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "unshare" in result.stderr or "mount:" in result.stderr:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    kept = pages > 0 and shift < 40
    assert f"[([True, True], 63), ([True, True], 63)] {kept}" in result.stderr
    expected = "no huge pages at 'mount' (Cannot allocate memory)" if pages == 0 else "too few huge pages at 'mount'"
    assert (expected in result.stderr) == (not kept)


def _block():
    pysmpi.folded_empty(10_000_000)
    return lib.pysmpi_folded_block()


def test_the_block_is_as_long_as_is_said(run) -> None:
    """The length is a lower limit, rounded up to pages; existing arrays keep their address."""
    kept = run(_kept, 1).values[0]
    for said in (1 << 20, 3 << 20, 5000):
        (block,) = run(_block, 1, cfg={"smpi/shared-malloc-blocksize": said}).values
        assert block >= said
        assert block % 4096 == 0
    kept.view(np.ndarray)[:] = 1
    assert pysmpi.is_folded(kept)


def _kept():
    return pysmpi.folded_empty(1000)
