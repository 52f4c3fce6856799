"""Stacks of ranks' own, where the local variables of compiled code stay in place while other ranks run.

Ranks share one C stack, and greenlet exchanges its contents when another rank runs (native/engine/own_stack.hpp).
Compiled code that ctypes or cffi calls, and that can call MPI, always runs on a private stack. With
``--own-stacks``, everything that a rank runs does.
"""

import ctypes
import functools
import resource
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.errors import ConfigurationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.patching import Patches, object_at

__all__ = ["install", "on_own_stack"]

_LEAST, _UNLIMITED = 8 << 20, 1 << 30  # bytes, by default
_SMALLEST = 256 << 10  # bytes: the interpreter itself needs some


def install(patches: Patches, stack_size: float) -> None:
    """Let compiled code that calls MPI run on a private stack, if the interpreter and processor allow it.

    Args:
        patches: record of what is to be undone at the end.
        stack_size: size of own stacks in KiB, or 0 for that of a process's stack.
    """
    size = max(int(stack_size * 1024), _SMALLEST) if stack_size else _usual_size()
    lib.pysmpi_set_own_stack_size(size)
    patches.at_undo(lambda: lib.pysmpi_set_own_stack_size(size))  # also frees the stacks that are not in use
    if lib.pysmpi_own_stacks_problem() != ffi.NULL:
        return
    backend = sys.modules.get("_cffi_backend")
    classes = [
        ffi.cast("void *", 0 if kind is None else id(kind))
        for kind in (ctypes._CFuncPtr, getattr(backend, "_CDataBase", None))  # type: ignore[attr-defined]
    ]
    lib.pysmpi_redirect_foreign_calls(*classes)
    patches.at_undo(lambda: lib.pysmpi_restore_foreign_calls(*classes))


def _usual_size() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return _UNLIMITED if limit == resource.RLIM_INFINITY else max(_LEAST, limit)


def on_own_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `function` on a private stack.

    Raises:
        ConfigurationError: own stacks are impossible with this interpreter or processor.
    """
    problem = lib.pysmpi_own_stacks_problem()
    if problem != ffi.NULL:
        raise ConfigurationError(f"--own-stacks is impossible here: {ffi.string(problem).decode()}")
    return functools.partial(object_at(lib.pysmpi_own_stack_caller()), function)
