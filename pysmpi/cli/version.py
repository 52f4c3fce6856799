"""What ``--version`` prints: the versions of pysmpi and of what it works with."""

import sys

__all__ = ["version_line"]


def version_line(command: str) -> str:
    """The line of a command, named so."""
    import importlib.metadata

    import greenlet

    def version(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return "not installed"

    python = ".".join(map(str, sys.version_info[:3]))
    return (
        f"{command} {version('pysmpi')} (Python {python}, mpi4py {version('mpi4py')}, greenlet {greenlet.__version__}, "
        f"numpy {version('numpy')})"
    )
