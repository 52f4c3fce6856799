"""Tests of apps/hpl under a real MPI (PyPI's mpich): the solution is correct on every kind of grid."""

import pathlib
import subprocess
import sys
from types import SimpleNamespace

import matgen
import numpy as np
import pytest

HPL = pathlib.Path(__file__).parents[2] / "apps" / "hpl" / "hpl.py"
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"

pytestmark = pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")


def mpiexec(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(MPIEXEC), "-n", str(ranks), sys.executable, str(HPL), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize(
    ("ranks", "arguments"),
    [
        (4, "--n 500"),
        (1, "--n 100"),
        (3, "--n 100 --nb 16 --p 1 --q 3"),
        (6, "--n 100 --nb 7 --p 3 --q 2"),
        (5, "--n 101 --nb 8 --p 5 --q 1"),
        (5, "--n 3 --nb 2 --p 2 --q 2"),
    ],
)
def test_solves_the_system(ranks: int, arguments: str, tmp_path: pathlib.Path) -> None:
    result = mpiexec(ranks, *arguments.split(), "--solution", str(tmp_path / "x.npy"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("PASSED") == 1
    n = int(arguments.split()[1])
    alone = SimpleNamespace(p=1, q=1, my_row=0, my_column=0)
    system = matgen.generate(alone, n, n)  # type: ignore[arg-type]
    expected = np.linalg.solve(system[:, :n], system[:, n])
    np.testing.assert_allclose(np.load(tmp_path / "x.npy"), expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def test_every_combination_of_the_input_file_runs(tmp_path: pathlib.Path) -> None:
    """Two grids, two orders and two NBMINs in column-major order on more ranks than the grids need: eight passes."""
    words = "t t f 6 2 30,37 1 8 1 2 2,1 2,4 16.0 1 0 2 2,4 1 3 1 0 1 0 1 0 2 64 0 0 1 8"  # one line each
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n").replace(",", " "))
    result = mpiexec(5, str(tmp_path / "HPL.dat"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("PASSED") == 8
    assert result.stdout.count("WC00L3L4") == 4
    assert "8 tests completed and passed residual checks" in result.stdout


@pytest.mark.parametrize("l1_and_u", ["0 0", "1 1"])
def test_options_pass_for_real(tmp_path: pathlib.Path, l1_and_u: str) -> None:
    """Broadcasts, depths and factorisations all pass the residual under a real MPI."""
    words = f"t t f 6 1 37 1 4 0 1 2 2 16.0 2 0,2 1 2 1 2 1 1 3 0,3,5 2 0,1 2 5 {l1_and_u} 1 8"
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n").replace(",", " "))
    result = mpiexec(4, str(tmp_path / "HPL.dat"))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("PASSED") == 12


def test_help_appears_once() -> None:
    result = mpiexec(2, "--help")
    assert result.returncode == 0
    assert result.stdout.count("usage:") == 1


def test_too_few_ranks() -> None:
    result = mpiexec(2, "--n", "10", "--p", "2", "--q", "3")
    assert result.returncode == 2
    assert result.stderr.count("a 2 x 3 grid needs 6 ranks, there are 2") == 1
