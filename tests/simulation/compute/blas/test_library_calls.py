"""Calls that NumPy and SciPy make of BLAS and LAPACK, however they make them, take the model's time and are counted."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import RankError
from pysmpi.platform import Cluster

UNTIMED = {"smpi/simulate-computation": False, "smpi/wtime": 0}
N = 24
RNG = np.random.default_rng(7)
A = RNG.random((N, N)) + N * np.eye(N)
S = A + A.T
B, R = RNG.random((N, 3)), RNG.random((30, N))


def _calls() -> dict[str, Callable[[], Any]]:
    """Return calls of functions written in Python, C, Cython and Fortran, by name."""
    import scipy.integrate
    import scipy.optimize
    import scipy.sparse
    import scipy.sparse.linalg
    from scipy import linalg

    band = scipy.sparse.diags([np.ones(N - 1), 4 * np.ones(N), np.ones(N - 1)], [-1, 0, 1], format="csc")
    single, whole = R.astype("f"), np.ones((3, 3), int)
    return {
        "solve": lambda: linalg.solve(A, B),
        "solve pos": lambda: linalg.solve(S, B, assume_a="pos"),
        "solve sym": lambda: linalg.solve(S, B, assume_a="sym"),
        "inv": lambda: linalg.inv(A),
        "det": lambda: linalg.det(A),
        "lu": lambda: linalg.lu(A),
        "ldl": lambda: linalg.ldl(S),
        "lu_solve": lambda: linalg.lu_solve(linalg.lu_factor(A), B),
        "cho_solve": lambda: linalg.cho_solve(linalg.cho_factor(S), B),
        "qr": lambda: linalg.qr(R, mode="economic"),
        "svd": lambda: linalg.svd(R),
        "eigh": lambda: linalg.eigh(S),
        "eig": lambda: linalg.eig(A),
        "lstsq": lambda: linalg.lstsq(R, R[:, 0]),
        "pinv": lambda: linalg.pinv(A),
        "expm": lambda: linalg.expm(A / 100),
        "solve_triangular": lambda: linalg.solve_triangular(A, B),
        "solve_banded": lambda: linalg.solve_banded((1, 1), np.outer([1, 5, 1], np.ones(N)), B),
        "schur": lambda: linalg.schur(A),
        "hessenberg": lambda: linalg.hessenberg(A),
        "sqrtm": lambda: linalg.sqrtm(S),
        "complex": lambda: (linalg.solve(A + 1j * S, B), A @ (1j * A)),
        "numpy.linalg": lambda: [
            *(each(A) for each in (np.linalg.inv, np.linalg.det, np.linalg.svd, np.linalg.qr, np.linalg.eig)),
            np.linalg.solve(A, B),
            np.linalg.eigvalsh(S),
            np.linalg.lstsq(R, R[:, 0], rcond=None),
            np.linalg.matrix_power(A, 3),
            np.linalg.multi_dot([R, A, B]),
        ],
        "products": lambda: [
            R @ A, R @ R.T, np.inner(R, R), np.cov(R), np.corrcoef(R), R @ A[:, 0], R[0] @ A, R[0] @ R[1],
            np.vdot(R, R), single @ single.T, np.tensordot(R, A, 1), np.einsum("ij,jk", R, A, optimize=True),
            np.stack([A, S]) @ A, np.dot(np.stack([A, S]), A), np.outer(R[0], R[1]), np.kron(B, B), whole @ whole,
            np.einsum("ij,jk", R, A),
        ],
        "convolve": lambda: [np.convolve(R[0], R[1]), np.convolve(R[0], R[1, :5])],
        "correlate": lambda: np.correlate(R[0], R[1], "same"),
        "sparse": lambda: (scipy.sparse.linalg.splu(band).solve(B), scipy.sparse.linalg.eigsh(band, 2)),
        "minimize": lambda: scipy.optimize.minimize(lambda x: ((x - 1) ** 2).sum(), B[:, 0], method="L-BFGS-B"),
        "ode": lambda: scipy.integrate.solve_ivp(lambda t, y: -A @ y, (0, 0.1), B[:, 0], method="LSODA"),
    }  # fmt: skip


# The place of lwork among the arguments of the functions that have it.
MEMORY = {"dgeqrf": 6, "dorgqr": 7, "dgetri": 5, "dsytrf": 6, "dgehrd": 7, "dgesdd": 11, "dgeev": 12, "dgelsd": 11,
          "dgees": 12, "dsyevd": 7}  # fmt: skip
COUNTED = [
    "dgemm", "dgemv", "dsyrk", "ddot", "dtrsm", "daxpy", "dscal", "sgemm", "ssyrk", "zgemm", "dgesv", "dgetrf",
    "dgetrs", "dpotrf", "dpotrs", "dsytrs", "dgtsv", "dtrtrs", "zgetrf", "zgetrs", "dgecon", "dpocon", "dsycon",
    "dtrsyl",
]  # fmt: skip
PROGRAM = """
import ctypes, json, sys
sys.path.insert(0, {folder!r})
import test_library_calls as test
import pysmpi
counter = ctypes.CDLL(None)
symbols = {symbols!r}
def program():
    for call in test._calls().values():
        call()
result = pysmpi.simulate(program, np=1, platform="flat:1", cfg=test.UNTIMED, blas={model!r})
counted = {{}}
for symbol, routine in symbols.items():
    counted[routine] = counted.get(routine, 0) + ctypes.c_long.in_dll(counter, "counted_" + symbol).value
charged = {{}}
for use in result.routines:
    name = use.name.partition(" ")[0]
    charged[name] = charged.get(name, 0) + use.calls
print(json.dumps([counted, charged, result.unwatched_calls]))
"""


def libraries() -> list[str]:
    """Return the libraries of BLAS in the wheels of NumPy and SciPy."""
    site = pathlib.Path(np.__file__).parents[1]
    return [str(each) for folder in ("numpy.libs", "scipy.libs") for each in site.glob(f"{folder}/*openblas*")]


@pytest.mark.skipif(not shutil.which("gcc") or not libraries(), reason="needs gcc, and NumPy and SciPy from PyPI")
def test_an_independent_counter_in_the_library_agrees(tmp_path: pathlib.Path, sizes_as_time: pathlib.Path) -> None:
    """The calls that are charged or listed are those between the extensions of NumPy and SciPy and their libraries."""
    names = [*COUNTED, *MEMORY]
    spellings = {}
    for path in libraries():
        library = ctypes.CDLL(path)
        for name in names:
            for before in ("", "scipy_", "cblas_", "scipy_cblas_"):
                for after in ("_", "64_", "_64_", ""):
                    if (after or "cblas" in before) and hasattr(library, symbol := f"{before}{name}{after}"):
                        spellings[symbol] = name
    wrapped = "\n".join(
        f"WRAP({symbol}, {MEMORY.get(name, -1)}, {8 if '64' in symbol else 4})" for symbol, name in spellings.items()
    )
    source = pathlib.Path(__file__).with_name("counter.c").read_text()
    (tmp_path / "counter.c").write_text(re.sub(r"^WRAPPED$", wrapped, source, flags=re.M))
    subprocess.run(["gcc", "-O1", "-w", "-shared", "-fPIC", "-o", "counter.so", "counter.c"], cwd=tmp_path, check=True)
    program = PROGRAM.format(folder=str(pathlib.Path(__file__).parent), symbols=spellings, model=str(sizes_as_time))
    preloaded = f"{os.environ.get('LD_PRELOAD', '')} {tmp_path / 'counter.so'}"  # a sanitizer has to come first
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=300,
        env={**os.environ, "LD_PRELOAD": preloaded, "BLAS_LIBRARIES": ":".join(libraries())},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counted, charged, unwatched = json.loads(done.stdout.splitlines()[-1])
    assert {name: charged.get(name, 0) for name in counted} == counted
    assert sum(count > 0 for count in counted.values()) > 20
    assert unwatched == []


EXTENSION = """
extern void SYMBOL(INTEGER n, double a, double* x, INTEGER step);
void twice(double* x) { SYMBOL(4, 2.0, x, 1); }
"""


@pytest.mark.skipif(not shutil.which("gcc") or not libraries(), reason="needs gcc, and NumPy and SciPy from PyPI")
def test_a_library_that_the_program_loads(
    tmp_path: pathlib.Path, model_file: Callable[..., pathlib.Path], entry: Callable[..., dict[str, Any]]
) -> None:
    """A call of a library that is loaded while ranks run takes the model's time, and none after the simulation."""
    library = pathlib.Path(libraries()[0])
    loaded = ctypes.CDLL(str(library))
    before, after = next(
        (before, after)
        for before in ("scipy_cblas_", "cblas_")
        for after in ("64_", "")
        if hasattr(loaded, f"{before}dscal{after}")
    )
    defined = [f"-DSYMBOL={before}dscal{after}", f"-DINTEGER={'long' if after else 'int'}"]
    (tmp_path / "own.c").write_text(EXTENSION)
    linked = [f"-L{library.parent}", f"-l:{library.name}", f"-Wl,-rpath,{library.parent},-z,now"]
    subprocess.run(["gcc", *defined, "-shared", "-fPIC", "-o", "own.so", "own.c", *linked], cwd=tmp_path, check=True)
    held = []

    def program() -> Any:
        from mpi4py import MPI

        own = ctypes.CDLL(str(tmp_path / "own.so"))
        held.append(own)
        x = np.ones(4)
        begun = MPI.Wtime()
        for _ in range(3):
            own.twice(x.ctypes.data_as(ctypes.c_void_p))
        return x.tolist(), MPI.Wtime() - begun

    model = model_file({"dscal": entry("dscal", {"n": 1.0})})
    for _ in range(2):
        result = pysmpi.simulate(program, np=1, platform=Cluster(1, speed=1e9), cfg=UNTIMED, blas=model)
        assert result.values[0] == ([8.0] * 4, pytest.approx(12.0))
        assert [(use.name, use.calls) for use in result.routines] == [("dscal", 3)]
    x = np.ones(4)
    held[0].twice(x.ctypes.data_as(ctypes.c_void_p))
    assert x.tolist() == [2.0] * 4
    assert pysmpi.simulate(program, np=1, platform="flat:1", cfg=UNTIMED).values[0][1] == 0.0


def test_an_error_of_the_model_is_raised_in_the_rank(
    tmp_path: pathlib.Path, entry: Callable[..., dict[str, Any]]
) -> None:
    """The host of the rank has no place in the table of models; the call that needs the model fails."""
    texts = {"format": "pysmpi-blas-table-1", "machine": "m", "library": "l", "date": "d"}
    models = {"first": {"dgemm": entry("dgemm", {"1": 1.0})}, "second": {"dgemm": entry("dgemm", {"1": 2.0})}}
    places = [{"host": f"other-{i}", "model": name} for i, name in enumerate(models)]
    path = tmp_path / "table.json"
    path.write_text(json.dumps({**texts, "speed": 1e9, "models": models, "places": places}))

    def program() -> None:
        A @ A

    with pytest.raises(RankError, match="no entry includes core 0 of host 'node-0'"):
        pysmpi.simulate(program, np=1, platform="flat:1", cfg=UNTIMED, blas=path)


def test_repeated_calls_are_counted_one_by_one(
    model_file: Callable[..., pathlib.Path], entry: Callable[..., dict[str, Any]]
) -> None:
    """Equal calls are asked for once, but for noise; ranks and other calls in between make no difference."""

    def program() -> float:
        from mpi4py import MPI

        for _ in range(5):
            R[0] @ R[1]
            MPI.COMM_WORLD.Barrier()
        for _ in range(5):
            R[0] @ R[1]
        R[0, :4] @ R[1, :4]
        return MPI.Wtime()

    noise = {"distribution": "normal", "deviation": {"1": 1e-3}}
    plain = model_file({"ddot": entry("ddot", {"n": 1.0})})
    result = pysmpi.simulate(program, np=2, platform=Cluster(2, speed=1e9), cfg=UNTIMED, blas=plain)
    assert [(use.calls, use.seconds) for use in result.routines] == [(22, 2 * (10 * N + 4))]
    assert result.values[0] == pytest.approx(10 * N + 4, abs=0.1)
    noisy = model_file({"ddot": entry("ddot", {"n": 1.0}, noise=noise)})
    runs = [pysmpi.simulate(program, np=2, platform=Cluster(2, speed=1e9), cfg=UNTIMED, blas=noisy) for _ in range(2)]
    assert runs[0].values == runs[1].values and runs[0].values[0] != result.values[0]
    assert runs[0].routines[0].calls == 22
