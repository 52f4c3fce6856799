"""The versions of what a study's outcomes come from."""

import functools
import importlib.metadata
import platform

__all__ = ["NOT_INSTALLED", "versions"]

NOT_INSTALLED = "not installed"
"""The version of what is there all the same: a source tree on PYTHONPATH."""

_PACKAGES = ("pysmpi", "mpi4py", "numpy")


@functools.cache
def versions() -> dict[str, str]:
    """By name: pysmpi, python, mpi4py, numpy."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = NOT_INSTALLED
    return found
