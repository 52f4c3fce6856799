"""The native engine: time, matching, bytes and flows in C++20, reached through cffi bindings.

Importing this package loads the engine, which has no MPI symbols, and is safe in a run of a real MPI.
"""

from pysmpi.native._native import ffi, lib

__all__ = ["ffi", "lib"]
