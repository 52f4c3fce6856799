"""Texts that cross the border to C: names, keys, paths. Bytes that are no UTF-8 come through unchanged."""

from typing import Any

from pysmpi.native import ffi

__all__ = ["read_text", "write_text"]


def read_text(pointer: Any) -> str:
    """The text that a C string holds."""
    text: str = ffi.string(pointer).decode(errors="surrogateescape")
    return text


def write_text(pointer: Any, text: str, room: int) -> int:
    """Writes a text with its final zero, cut to so many bytes in all; returns its length without the zero."""
    encoded = text.encode(errors="surrogateescape")[: room - 1]
    ffi.memmove(pointer, encoded + b"\0", len(encoded) + 1)
    return len(encoded)
