"""Shapes, types and classes of NumPy's results on folded arrays, compared with those on plain arrays."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpies

import pysmpi
from pysmpi.simulation.compute.folded.numpy_hooks import FoldedArray  # NumPy consults folded arrays from here on
from pysmpi.simulation.compute.folded.results import folded

SMALL, LARGE = 6, 1 << 17  # 128 GiB: an operation that computes takes minutes, or all memory

# Expressions of matrices a and b, and a vector v.
EXPRESSIONS = """
a + b; a + 1; 2.0 - a; a * v; a / 3; a // 2; -a; abs(a); a ** 2; a ** 0.5; a % 2; divmod(a, b); a @ b; a @ v; v @ a
v @ v; a > b; a == b; (a > 0) & (b > 0); ~(a > 0); np.sqrt(a); np.exp(v); np.isnan(a); np.arctan2(a, b); np.modf(a)
np.frexp(v); np.add(a, b, dtype=np.float32); np.add.outer(v, v[:2]); np.add.accumulate(a, axis=1)
np.add.reduceat(v, [0, 2]); a.conj(); np.maximum(a, 0); np.where(a > 0, a, b); np.where(a > 0, 1, 0); np.clip(a, 0, 1)
a.clip(0, 1); np.round(a, 1); a.round(); a.sum(); a.sum(0); a.sum(axis=(0, 1)); a.sum(1, keepdims=True); a.max()
a.min(1); a.prod(0); a.any(); a.all(0); a.mean(); a.mean(0); a.std(); a.var(1); np.sum(a); np.mean(a, axis=1)
np.amax(a, 0); np.ptp(a); np.median(a); np.median(a, axis=0); np.average(a, axis=0); np.nansum(a)
np.nanmax(a, axis=0); np.nanmean(a); np.count_nonzero(a, axis=0); (a > 0).sum(); a.astype(np.int32).sum(0); a.argmax()
a.argmin(0); np.argmax(a, axis=1); np.argsort(v); a.argsort(0); np.sort(a); np.sort(a, 0); a.cumsum(); np.cumsum(a, 1)
a.cumprod(0); np.diff(a); np.diff(v, 2); np.gradient(v); np.trace(a); a[0]; a[1:3]; a[::2, ::-1]; a[..., None]
a[0, 0]; a[[0, 2]]; a[:, [1, 1, 0]]; a[[0, 1], [2, 3]]; a[[[0], [1]], [2, 3]]; v[-1]
a[np.array([True, False] * (len(v) // 2))]; a[0:2, [True, False] * (len(v) // 2)]; a[None, 0]; a[()]; v[()]
v[[0]][()]; a.T; a.reshape(-1); a.T.reshape(-1); a.reshape(2, -1); a.ravel(); a.T.ravel(); a.T.ravel("K"); a.flatten()
a.copy(); a.T.copy(); a.T.copy("K"); a.astype(np.float32); a.astype(np.float64); a.view(); a.swapaxes(0, 1)
a.squeeze(); a.diagonal(); np.diag(a); np.diag(v[:2]); a.trace(); np.transpose(a); np.moveaxis(a, 0, 1)
np.expand_dims(a, 0); np.flip(a, 1); np.rot90(a); np.roll(a, 1); np.roll(a, 1, axis=0); np.tril(a); np.triu(a, 1)
np.broadcast_to(v, (3, len(v))); np.atleast_2d(v); np.squeeze(a[None]); np.concatenate([a, b])
np.concatenate([a, b], axis=1); np.concatenate([a, b], axis=None); np.stack([a, b]); np.vstack([a, v])
np.hstack([v, v]); np.column_stack([v, v]); np.dstack([a, b]); np.block([[a, b], [b, a]]); np.block([v, v])
np.tile(v, 2); np.tile(a, (2, 1)); np.repeat(v, 2); a.repeat(2, axis=0); np.repeat(a, [1, 2] * (len(v) // 2), axis=1)
np.pad(a, 1); np.pad(v, (1, 2)); np.split(a, 2); np.array_split(v, 4); np.append(v, v); np.take(a, [0, 1], axis=1)
v.take([0, 1]); v.take(0); np.compress([True, False], a, 0); np.take_along_axis(a, np.zeros((1, len(v)), int), 0)
np.searchsorted(v, 0.5); v.searchsorted([0.5, 1]); np.partition(v, 2); np.empty_like(a); np.zeros_like(a, dtype=int)
np.ones_like(v); np.full_like(a, 7); np.empty_like(a.T); np.zeros_like(a, shape=(2, 3)); np.array(a); np.asarray(a.T)
np.ascontiguousarray(a.T); np.asfortranarray(a); np.array(v, ndmin=2); np.copy(a); copy.copy(a); copy.deepcopy(v)
np.dot(a, b); a.dot(v); v.dot(v); np.vdot(v, v); np.inner(a, b); np.outer(v, v); np.matmul(a, b); np.tensordot(a, b)
np.kron(v[:2], v); np.tensordot(a, b, axes=([1], [0])); np.einsum("ij,jk->ik", a, b); np.einsum("ij,ij", a, b)
np.einsum("ii->i", a); np.multiply.outer(v[:2], v); np.linalg.norm(a); np.linalg.norm(a, axis=1)
np.linalg.norm(v, np.inf); np.linalg.solve(a, v); np.linalg.solve(a, b); np.linalg.inv(a); np.linalg.det(a)
np.linalg.slogdet(a); np.linalg.cholesky(a); np.linalg.qr(a); np.linalg.qr(a[:, :2]); np.linalg.qr(a, mode="r")
np.linalg.svd(a); np.linalg.svd(a[:, :2], full_matrices=False); np.linalg.eigh(a); np.linalg.eigvalsh(a)
np.linalg.matrix_power(a, 5); np.linalg.multi_dot([a, b, v]); np.fft.fft(v); np.fft.ifft(a, axis=0); np.fft.rfft(a)
np.fft.irfft(a); np.fft.fft2(a); np.fft.rfft2(a); np.fft.fftn(a, s=(4, 4), axes=(0, 1)); np.fft.rfft(v, 4)
np.allclose(a, a); np.array_equal(a, a); np.isclose(a, b); np.real(a); a.real; np.ndim(a); np.shape(a); np.size(a)
np.result_type(a, 1j); len(a); np.meshgrid(v[:2], v[:3]); a.item(0); a.item(0, 1); a[:1, :1].item()
float(a[:1, :1][0, 0]); bool(v[:1]); v[0] * 2 + 1; np.linalg.lstsq(a[:, :2], v); np.linalg.lstsq(a[:, 1:3], b)
np.histogram(v); np.histogram(v, 5, weights=v); np.histogram(a, density=True)
"""
CASES = [each.strip() for line in EXPRESSIONS.strip().splitlines() for each in line.split(";")]


def evaluated(expression, a, b, v):
    return eval(expression, {"np": np, "copy": copy, "a": a, "b": b, "v": v})


def form_of(value):
    """Return everything that must be equal for two values."""
    if isinstance(value, tuple | list):
        return [form_of(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype
    return type(value)


def arrays_in(value):
    if isinstance(value, tuple | list):
        return [array for each in value for array in arrays_in(each)]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("expression", CASES)
def test_results_have_the_form_of_numpy_s(expression: str) -> None:
    matrix = np.eye(SMALL) + 0.01 * np.arange(SMALL * SMALL).reshape(SMALL, SMALL) % 0.07
    matrix = matrix + matrix.T
    with np.errstate(all="ignore"):
        plain = evaluated(expression, matrix, matrix + 1, np.linspace(0.1, 1, SMALL))
    shaped = folded((SMALL, SMALL), np.dtype(float)), folded((SMALL, SMALL), np.dtype(float))
    ours = evaluated(expression, *shaped, folded((SMALL,), np.dtype(float)))
    assert form_of(ours) == form_of(plain)
    for array in arrays_in(ours):
        assert pysmpi.is_folded(array)
        assert type(array) is FoldedArray


@pytest.mark.parametrize("expression", CASES)
def test_nothing_is_computed(expression: str) -> None:
    """On 128 GiB an operation that computed would take minutes."""
    a, b = folded((LARGE, LARGE), np.dtype(float)), folded((LARGE, LARGE), np.dtype(float))
    evaluated(expression, a, b, folded((LARGE,), np.dtype(float)))


@pytest.mark.parametrize(
    "expression",
    ["a.T + b.T", "a.T + b", "a.T.copy()", "a.T.copy('K')", "a.T.copy('A')", "a.T.astype(int)", "np.empty_like(a.T)",
     "np.concatenate([a.T, b.T])", "np.sqrt(a.T)", "a.T.reshape(-1, order='F')", "np.asfortranarray(a)", "a.copy('F')"],
)  # fmt: skip
def test_results_lie_as_numpy_s_do(expression: str) -> None:
    plain = evaluated(expression, np.ones((5, 5)), np.ones((5, 5)), None)
    ours = evaluated(expression, folded((5, 5), np.dtype(float)), folded((5, 5), np.dtype(float)), None)
    assert (ours.flags.c_contiguous, ours.flags.f_contiguous) == (plain.flags.c_contiguous, plain.flags.f_contiguous)


ASSIGNMENTS = """
a[...] = b; a[:] = 1.0; a[1:3] = v; a[0, 0] = 5; a[[0, 1]] = v; a[a > 0] = 0.0; a[:, 0] = v; a[np.arange(3)] = b[:3]
a += b; a *= 2; a @= b; a[1:-1] += b[1:-1]; np.copyto(a, b); np.add(a, b, out=a); np.add(a, b, out=p); p[...] = a
p[:3] = v; p[0] += v; p += a; p[[0, 1]] = v; p[p >= 0] = a.ravel(); np.copyto(p, a); a.fill(3); a.sort()
np.putmask(a, a > 0, 1); a.put([0], 1); np.dot(a, b, out=p); a.sum(0, out=p[0]); np.maximum.at(v, [0, 1], 2.0)
np.fill_diagonal(a, 1); a.partition(2); np.concatenate([a, b], out=np.vstack([a, b]))
np.multiply(a, b, a, where=a > 0)
"""


@pytest.mark.parametrize(
    "statement", [each.strip() for line in ASSIGNMENTS.strip().split("\n") for each in line.split(";")]
)
def test_assignments_leave_memory_alone(statement: str) -> None:
    a, b, v = (folded(shape, np.dtype(float)) for shape in ((SMALL, SMALL), (SMALL, SMALL), (SMALL,)))
    block, plain = a.view(np.ndarray), np.full((SMALL, SMALL), 9.0)
    block[...] = 4.0
    exec(statement, {"np": np, "a": a, "b": b, "v": v, "p": plain})
    assert (block == 4.0).all()
    assert (plain == 9.0).all()


def test_scalars_stand_for_any_value() -> None:
    """Scalars are one, so that divisions work and iterations continue; an index is 0."""
    numbers, flags = folded((5, 5), np.dtype(np.float32)), folded((3,), np.dtype(bool))
    assert [numbers.sum(), numbers[0, 0], numbers.max(), numbers.mean(), np.linalg.norm(numbers)] == [1.0] * 5
    assert type(numbers.sum()) is np.float32
    assert flags.any() and flags.all() and flags[0]
    assert numbers.argmax() == 0
    assert [1 / each for each in folded((3,), np.dtype(int))] == [1.0] * 3


REFUSED = {
    "np.nonzero(a)": "assumed length",
    "a.nonzero()": "assumed number of nonzero elements",
    "a[a > 0]": "assumed number of selected elements",
    "np.unique(v)": "assumed length",
    "np.where(a > 0)": "assumed number of elements",
    "np.histogram(v, 'auto')": "bins='auto'",
    "np.histogram2d(v, v)": "is not supported on folded arrays",
    "np.save('file', a)": "numpy.save is not supported on folded arrays",
    "a.astype(object)": "Python objects",
}


@pytest.mark.parametrize("expression", REFUSED)
def test_what_cannot_be_known_is_refused(expression: str) -> None:
    a, v = folded((5, 5), np.dtype(float)), folded((5,), np.dtype(float))
    with pytest.raises(pysmpi.FoldedMemoryError, match=REFUSED[expression]):
        evaluated(expression, a, a, v)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("a + b[:2]", ValueError),
        ("a @ b[:2]", ValueError),
        ("np.dot(a, b[:2])", ValueError),
        ("a.sum(axis=2)", np.exceptions.AxisError),
        ("a[7]", IndexError),
        ("a[0, 0, 0]", IndexError),
        ("a[[0], [0], [0]]", IndexError),
        ("a.reshape(7, -1)", ValueError),
        ("a.__setitem__(0, b)", ValueError),
        ("np.concatenate([a, b[:, :2]])", ValueError),
        ("np.linalg.solve(a[:2], v)", np.linalg.LinAlgError),
        ("a.astype(int, casting='safe')", TypeError),
        ("np.bitwise_and(a, a)", TypeError),
        ("np.add(a, a, out=v)", ValueError),
    ],
)
def test_mistakes_are_those_of_numpy(expression: str, error: type[Exception]) -> None:
    a = folded((5, 5), np.dtype(float))
    with pytest.raises(error):
        evaluated(expression, a, a, folded((5,), np.dtype(float)))


def test_pickles_hold_what_lies_there() -> None:
    array = folded((3,), np.dtype(np.int8))
    array.view(np.ndarray)[:] = [1, 2, 3]
    back = pickle.loads(pickle.dumps(array))
    assert type(back) is np.ndarray
    assert list(back) == [1, 2, 3]
    assert repr(array) == str(array) == "folded_empty((3,), 'int8')"


SHAPES = numpies.array_shapes(min_dims=1, max_dims=4, max_side=4)
INDICES = SHAPES.flatmap(
    lambda shape: st.tuples(
        st.just(shape),
        numpies.basic_indices(shape, allow_newaxis=True)
        | numpies.integer_array_indices(shape)
        | st.tuples(*(st.slices(n) | st.integers(-n, n - 1) | st.just([0, n - 1]) for n in shape)),
    )
)


@settings(deadline=None)
@given(INDICES)
def test_indices_select_the_same_shape(case) -> None:
    shape, index = case
    plain, ours = np.zeros(shape)[index], folded(shape, np.dtype(float))[index]
    assert np.shape(ours) == plain.shape
    assert isinstance(ours, np.ndarray) == isinstance(plain, np.ndarray)


@settings(deadline=None)
@given(numpies.mutually_broadcastable_shapes(signature="(m?,n),(n,p?)->(m?,p?)", max_side=4), st.sampled_from("fdFDil"))
def test_products_have_the_same_form(shapes, kind) -> None:
    first, second = shapes.input_shapes
    plain = np.matmul(np.zeros(first, kind), np.zeros(second))
    ours = np.matmul(folded(first, np.dtype(kind)), folded(second, np.dtype(float)))
    assert form_of(ours)[:2] == form_of(plain)[:2] if isinstance(plain, np.ndarray) else type(ours) is type(plain)


@settings(deadline=None)
@given(numpies.mutually_broadcastable_shapes(num_shapes=2, max_side=4), *[st.sampled_from("?bBhilefdFD")] * 2)
def test_sums_have_the_same_form(shapes, one, other) -> None:
    first, second = shapes.input_shapes
    for right in (np.zeros(second, other), 3, 2.5, 1j):
        theirs = right if not isinstance(right, np.ndarray) or not second else folded(second, np.dtype(other))
        if not first:
            continue
        plain, ours = np.zeros(first, one) + right, folded(first, np.dtype(one)) + theirs
        assert (ours.shape, ours.dtype) == (plain.shape, plain.dtype)
