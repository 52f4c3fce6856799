"""Replacements for functions of NumPy and SciPy that call BLAS or LAPACK, made once per process."""

import importlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from pysmpi.simulation.compute.blas.replaced_function import ReplacedFunction
from pysmpi.simulation.compute.blas.routines import ROUTINES

__all__ = ["forget_found_functions", "replacements", "scipy_routines"]

_MODULES = ("scipy.linalg.blas", "scipy.linalg.lapack")
_PREFIXES = "sdcz"


@cache
def replacements() -> tuple[tuple[Any, ReplacedFunction], ...]:
    """Return pairs of a library function and its replacement; callers store the replacement wherever a program has
    imported the function."""
    return (*_of_numpy(), *scipy_routines())


def _of_numpy() -> Iterator[tuple[Any, ReplacedFunction]]:
    import numpy as np

    from pysmpi.simulation.compute.blas.numpy_calls import FUNCTIONS, NumpyFunction

    for name in FUNCTIONS:
        owner: Any = np
        *path, last = name.split(".")
        for part in path:
            owner = getattr(owner, part)
        original = getattr(owner, last, None)  # older versions of NumPy lack some functions
        if original is not None:
            yield original, NumpyFunction(original, name)


def scipy_routines() -> Iterator[tuple[Any, ReplacedFunction]]:
    """Yield SciPy's routines of BLAS and LAPACK, each with its replacement; none if SciPy is missing."""
    try:
        modules = [importlib.import_module(name) for name in _MODULES]
    except ImportError:
        return
    from pysmpi.simulation.compute.blas.scipy_calls import ScipyRoutine

    for module in modules:
        for name, value in sorted(vars(module).items()):
            named = name[0] in _PREFIXES or name in ROUTINES
            if type(value).__name__ == "fortran" and named and not name.endswith("_lwork"):
                yield value, ScipyRoutine(value, name)


def forget_found_functions() -> None:
    """Clear SciPy's caches of routines that ``get_blas_funcs`` and ``get_lapack_funcs`` have found.

    Both then search again, and find the replacements during a simulation or the original routines after it.
    """
    for name in _MODULES:
        module: ModuleType = importlib.import_module(name)
        for getter in ("get_blas_funcs", "get_lapack_funcs"):
            memory = getattr(getattr(getattr(module, getter, None), "__wrapped__", None), "memo", None)
            if memory is not None:
                memory.clear()
