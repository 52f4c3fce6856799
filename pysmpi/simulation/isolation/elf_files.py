"""Libraries that a compiled library asks for, read from its file (Executable and Linking Format)."""

import struct
from pathlib import Path
from typing import BinaryIO

__all__ = ["needed_libraries"]

_LOAD, _DYNAMIC = 1, 2  # types of segments
_NEEDED, _TEXTS = 1, 5  # tags of the dynamic section


def needed_libraries(path: Path) -> list[str]:
    """Return the names of the libraries that a library asks for itself, such as ``libmpi.so.12``.

    Args:
        path: file of the library. The list is empty if the file cannot be read, or has not the 64-bit format of a
            little-endian machine.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except (OSError, struct.error, StopIteration):
        return []


def _read(file: BinaryIO) -> list[str]:
    header = file.read(64)
    if header[:6] != b"\x7fELF\x02\x01":
        return []
    (table,) = struct.unpack_from("<Q", header, 32)
    size, count = struct.unpack_from("<HH", header, 54)
    file.seek(table)
    segments = [struct.unpack_from("<IIQQQQ", file.read(size)) for _ in range(count)]
    offset, length = next((at, bytes_in_file) for kind, _, at, _, _, bytes_in_file in segments if kind == _DYNAMIC)
    file.seek(offset)
    entries = list(struct.iter_unpack("<QQ", file.read(length)))
    address = next(value for tag, value in entries if tag == _TEXTS)
    texts = next(
        at + address - begin
        for kind, _, at, begin, _, bytes_in_file in segments
        if kind == _LOAD and begin <= address < begin + bytes_in_file
    )
    names = []
    for value in (value for tag, value in entries if tag == _NEEDED):
        file.seek(texts + value)
        names.append(file.read(256).split(b"\0")[0].decode(errors="replace"))
    return names
