"""SciPy's BLAS and LAPACK with a model: sizes, results, and folded operands."""

import itertools
import pathlib
from typing import Any

import numpy as np
import pytest
from scipy.linalg import blas, lapack
from scipy.linalg.blas import dgemm

import pysmpi
from pysmpi.simulation.compute.blas import ROUTINES
from pysmpi.simulation.compute.blas.routines import INJECTED, split_name
from pysmpi.simulation.compute.blas.scipy_calls import _SIZES

UNTIMED = {"smpi/simulate-computation": False, "smpi/wtime": 0}
M, N, K, R = 5, 3, 4, 2
X, Y = "x", "y"  # vectors of N and M numbers
SHAPES = {"x": (N,), "y": (M,), "mn": (M, N), "mk": (M, K), "kn": (K, N), "km": (K, M), "nn": (N, N), "mm": (M, M),
          "nk": (N, K), "kn_": (K, N), "nr": (N, R), "mr": (M, R)}  # fmt: skip


def operand(name: str, kind: str, folded: bool) -> Any:
    """Return a vector or matrix; square matrices are well-conditioned, symmetric and positive definite."""
    shape = SHAPES[name]
    values = (1 + np.arange(np.prod(shape)) % 7).reshape(shape).astype(kind, order="F")
    if len(shape) == 2 and shape[0] == shape[1]:
        values = np.asfortranarray(values + values.T + 50 * np.eye(shape[0])).astype(kind, order="F")
    if folded:
        return pysmpi.folded_empty(shape, kind, "F")
    return values


# Each call: operands (in quotes), other arguments, and the sizes expected by the model.
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], dict[str, int]]] = {
    "ddot": (("'x'", "'x'"), {}, {"n": N}),
    "zdotc": (("'x'", "'x'"), {"n": 2}, {"n": 2}),
    "daxpy": (("'y'", "'y'"), {"a": 2.0}, {"n": M}),
    "idamax": (("'y'",), {"offx": 1}, {"n": M - 1}),
    "dlaswp": (("'mn'", np.array([3, 2], np.intc)), {}, {"n": N, "k": 2}),
    "zlaswp": (("'mn'", np.array([3, 2, 4], np.intc)), {"k1": 1, "overwrite_a": 1}, {"n": N, "k": 2}),
    "dscal": ((2.0, "'y'"), {"incx": 2}, {"n": 2}),
    "dnrm2": (("'y'",), {"offx": 1}, {"n": M - 1}),
    "dgemv": ((1.0, "'mn'", "'x'"), {}, {"m": M, "n": N}),
    "zgemv": ((1.0, "'mn'", "'y'"), {"trans": 1}, {"m": M, "n": N}),
    "dger": ((1.0, "'x'", "'y'"), {}, {"m": N, "n": M}),
    "zgerc": ((1.0, "'x'", "'y'"), {"a": "'nm'"}, {"m": N, "n": M}),
    "dtrsv": (("'nn'", "'x'"), {"lower": 1}, {"n": N}),
    "dgemm": ((1.0, "'mk'", "'kn'"), {}, {"m": M, "n": N, "k": K}),
    "sgemm": ((1.0, "'km'", "'nk'"), {"trans_a": 1, "trans_b": 1}, {"m": M, "n": N, "k": K}),
    "zgemm": ((1.0, "'mk'", "'kn'", 1.0, "'mn'"), {"overwrite_c": 1}, {"m": M, "n": N, "k": K}),
    "dsymm": ((1.0, "'mm'", "'mn'"), {}, {"m": M, "n": N, "k": M}),
    "dsyrk": ((1.0, "'mk'"), {}, {"n": M, "k": K}),
    "zherk": ((1.0, "'mk'"), {"trans": 1}, {"n": K, "k": M}),
    "dtrsm": ((1.0, "'mm'", "'mn'"), {"lower": 1, "diag": 1}, {"m": M, "n": N, "k": M}),
    "dtrmm": ((1.0, "'nn'", "'mn'"), {"side": 1, "overwrite_b": 1}, {"m": M, "n": N, "k": N}),
    "dgetrf": (("'mn'",), {}, {"m": M, "n": N}),
    "dgesv": (("'nn'", "'nr'"), {}, {"n": N, "nrhs": R}),
    "zposv": (("'nn'", "'nr'"), {}, {"n": N, "nrhs": R}),
    "dpotrf": (("'nn'",), {"overwrite_a": 1}, {"n": N}),
    "dpotri": (("'nn'",), {}, {"n": N}),
    "dpotrs": (("'nn'", "'nr'"), {}, {"n": N, "nrhs": R}),
    "dtrtrs": (("'nn'", "'nr'"), {}, {"n": N, "nrhs": R}),
    "dgeqrf": (("'mn'",), {}, {"m": M, "n": N}),
    "dgeqp3": (("'mn'",), {}, {"m": M, "n": N}),
    "dorgqr": (("'mn'", "'x'"), {}, {"m": M, "n": N, "k": N}),
    "dsyevd": (("'nn'",), {}, {"n": N}),
    "zheevd": (("'nn'",), {}, {"n": N}),
}
SHAPES["nm"] = (N, M)


def parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def carry_out(name: str, *, folded: bool) -> Any:
    arguments, named, _ = CALLS[name]
    kind = {"s": "f", "d": "d", "c": "F", "z": "D"}[split_name(name)[0]]

    def real(value: Any) -> Any:
        return operand(value.strip("'"), kind, folded) if isinstance(value, str) else value

    routine = getattr(lapack if hasattr(lapack, name) else blas, name)
    return routine(*map(real, arguments), **{key: real(value) for key, value in named.items()})


@pytest.mark.parametrize("name", CALLS)
def test_a_call_takes_the_time_of_its_sizes(name: str, platform_file: pathlib.Path, sizes_as_time) -> None:
    """Plain operands are computed; folded ones give results of the same shapes in the same time."""

    def program() -> Any:
        from mpi4py import MPI

        found = []
        for folded in False, True:
            begun = MPI.Wtime()
            found.append((carry_out(name, folded=folded), MPI.Wtime() - begun))
        return found

    sizes = CALLS[name][2]
    expected = sizes.get("m", 0) + 1e2 * sizes.get("n", 0) + 1e4 * sizes.get("k", 0) + 1e6 * sizes.get("nrhs", 0)
    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
    (plain, time_of_plain), (of_folded, time_of_folded) = result.values[0]
    assert (time_of_plain, time_of_folded) == (pytest.approx(expected), pytest.approx(expected))
    assert [(use.name, use.calls, use.modelled) for use in result.routines] == [(name, 2, True)]
    for ours, theirs in zip(parts(plain), parts(carry_out(name, folded=False)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    routine = getattr(lapack if hasattr(lapack, name) else blas, name)
    names = routine.__doc__.partition(" = ")[0].split(",")
    for part, ours, theirs in zip(names, parts(of_folded), parts(plain), strict=True):
        assert np.shape(ours) == np.shape(theirs) or part == "work"
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def test_every_routine_has_sizes() -> None:
    assert {split_name(name)[1] for name in set(ROUTINES) - INJECTED} == set(_SIZES)


def test_names_taken_before_are_reached(platform_file: pathlib.Path, sizes_as_time) -> None:
    """This covers a name in this module, SciPy's lookup by family, and calls inside its high-level functions."""

    def program() -> list[float]:
        from mpi4py import MPI
        from scipy import linalg

        a = np.asfortranarray(50 * np.eye(N) + 1)
        times = [MPI.Wtime()]
        for call in (
            lambda: dgemm(1.0, a, a),
            lambda: linalg.get_blas_funcs("gemm", (a, a))(1.0, a, a),
            lambda: linalg.cho_solve((a, True), a[:, :R]),
        ):
            call()
            times.append(MPI.Wtime())
        return [after - before for before, after in itertools.pairwise(times)]

    before = blas.get_blas_funcs("gemm", dtype="d")
    for _ in range(2):  # a second simulation finds the original functions again
        result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=sizes_as_time)
        product, system = N + 1e2 * N + 1e4 * N, 1e2 * N + 1e6 * R
        assert result.values[0] == [pytest.approx(product), pytest.approx(product), pytest.approx(system)]
    assert dgemm is blas.dgemm and type(dgemm).__name__ == "fortran"
    assert type(before).__name__ == "fortran"
    without = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED)
    assert max(without.values[0]) == 0 and without.routines == ()
