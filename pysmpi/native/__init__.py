"""Native engine in C++20, with simulated time, matching, bytes and flows; Python reaches it through cffi bindings.

Importing this package loads the engine. It has no MPI symbols, so loading it is safe in a run of a real MPI.
"""

from pysmpi.native._native import ffi, lib

__all__ = ["ffi", "lib"]
