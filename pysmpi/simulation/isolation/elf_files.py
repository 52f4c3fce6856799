"""Libraries that a compiled library asks for, read from its file (Executable and Linking Format)."""

import struct
from collections.abc import Iterator
from pathlib import Path

__all__ = ["needed_libraries"]

_LOAD, _DYNAMIC = 1, 2  # types of segments
_NEEDED, _TEXTS = 1, 5  # tags of the dynamic section


def needed_libraries(path: Path) -> list[str]:
    """Return the names of the libraries that a library asks for itself, such as ``libmpi.so.12``.

    Args:
        path: file of the library. The list is empty if it has not the 64-bit format of a little-endian machine.
    """
    with path.open("rb") as file:
        header = file.read(64)
        if header[:6] != b"\x7fELF\x02\x01":
            return []
        (table,) = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(table)
        segments = [struct.unpack_from("<IIQQQQQQ", file.read(size)) for _ in range(count)]

        def at(address: int) -> int:
            """Return the place in the file of an address."""
            return next(
                offset + address - begin
                for kind, _, offset, begin, _, length, *_ in segments
                if kind == _LOAD and begin <= address < begin + length
            )

        dynamic = next(((offset, length) for kind, _, offset, _, _, length, *_ in segments if kind == _DYNAMIC), None)
        if dynamic is None:
            return []
        file.seek(dynamic[0])
        entries = list(struct.iter_unpack("<QQ", file.read(dynamic[1])))
        texts = next((at(value) for tag, value in entries if tag == _TEXTS), 0)

        def names() -> Iterator[str]:
            for tag, value in entries:
                if tag == _NEEDED:
                    file.seek(texts + value)
                    yield file.read(256).split(b"\0")[0].decode()

        return list(names())
