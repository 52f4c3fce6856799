"""Settings of mpi4py: parsing of ``mpi4py.rc`` and ``MPI4PY_RC_*``, and the place where mpi4py keeps the results.

mpi4py's extension module reads them once, when it is imported, into a C structure (``Options`` in
mpi4py/src/mpi4py/MPI.src/atimport.pxi). That structure is found by searching for its known contents.
"""

import ctypes
import struct
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Options", "find_block", "read_options"]

_LAYOUT = "<6iqi4x"  # initialize, threads, thread_level, finalize, fast_reduce, recv_mprobe; irecv_bufsz; errors
_LEVELS = ("single", "funneled", "serialized", "multiple")
_ERRORS = ("default", "exception", "abort", "fatal")
_TRUE = {"true", "yes", "on", "y", "1"}
_FALSE = {"false", "no", "off", "n", "0", ""}


@dataclass(frozen=True)
class Options:
    """Parsed settings, in the order of the C structure.

    Attributes:
        initialize: whether importing mpi4py.MPI initialises MPI.
        threads: whether MPI is initialised by MPI_Init_thread with `thread_level` instead of MPI_Init.
        thread_level: MPI_THREAD_SINGLE (0) to MPI_THREAD_MULTIPLE (3).
        fast_reduce: whether objects are reduced along trees.
        recv_mprobe: whether objects are received with matched probes.
        irecv_bufsz: size of the buffer of ``irecv`` in bytes.
        errors: error handler of new objects: 0 MPI's default, 1 MPI_ERRORS_RETURN, 2 MPI_ERRORS_ABORT,
            3 MPI_ERRORS_ARE_FATAL.
    """

    initialize: bool = True
    threads: bool = True
    thread_level: int = 3
    fast_reduce: bool = True
    recv_mprobe: bool = True
    irecv_bufsz: int = 32768
    errors: int = 1

    def block(self) -> bytes:
        """Return the bytes of mpi4py's C structure. Its `finalize` is always 0: ranks finalise MPI themselves."""
        flags = self.initialize, self.threads, self.thread_level, 0, self.fast_reduce, self.recv_mprobe
        return struct.pack(_LAYOUT, *flags, self.irecv_bufsz, self.errors)


def read_options(settings: Any, environment: Callable[[str], str | None]) -> Options:
    """Parse mpi4py's settings. For an invalid value, warn as mpi4py does, and use the setting's default.

    Args:
        settings: ``mpi4py.rc``, or None. Values from the environment are written into it.
        environment: function that returns the value of an environment variable, or None.
    """

    def value(name: str, default: Any) -> Any:
        text = environment(f"MPI4PY_RC_{name.upper()}")
        if text is None:
            return getattr(settings, name, default)
        lowered = text.lower()
        found: Any = lowered
        if text.isdigit() and type(default) is int:
            found = int(text)
        elif lowered in _TRUE | _FALSE:
            found = lowered in _TRUE
        if settings is not None:
            setattr(settings, name, found)
        return found

    def one_of(name: str, default: Any, meanings: list[tuple[Any, Any]]) -> Any:
        found = value(name, default)
        for accepted, meaning in meanings:
            if found == accepted:
                return meaning
        _warn(name, found)
        return next(meaning for accepted, meaning in meanings if accepted == default)

    flag: list[tuple[Any, Any]] = [(True, True), ("yes", True), (False, False), ("no", False)]
    values = {
        "initialize": one_of("initialize", True, flag),
        "threads": one_of("threads", True, flag),
        "thread_level": one_of("thread_level", "multiple", [(name, level) for level, name in enumerate(_LEVELS)]),
        "fast_reduce": one_of("fast_reduce", True, flag),
        "recv_mprobe": one_of("recv_mprobe", True, flag),
        "errors": one_of("errors", "exception", [(name, number) for number, name in enumerate(_ERRORS)]),
    }
    one_of("finalize", None, [(None, None), *flag])  # the value is not used; an invalid one causes a warning
    room = value("irecv_bufsz", 32768)
    if type(room) is not int or room < 0:
        _warn("irecv_bufsz", room)
        room = 32768
    return Options(**values, irecv_bufsz=room)


def _warn(name: str, value: object) -> None:
    warnings.warn(f"mpi4py.rc.{name}: unexpected value {value!r:.200}", RuntimeWarning, stacklevel=2)


def find_block(extension: str, contents: bytes) -> int | None:
    """Return the address of `contents` in an extension module's writable memory, or None unless they occur there
    exactly once.

    Args:
        extension: path of the module's file, a 64-bit ELF library.
        contents: bytes to find, at a multiple of 8.
    """
    file = Path(extension).resolve()  # the path in the process's map of memory contains no symbolic links
    mapped = [line for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith(f" {file}")]
    if not mapped:
        return None
    base = int(mapped[0].partition("-")[0], 16)
    found = []
    for begin, size in _writable_segments(file):
        memory = ctypes.string_at(base + begin, size)
        at = memory.find(contents)
        while at >= 0:
            if (begin + at) % 8 == 0:
                found.append(base + begin + at)
            at = memory.find(contents, at + 1)
    return found[0] if len(found) == 1 else None


def _writable_segments(library: Path) -> Iterator[tuple[int, int]]:
    """Yield the offset in memory and the size of each writable segment (elf.h: PT_LOAD is 1, PF_W is 2)."""
    with library.open("rb") as file:
        (first,) = struct.unpack_from("<Q", file.read(64), 32)
        file.seek(54)
        size, count = struct.unpack("<2H", file.read(4))
        file.seek(first)
        headers = file.read(size * count)
    for at in range(0, size * count, size):
        kind, flags, _, address, _, _, in_memory, _ = struct.unpack_from("<2I6Q", headers, at)
        if kind == 1 and flags & 2:
            yield address, in_memory
