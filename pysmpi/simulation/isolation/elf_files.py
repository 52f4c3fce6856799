"""Libraries that a compiled library asks for, and its variables of which a process has one, read from its file."""

from pathlib import Path

from pysmpi.util.elf_file import ElfError, ElfFile

__all__ = ["needed_libraries", "unique_variable"]


def needed_libraries(path: Path) -> list[str]:
    """Return the names of the libraries that a library asks for itself, such as ``libmpi.so.12``.

    Args:
        path: file of the library. The list is empty if the file cannot be read, or is not that of a library.
    """
    try:
        return ElfFile.read(path).needed
    except (OSError, ElfError, ValueError):
        return []


def unique_variable(path: Path) -> str | None:
    """Return the name of a variable of which a process has one, however many libraries and copies define it, or None.

    Args:
        path: file of the library.
    """
    try:
        return next((each.name for each in ElfFile.read(path).unique_variables), None)
    except (OSError, ElfError, ValueError):
        return None
