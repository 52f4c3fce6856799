"""Libraries that a compiled library asks for, and its variables of which a process has one, read from its file.

The file has the Executable and Linking Format.
"""

import re
import struct
from pathlib import Path
from typing import BinaryIO

__all__ = ["needed_libraries", "unique_variable"]

_LOAD, _DYNAMIC = 1, 2  # types of segments
_NEEDED, _TEXTS = 1, 5  # tags of the dynamic section
_DYNAMIC_SYMBOLS = 11  # type of a section
_UNIQUE = 10  # binding of a symbol
_STANDARD = re.compile(r"_Z(GV|T[ISV])?N?K?(St|S[aosid])")  # names in C++'s namespace std


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


def unique_variable(path: Path) -> str | None:
    """Return the name of a variable of which a process has one, however many libraries and copies define it, or None.

    C++ has such variables: inline ones, and static ones of templates and inline functions. Those of the standard
    library do not count.

    Args:
        path: file of the library.
    """
    try:
        data = path.read_bytes()
        (table,) = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + number * size) for number in range(count)]
        symbols = next(section for section in sections if section[1] == _DYNAMIC_SYMBOLS)
        texts = sections[symbols[6]][4]
        for at in range(symbols[4], symbols[4] + symbols[5], 24):
            name, info, _, section = struct.unpack_from("<IBBH", data, at)
            if info >> 4 == _UNIQUE and section != 0:
                text = data[texts + name : data.index(b"\0", texts + name)].decode(errors="replace")
                if not _STANDARD.match(text):
                    return text
    except (OSError, struct.error, StopIteration, ValueError):
        pass
    return None


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
