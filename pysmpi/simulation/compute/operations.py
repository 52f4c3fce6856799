"""Counting of the floating-point operations, memory traffic and memory of ranks.

NumPy's operations on plain arrays are counted natively (``native/counting``). Folded arrays report their own, because
NumPy does not execute them.
"""

import importlib
import importlib.util
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.flops import (
    compiled_flops,
    correlate_flops,
    routine_flops,
    transform_flops,
    weight_of,
)

__all__ = ["access", "counting", "hold_as_long_as"]

counted = False  # whether operations on folded arrays are to be reported
holding = False  # whether the memory of folded arrays is
_held: set[Any] = set()  # references to arrays that are folded or not of the counting allocator


@contextmanager
def counting(threshold: int) -> Iterator[None]:
    """Count inside this context what ranks compute and hold.

    Args:
        threshold: size in bytes from which all NumPy arrays of ranks are folded, or 0 for none.
    """
    global counted, holding
    import numpy as np

    from pysmpi.simulation.compute.blas.watching import unwatch, watch
    from pysmpi.simulation.compute.folded.allocator import array_allocator
    from pysmpi.simulation.compute.folded.watch import FoldedArray

    compiled = _compiled()
    objects = np.ndarray, np.ufunc, np.generic, FoldedArray, compiled, _count_matrices
    numpy = ffi.new("pysmpi_numpy *", [*(ffi.cast("void *", id(each)) for each in objects), int(np.__version__[0])])
    with ExitStack() as ended:
        ended.enter_context(array_allocator(int(ffi.cast("uintptr_t", lib.pysmpi_counting_allocator(threshold)))))
        lib.pysmpi_begin_counting(numpy)
        ended.callback(lib.pysmpi_end_counting)
        for ufunc in _universal_functions(compiled):
            weight = weight_of(ufunc.__name__)
            lib.pysmpi_count_calls_of(
                ffi.cast("void *", id(ufunc)), ufunc.__name__.encode(), ufunc.nin, *weight, ufunc.signature is not None
            )
        for kind in _types_of_routines():
            lib.pysmpi_count_routines_of(ffi.cast("void *", id(kind)))
        watch("count")
        ended.callback(unwatch, "count")
        counted = holding = True
        try:
            yield
        finally:
            counted = holding = False
            _held.clear()


def hold_as_long_as(array: Any, size: int) -> None:
    """Count `size` bytes as memory of the running rank until the array is freed."""
    rank = lib.pysmpi_running_rank()
    if rank < 0:
        return
    address = ffi.cast("void *", id(array))

    def release(reference: Any) -> None:
        if reference in _held:
            _held.discard(reference)
            lib.pysmpi_hold_memory(rank, -size)
            lib.pysmpi_forget_array(rank, address)

    lib.pysmpi_hold_memory(rank, size)
    _held.add(_Identified(array, release))


def _forget_when_freed(array: Any) -> None:
    """Let the stack distances of the running rank forget an array when it is freed."""
    rank, address = lib.pysmpi_running_rank(), ffi.cast("void *", id(array))

    def release(reference: Any) -> None:
        if reference in _held:
            _held.discard(reference)
            lib.pysmpi_forget_array(rank, address)

    _held.add(_Identified(array, release))


def access(read: Iterable[Any], written: Iterable[Any]) -> None:
    """Record stack distances of the arrays that an operation of the running rank reads and writes."""
    for number, array in enumerate(read, 1):
        lib.pysmpi_access_array(ffi.cast("void *", id(array)), number)
    for array in written:
        lib.pysmpi_access_array(ffi.cast("void *", id(array)), 0)


class _Identified(weakref.ref):  # type: ignore[type-arg]
    """Weak reference to an array; arrays cannot be hashed."""

    __slots__ = ()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def _compiled() -> Any:
    """Return NumPy's compiled module; NumPy 1.26 has an alias of it that is written in Python under the later name."""
    import numpy as np

    folder = "core" if np.__version__.startswith("1.") else "_core"
    return importlib.import_module(f"numpy.{folder}._multiarray_umath")


def _universal_functions(compiled: Any) -> Iterator[Any]:
    import numpy as np

    modules = [compiled, importlib.import_module("numpy.linalg._umath_linalg")]
    if not np.__version__.startswith("1."):
        modules.append(importlib.import_module("numpy.fft._pocketfft_umath"))
    for module in modules:
        yield from {id(each): each for each in vars(module).values() if isinstance(each, np.ufunc)}.values()


def _count_matrices(name: str, operands: tuple[Any, ...], result: Any, flops: float) -> None:
    """Count an operation on matrices that NumPy has executed, or a call of a routine through SciPy, or watch an array
    (see `pysmpi_numpy`).

    `flops` are those that functions of BLAS and LAPACK have made for it.
    """
    if name == "watch":
        _forget_when_freed(operands[0])
        return
    if name == "routine":
        arguments, named = operands
        _count_operands(flops, arguments, named or {}, result)
        return
    with suppress(IndexError, TypeError, ValueError):  # operands in an unusual form, such as lists by keyword
        _count_product(name, operands, result, flops)


@cache
def _types_of_routines() -> frozenset[type]:
    """Return the types of SciPy's routines of BLAS and LAPACK."""
    if importlib.util.find_spec("scipy") is None:
        return frozenset()
    from pysmpi.simulation.compute.blas.replacements import scipy_routines

    return frozenset(type(original) for original, _ in scipy_routines())


_Part = tuple[str, str, Mapping[str, int], int]  # precision and family of a routine, sizes, number of calls


def _count_parts(parts: Sequence[_Part], arguments: Sequence[Any], named: Mapping[str, Any], result: Any) -> None:
    flops = sum(times * routine_flops(precision, family, sizes) for precision, family, sizes, times in parts)
    _count_operands(flops, arguments, named, result)


def _count_operands(flops: float, arguments: Sequence[Any], named: Mapping[str, Any], result: Any) -> None:
    """Count an operation with the bytes of its operands and results."""
    import numpy as np

    made = result if isinstance(result, tuple) else (result,)
    read = [each for each in (*arguments, *named.values()) if isinstance(each, np.ndarray)]
    written = [each for each in made if isinstance(each, np.ndarray)]
    only_written = [each for each in written if not any(each is other for other in read)]
    lib.pysmpi_count(flops, 0.0, sum(each.nbytes for each in (*read, *only_written) if each.ndim > 0))
    access(read, written)


@contextmanager
def counted_as(arguments: Sequence[Any], named: Mapping[str, Any]) -> Iterator[Callable[[Sequence[_Part], Any], None]]:
    """Count nothing inside this context but the routines that the yielded function is called with, and their operands.

    Args:
        arguments: operands of the routines.
        named: operands by keyword.
    """
    global counted
    if not counted:
        yield lambda parts, result: None
        return
    found: list[tuple[Sequence[_Part], Any]] = []
    lib.pysmpi_pause_counting(True)
    counted = False
    try:
        yield lambda parts, result: found.append((parts, result))
    finally:
        counted = True
        lib.pysmpi_pause_counting(False)
    for parts, result in found:
        _count_parts(parts, arguments, named, result)


_PRODUCTS = frozenset({"matmul", "dot", "inner", "vdot", "vecdot", "matvec", "vecmat", "c_einsum"})


def _count_product(name: str, operands: tuple[Any, ...], result: Any, flops: float) -> None:
    """Count the operations of a product, or of a function of matrices, that NumPy has executed.

    If BLAS has computed a product, its `flops` count: the product of a matrix with its transpose takes half of those of
    another product. NumPy's own loops, and functions with a usual number of operations, count by a formula.
    """
    import numpy as np

    first = result[0] if isinstance(result, tuple) else result
    kind = np.asanyarray(first).dtype.kind
    if kind not in "fc":
        return
    if name not in _PRODUCTS:
        flops = _matrix_flops(name, [np.shape(each) for each in operands], np.shape(first), kind) or flops
    elif flops == 0.0:
        flops = _product_flops(name.removeprefix("c_"), operands, kind)
    lib.pysmpi_count(flops, 0.0, 0.0)


def _product_flops(name: str, operands: tuple[Any, ...], kind: str) -> float:
    import numpy as np

    from pysmpi.simulation.compute.numpy_functions.contractions import CONTRACTIONS, shape_of

    found = CONTRACTIONS[name](shape_of, *operands)
    if found is None:
        return 1.0 * np.size(operands[0]) * np.size(operands[1]) if name == "dot" else 0.0
    return found.flops(found.sizes(list(map(shape_of, found.operands))), kind)


def _matrix_flops(name: str, shapes: list[tuple[int, ...]], shape: tuple[int, ...], kind: str) -> float:
    if name.startswith("correlate"):
        return correlate_flops([math.prod(each) for each in shapes[:2]], shape, kind)
    if "fft" in name:
        elements = max(math.prod(shapes[0]), math.prod(shape))
        return transform_flops(elements, max(shapes[0][-1], shape[-1]), is_complex=name in {"fft", "ifft"})
    return compiled_flops(name, shapes, kind)
