"""Conversion of strings from and to C: names, keys, paths. Bytes that are not valid UTF-8 are preserved."""

from typing import Any

from pysmpi.native import ffi

__all__ = ["read_text", "write_text"]


def read_text(pointer: Any) -> str:
    """Return the contents of a C string."""
    text: str = ffi.string(pointer).decode(errors="surrogateescape")
    return text


def write_text(pointer: Any, text: str, room: int) -> int:
    """Write a C string, truncated to `room` bytes with its final null; return its length without the null."""
    encoded = text.encode(errors="surrogateescape")[: room - 1]
    ffi.memmove(pointer, encoded + b"\0", len(encoded) + 1)
    return len(encoded)
