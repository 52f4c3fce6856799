"""Folding of large arrays that NumPy allocates in ranks, without changes to the program.

NumPy keeps the allocator of array data in a context variable. The ranks' contexts are copies of the launcher's context,
so that setting the allocator once sets it for all ranks (NumPy's C API manual, "Memory management"; NEP 49).
"""

import ctypes
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pysmpi.native import ffi, lib

__all__ = ["array_allocator", "folding_allocator"]

_SET_HANDLER = 304  # index of PyDataMem_SetHandler in NumPy's table of C functions, since NumPy 1.22


@contextmanager
def folding_allocator(threshold: int) -> Iterator[None]:
    """Let ranks share the memory of large NumPy arrays, those of at least `threshold` bytes, inside this context."""
    with array_allocator(int(ffi.cast("uintptr_t", lib.pysmpi_folding_allocator(threshold)))):
        yield


@contextmanager
def array_allocator(address: int) -> Iterator[None]:
    """Let NumPy allocate the data of arrays by the allocator at `address` inside this context."""
    numpy: Any = importlib.import_module("numpy")  # imported only when needed
    core = numpy._core if hasattr(numpy, "_core") else numpy.core  # NumPy 2 has renamed the module
    new, pointer = ctypes.pythonapi.PyCapsule_New, ctypes.pythonapi.PyCapsule_GetPointer
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])
    before = set_handler(new(address, b"mem_handler", None))
    try:
        yield
    finally:
        set_handler(before)
