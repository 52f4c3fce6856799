"""NumPy's products and linear algebra with a BLAS model."""

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.simulation.compute.blas.numpy_calls import FUNCTIONS

UNTIMED = {"smpi/simulate-computation": False, "smpi/wtime": 0}
A, B = np.arange(15.0).reshape(5, 3), np.arange(12.0).reshape(3, 4)
S = 50 * np.eye(3) + np.ones((3, 3))
STACK = np.stack([S, 2 * S])


def encoded(m: int = 0, n: int = 0, k: int = 0, nrhs: int = 0) -> float:
    """Return the time that stands for these sizes."""
    return m + 1e2 * n + 1e4 * k + 1e6 * nrhs


def parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


CASES: dict[str, tuple[Any, float, list[str]]] = {
    "a @ b": (lambda a, b, s, t: a @ b, encoded(5, 4, 3), ["dgemm"]),
    "dot": (lambda a, b, s, t: np.dot(a, b), encoded(5, 4, 3), ["dgemm"]),
    "method": (lambda a, b, s, t: a.dot(b), encoded(5, 4, 3), ["dgemm"]),
    "matmul": (lambda a, b, s, t: np.matmul(a, b), encoded(5, 4, 3), ["dgemm"]),
    "matrix times vector": (lambda a, b, s, t: a @ b[:, 0], encoded(5, 3), ["dgemv"]),
    "vector times matrix": (lambda a, b, s, t: np.dot(a[0], b), encoded(4, 3), ["dgemv"]),
    "vectors": (lambda a, b, s, t: a[0] @ a[1], encoded(n=3), ["ddot"]),
    "inner": (lambda a, b, s, t: np.inner(a, s), encoded(5, 3, 3), ["dgemm"]),
    "product with its transpose": (lambda a, b, s, t: a @ a.T, encoded(n=5, k=3), ["dsyrk"]),
    "dot with its transpose": (lambda a, b, s, t: np.dot(a.T, a), encoded(n=3, k=5), ["dsyrk"]),
    "inner with itself": (lambda a, b, s, t: np.inner(a, a), encoded(n=5, k=3), ["dsyrk"]),
    "dot of a stack": (lambda a, b, s, t: np.dot(t, s), 18 * encoded(n=3), ["ddot"]),
    "vdot": (lambda a, b, s, t: np.vdot(s, s), encoded(n=9), ["ddot"]),
    "complex": (lambda a, b, s, t: np.dot(a.astype(complex), b), encoded(5, 4, 3), ["zgemm"]),
    "single": (lambda a, b, s, t: np.matmul(a.astype("f"), b.astype("f")), encoded(5, 4, 3), ["sgemm"]),
    "stack": (lambda a, b, s, t: np.matmul(t, t), 2 * encoded(3, 3, 3), ["dgemm"]),
    "tensordot": (lambda a, b, s, t: np.tensordot(a, b, 1), encoded(5, 4, 3), ["dgemm"]),
    "multi_dot": (lambda a, b, s, t: np.linalg.multi_dot([a, s]), encoded(5, 3, 3), ["dgemm"]),
    "solve": (lambda a, b, s, t: np.linalg.solve(s, b), encoded(n=3, nrhs=4), ["dgesv"]),
    "solve vector": (lambda a, b, s, t: np.linalg.solve(t, b[:, 0]), 2 * encoded(n=3, nrhs=1), ["dgesv"]),
    "inv": (lambda a, b, s, t: np.linalg.inv(s), encoded(n=3, nrhs=3), ["dgesv"]),
    "det": (lambda a, b, s, t: np.linalg.det(s), encoded(3, 3), ["dgetrf"]),
    "slogdet": (lambda a, b, s, t: np.linalg.slogdet(t), 2 * encoded(3, 3), ["dgetrf"]),
    "cholesky": (lambda a, b, s, t: np.linalg.cholesky(s), encoded(n=3), ["dpotrf"]),
    "eigh": (lambda a, b, s, t: np.linalg.eigh(s), encoded(n=3), ["dsyevd"]),
    "svd": (lambda a, b, s, t: np.linalg.svd(a, full_matrices=False), encoded(5, 3), ["dgesdd"]),
    "qr": (lambda a, b, s, t: np.linalg.qr(a), encoded(5, 3) + encoded(5, 3, 3), ["dgeqrf", "dorgqr"]),
    "lstsq": (lambda a, b, s, t: np.linalg.lstsq(a, a[:, 0], rcond=None), encoded(5, 3, nrhs=1), ["dgelsd"]),
    "pinv": (lambda a, b, s, t: np.linalg.pinv(s), encoded(3, 3) + encoded(3, 3, 3), ["dgesdd", "dgemm"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_call_takes_the_time_of_its_routines(case: str, platform_file: pathlib.Path, sizes_as_time) -> None:
    """Results equal NumPy's; the time is that of the routines with their sizes."""
    call, expected, routines = CASES[case]

    def program() -> Any:
        from mpi4py import MPI

        begun = MPI.Wtime()
        result = call(A, B, S, STACK)
        return result, MPI.Wtime() - begun

    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    values, seconds = result.values[0]
    reference = call(A, B, S, STACK)
    assert seconds == pytest.approx(expected)
    assert [use.name for use in result.routines] == routines and all(use.modelled for use in result.routines)
    assert type(values) is type(reference)
    for ours, theirs in zip(
        *((each if isinstance(each, tuple) else (each,)) for each in (values, reference)), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


FOLDED = [
    "a @ b",
    "method",
    "dot",
    "matmul",
    "matrix times vector",
    "inner",
    "product with its transpose",
    "inner with itself",
    "stack",
    "solve",
    "inv",
    "slogdet",
    "cholesky",
    "eigh",
    "svd",
    "qr",
]


@pytest.mark.parametrize("case", FOLDED)
def test_folded_operands_give_folded_results(case: str, platform_file: pathlib.Path, sizes_as_time) -> None:
    call, expected, _ = CASES[case]

    def program() -> Any:
        from mpi4py import MPI

        operands = [pysmpi.folded_empty(each.shape) for each in (A, B, S, STACK)]
        begun = MPI.Wtime()
        result = call(*operands)
        return [(part.shape, part.dtype, pysmpi.is_folded(part)) for part in parts(result)], MPI.Wtime() - begun

    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    found, seconds = result.values[0]
    assert seconds == pytest.approx(expected)
    assert found == [(part.shape, part.dtype, True) for part in parts(call(A, B, S, STACK))]


def test_other_numbers_and_loops_are_left_alone(platform_file: pathlib.Path, sizes_as_time) -> None:
    """Integers, objects, scalars and NumPy's own loops do not use BLAS, and take no model time."""

    def program() -> list[Any]:
        whole = np.arange(4).reshape(2, 2)
        return [np.dot(whole, whole)[1, 1], np.dot(2, 3.5), whole @ whole, np.einsum("ij,jk", A, B).shape, np.matmul(
            np.array([[1]], object), np.array([[2]], object)).item()]  # fmt: skip

    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    eleven, seven, _, shape, two = result.values[0]
    assert (eleven, seven, shape, two) == (11, 7.0, (5, 4), 2)
    assert result.simulated_time == 0 and result.routines == ()


def test_errors_are_those_of_numpy(platform_file: pathlib.Path, sizes_as_time) -> None:
    def program() -> list[str]:
        messages = []
        for call in lambda: np.dot(A, A), lambda: A @ A, lambda: np.linalg.inv(A), lambda: np.matmul(A):  # type: ignore
            try:
                call()
            except (ValueError, TypeError, np.linalg.LinAlgError) as error:
                messages.append(f"{type(error).__name__}: {error}")
        return messages

    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    assert result.values[0] == program() and len(result.values[0]) == 4
    assert result.simulated_time == 0


def test_functions_stay_functions_of_numpy(platform_file: pathlib.Path, sizes_as_time) -> None:
    def program() -> list[Any]:
        back = (
            pickle.loads(pickle.dumps(np.dot)) is np.dot,
            pickle.loads(pickle.dumps(np.linalg.solve)) is np.linalg.solve,
        )
        return [*back, np.matmul.nin, np.dot.__name__, "numpy" in np.dot.__module__, bool(np.dot.__doc__)]

    before = [np.dot, np.matmul, np.ndarray.dot, np.linalg.solve]
    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    assert result.values[0] == [True, True, 2, "dot", True, True]
    assert [np.dot, np.matmul, np.ndarray.dot, np.linalg.solve] == before
    np.testing.assert_array_equal(A @ B, A.dot(B))


def test_every_function_exists() -> None:
    for name in FUNCTIONS:
        owner: Any = np
        for part in name.split("."):
            owner = getattr(owner, part)
        assert callable(owner)
