"""Counting of the floating-point operations and memory traffic that NumPy executes for ranks (natively, in
``native/counting``)."""

import importlib
import importlib.util
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute import operations
from pysmpi.simulation.compute.flops import compiled_flops, correlate_flops, transform_flops, weight_of

__all__ = ["counting"]


@contextmanager
def counting(threshold: int) -> Iterator[None]:
    """Count the floating-point operations, memory traffic and allocated memory of ranks inside this context.

    Args:
        threshold: size in bytes from which all NumPy arrays of ranks are folded, or 0 for none.
    """
    import numpy as np

    from pysmpi.simulation.compute.blas.watching import unwatch, watch
    from pysmpi.simulation.compute.folded.allocator import array_allocator
    from pysmpi.simulation.compute.folded.numpy_hooks import FoldedArray

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
        operations.counted = operations.holding = True
        try:
            yield
        finally:
            operations.counted = operations.holding = False
            operations.release_all()


def _compiled() -> Any:
    """Return NumPy's compiled module. Its package is ``numpy.core`` until NumPy 1.26, and ``numpy._core`` since."""
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
    """Count an operation on matrices that NumPy has executed, or a BLAS or LAPACK routine that SciPy has called.

    With the name "watch", watch the first operand, an array, until it is freed (see `pysmpi_numpy`). `flops` are those
    that BLAS and LAPACK executed in the operation.
    """
    if name == "watch":
        operations.forget_when_freed(operands[0])
        return
    if name == "routine":
        arguments, named = operands
        operations.count_operands(flops, arguments, named or {}, result)
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


_PRODUCTS = frozenset({"matmul", "dot", "inner", "vdot", "vecdot", "matvec", "vecmat", "c_einsum"})


def _count_product(name: str, operands: tuple[Any, ...], result: Any, flops: float) -> None:
    """Count the operations of a product, or of a function of matrices, that NumPy has executed.

    If BLAS has computed a product, its `flops` count, because the product of a matrix with its transpose takes only
    half of the usual number. Products by NumPy's own loops, and functions of matrices, are counted by formulas.
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
