"""apps/hpl under pysmpirun: with real numbers, and with modelled computation."""

import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace

import matgen
import numpy as np
import pytest

HPL = pathlib.Path(__file__).parents[2] / "apps" / "hpl" / "hpl.py"
RESULT = re.compile(r"^W\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+(\S+)\s+(\S+)", re.MULTILINE)
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="10Gbps" lat="1us"
           loopback_bw="5120MiBps" loopback_lat="1.5E-9s" topology="FAT_TREE" topo_parameters="2;8,8;1,8;1,1"/>
</platform>
"""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A fat tree of 64 hosts."""
    path = tmp_path_factory.mktemp("platform") / "fattree.xml"
    path.write_text(PLATFORM)
    return path


def pysmpirun(platform: pathlib.Path, ranks: int, arguments: str) -> str:
    """Run hpl.py in a simulation, and return what it prints."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks), "--platform", str(platform)]
    result = subprocess.run([*command, str(HPL), *arguments.split()], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.parametrize(("ranks", "arguments"), [(4, "--n 500"), (6, "--n 100 --nb 7 --p 3 --q 2"), (1, "--n 30")])
def test_exact_solution(platform: pathlib.Path, tmp_path: pathlib.Path, ranks: int, arguments: str) -> None:
    """With --exact the residual passes, and x is LAPACK's solution to rounding."""
    output = pysmpirun(platform, ranks, f"{arguments} --exact --solution {tmp_path}/x.npy")
    assert output.count("PASSED") == 1
    n = int(arguments.split()[1])
    alone = SimpleNamespace(p=1, q=1, my_row=0, my_column=0)
    system = matgen.generate(alone, n, n)  # type: ignore[arg-type]
    expected = np.linalg.solve(system[:, :n], system[:, n])
    np.testing.assert_allclose(np.load(tmp_path / "x.npy"), expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_modelled_run_is_deterministic(platform: pathlib.Path) -> None:
    """Two runs print the same, in HPL's format: nothing measured enters the time, though computation is measured."""
    first, second = (pysmpirun(platform, 64, "--n 2000 --p 8 --q 8") for _ in range(2))
    assert first == second
    match = RESULT.search(first)
    assert match is not None
    seconds, gflops = (float(group) for group in match.groups())
    assert gflops == pytest.approx((2 / 3 * 2000**3 + 3 / 2 * 2000**2) / seconds / 1e9, rel=1e-5)
    assert "1 tests completed without checking" in first


def test_one_modelled_rank_takes_what_its_model_says(platform: pathlib.Path) -> None:
    """On one rank the time is the sum of its dgemm and dtrsm calls, by hand for a matrix of two panels."""
    output = pysmpirun(platform, 1, "--n 4 --nb 2 --c-gemm 1 --c-trsm 100")
    # Panels are two columns wide, so the recursion ends at once. Update of panel 1: three columns to the right
    # (b included), dtrsm of order 2, dgemm 2×3×2. Update of panel 2: the column b only, and no rows below.
    expected = 100 * 3 * 2**2 + 2 * 3 * 2 + 100 * 1 * 2**2
    match = RESULT.search(output)
    assert match is not None
    assert float(match[1]) == pytest.approx(expected, abs=1e-5)


def test_more_ranks_are_faster(platform: pathlib.Path) -> None:
    """The same system on 1, 4, 16 and 64 ranks: each time faster, and never beyond the model's peak."""
    peak = 2 / 1.658198e-10 / 1e9
    speeds = []
    for ranks in (1, 4, 16, 64):
        match = RESULT.search(pysmpirun(platform, ranks, "--n 3000"))
        assert match is not None
        speeds.append(float(match[2]))
        assert speeds[-1] < ranks * peak
    assert speeds == sorted(speeds)


def test_a_failed_residual_fails_the_run(platform: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A threshold of zero cannot be met: FAILED is printed with the norms, and the exit status is 1."""
    words = "t t f 6 1 20 1 4 0 1 1 1 0.0 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 1 8"  # one a line
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n"))
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", "1", "--platform", str(platform)]
    result = subprocess.run(
        [*command, str(HPL), "--exact", str(tmp_path / "HPL.dat")], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "FAILED" in result.stdout
    assert "||A||_oo" in result.stdout
    assert "1 tests completed and failed residual checks" in result.stdout
