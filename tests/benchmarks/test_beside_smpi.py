"""The benchmark of collectives beside SMPI, on few ranks; and what begun collectives hold in memory, on many."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "benchmarks" / "beside_smpi"
RUN = [sys.executable, str(DIRECTORY / "run.py")]


def test_lines() -> None:
    """Each pattern of an operation has its line; where SMPI is there, its simulated time equals ours."""
    run = subprocess.run([*RUN, "--ranks", "3", "allreduce"], capture_output=True, text=True, check=True)
    first, *lines = run.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["allreduce"] * 3
    if shutil.which("smpirun") and shutil.which("smpicc"):
        assert first == "A call, in processor time: ours, SMPI's"
        assert all(line.endswith("us simulated: equal") for line in lines[:2])
    else:
        assert first == "smpirun and smpicc are not here: ours alone"
    assert re.search(r"[\d.]+ GB, wanted 2 s, 1 GB: ", lines[2])


def test_an_operation_that_has_no_pattern() -> None:
    """The error names those that have one."""
    run = subprocess.run([*RUN, "scan"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no pattern of 'scan'; there are allreduce, bcast, alltoall" in run.stderr


def peak(ranks: int) -> int:
    """Bytes resident at most when so many ranks have begun an exchange of 8 bytes with each."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", str(ranks), "--quiet"]
    command += ["--platform", str(ROOT / "platforms" / "fattree.xml"), "--cfg=smpi/simulate-computation:no"]
    command += [str(DIRECTORY / "collective.py"), "alltoall", "8", "start"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return int(told["peak"])


@pytest.mark.skipif("libasan" in pathlib.Path("/proc/self/maps").read_text(), reason="AddressSanitizer keeps memory")
def test_a_begun_exchange_is_no_larger_on_more_ranks() -> None:
    """A rank of 4,096 takes what one of 2,048 does, below 20 KB: neither its messages nor its partners are stored."""
    few, more, many = peak(1024), peak(2048), peak(4096)
    each, each_of_many = (more - few) / 1024, (many - more) / 2048
    assert each_of_many < 20_000
    assert each_of_many < 1.2 * each
