"""Text of ``--version``: the versions of pysmpi and of the packages it uses."""

import sys

__all__ = ["version_line"]


def version_line(command: str) -> str:
    """Return the line that ``COMMAND --version`` prints, which begins with the command's name."""
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
