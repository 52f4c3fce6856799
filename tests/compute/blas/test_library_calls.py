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
    """What is charged or listed is what passes between the extensions of NumPy and SciPy and their libraries."""
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
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=300,
        env={**os.environ, "LD_PRELOAD": str(tmp_path / "counter.so"), "BLAS_LIBRARIES": ":".join(libraries())},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counted, charged, unwatched = json.loads(done.stdout.splitlines()[-1])
    assert {name: charged.get(name, 0) for name in counted} == counted
    assert sum(count > 0 for count in counted.values()) > 20
    assert unwatched == []
