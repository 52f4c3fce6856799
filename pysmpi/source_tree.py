"""Imports from a source tree, which has no native libraries: the installed package takes its place."""

import os

__all__ = ["use_installation"]


def use_installation(path: list[str]) -> None:
    """Let all modules of the package come from its installation if `path` (its ``__path__``) is a source tree.

    `python -m` and interactive Python look into the working directory first. In a source tree, they would find the
    package there, without the native libraries.

    Raises:
        ImportError: pysmpi is not installed.
    """
    if os.path.exists(os.path.join(path[0], "native", "libpysmpi_engine.so")):
        return
    import importlib.metadata

    try:
        installed = str(importlib.metadata.distribution("pysmpi").locate_file("pysmpi"))
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(
            f"{path[0]} is the source tree of pysmpi, which has no native libraries; install it with pip first"
        ) from None
    path[:] = [installed]
