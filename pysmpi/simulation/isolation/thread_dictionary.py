"""Python's dictionary of the thread (``PyThreadState_GetDict``), in which extension modules keep what belongs to a
thread: each rank has its own values of what it assigns there.

Values that are assigned outside ranks, or while a module is imported for all ranks, are visible to all of them. An
exception is ctypes' copy of errno (``ctypes.get_errno``), which is changed in place: no rank ever sees another one's.
"""

import ctypes
from typing import Any

from pysmpi.simulation.isolation.interpreter import isolate_assignments
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install", "put_errno_away", "put_errno_back"]

_ERRNO = "ctypes.error_object"  # where ctypes keeps its copy of errno, once it is used
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_GetDict", ctypes.pythonapi))


def install(patches: Patches) -> None:
    """Give each rank its own values in the dictionary."""
    before = put_errno_away()
    patches.at_undo(lambda: put_errno_back(before))
    isolate_assignments(_of_thread())


def _of_thread() -> dict[Any, Any]:
    found: dict[Any, Any] = ctypes.cast(_address(), ctypes.py_object).value
    return found


def put_errno_away() -> Any:
    """Remove and return ctypes' copy of errno, or return None if ctypes has not made one yet."""
    return _of_thread().pop(_ERRNO, None)


def put_errno_back(errno: Any) -> None:
    """Restore what `put_errno_away` has returned."""
    if errno is None:
        put_errno_away()
    else:
        _of_thread()[_ERRNO] = errno
