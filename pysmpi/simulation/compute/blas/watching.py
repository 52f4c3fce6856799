"""Watching of calls that loaded libraries make of BLAS and LAPACK functions (``native/blas``).

Models give such calls their time, and requirements count their operations. All calls are watched, whichever function of
NumPy, SciPy or another package makes them, and whatever language it is written in.
"""

import ctypes
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from typing import Any, Literal

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.blas.routines import split_name
from pysmpi.simulation.compute.flops import routine_amount

__all__ = ["unwatch", "unwatched_calls", "watch"]

Purpose = Literal["charge", "count"]
Charge = Callable[[str, int, int, int, int], float]
Repeat = Callable[[str, int, int, int, int, int], None]

_watching: dict[Purpose, tuple[Any, ...]] = {}  # functions by purpose; kept here so that they are not freed
_loaders: list[tuple[Any, str, Any]] = []  # replaced functions that load libraries: (owner, name, original)


def watch(purpose: Purpose, *functions: Charge | Repeat) -> None:
    """Watch calls of ranks from now on, also in libraries that are loaded later.

    Args:
        purpose: "charge" to let a model charge calls; "count" to count their operations as requirements.
        functions: to charge calls, the functions `charge` and `repeat` of ``native/blas/c_api.h``.
    """
    _watching[purpose] = functions
    _apply()


def unwatch(purpose: Purpose) -> None:
    """Stop watching calls for a purpose."""
    if _watching.pop(purpose, None) is not None:
        _apply()


def unwatched_calls() -> list[str]:
    """Return a sentence for each loaded library whose calls were not watched, for example because pysmpi did not notice
    that it was loaded."""
    paths: list[str] = []
    while (path := lib.pysmpi_unwatched_library(len(paths))) != ffi.NULL:
        paths.append(ffi.string(path).decode(errors="replace"))
    return [f"calls of BLAS and LAPACK by {path} were not noticed, and took time like other code" for path in paths]


def _apply() -> None:
    if not _watching:
        lib.pysmpi_unwatch_blas()
        _restore_loaders()
        return
    charging = _watching.get("charge", (None, None))
    pointers = [ffi.NULL if each is None else ffi.cast("void *", id(each)) for each in (*charging, _amount)]
    if not _loaders:
        _replace_loader(ExtensionFileLoader, "create_module")
        _replace_loader(ctypes, "_dlopen")
    lib.pysmpi_watch_blas(ffi.new("pysmpi_blas_functions *", pointers))


def _replace_loader(owner: Any, name: str) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    def load(*arguments: Any, **named: Any) -> Any:
        loaded = original(*arguments, **named)
        lib.pysmpi_watch_new_libraries()
        return loaded

    _loaders.append((owner, name, original))
    setattr(owner, name, load)


def _restore_loaders() -> None:
    while _loaders:
        setattr(*_loaders.pop())


def _amount(name: str, m: int, n: int, k: int, nrhs: int) -> tuple[float, float]:
    """Return the flops of a call, and the bytes of its operands."""
    routine, _, without = name.partition(" ")
    sizes = {"m": m, "n": n, "k": k, "nrhs": nrhs}
    return routine_amount(*split_name(routine), sizes, makes_vectors=not without)
