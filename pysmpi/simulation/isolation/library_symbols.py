"""Addresses of variables of compiled libraries that other libraries cannot see (local symbols of ELF files)."""

import ctypes
import struct
from pathlib import Path

import numpy as np

__all__ = ["address_of"]

_SYMBOL_TABLE = 2  # SHT_SYMTAB
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)


def address_of(library: Path, symbol: str, neighbour: str) -> int | None:
    """Return the address of a variable in a loaded library, or None if the file does not name it.

    Args:
        library: file of the library, in the 64-bit format of a little-endian machine.
        symbol: name of the variable, as the compiler writes it (mangled).
        neighbour: name of a function that the library exports, by which its place in memory is found.
    """
    offsets = _offsets(library, (symbol, neighbour))
    if offsets is None:
        return None
    function = ctypes.cast(getattr(ctypes.CDLL(str(library)), neighbour), ctypes.c_void_p).value or 0
    return function - offsets[neighbour] + offsets[symbol]


def _offsets(library: Path, names: tuple[str, ...]) -> dict[str, int] | None:
    """Return the offsets of symbols from the beginning of the loaded library, or None unless all are found."""
    with library.open("rb") as file:
        header = file.read(64)
        (table,) = struct.unpack_from("<Q", header, 40)
        size, count = struct.unpack_from("<HH", header, 58)
        file.seek(table)
        sections = [_SECTION.unpack_from(file.read(size)) for _ in range(count)]
        for _, kind, _, _, at, length, link, *_ in sections:
            if kind != _SYMBOL_TABLE:
                continue
            file.seek(at)
            symbols = np.frombuffer(file.read(length), _SYMBOL)
            file.seek(sections[link][4])
            texts = file.read(sections[link][5])
            return _find(symbols, texts, names)
    return None


def _find(symbols: np.ndarray, texts: bytes, names: tuple[str, ...]) -> dict[str, int] | None:
    found = {}
    for name in names:
        at = texts.find(b"\0" + name.encode() + b"\0") + 1
        values = symbols["value"][symbols["name"] == at] if at else []
        if len(values) != 1:
            return None
        found[name] = int(values[0])
    return found
