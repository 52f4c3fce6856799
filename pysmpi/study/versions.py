"""Versions of the software that a study's outcomes depend on."""

import functools
import importlib.metadata
import platform

__all__ = ["NOT_INSTALLED", "versions"]

NOT_INSTALLED = "not installed"
"""Version of a package that is importable but not installed, such as a source tree on PYTHONPATH."""

_PACKAGES = ("pysmpi", "mpi4py", "numpy")


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of pysmpi, python, mpi4py and numpy, by name."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = NOT_INSTALLED
    return found
