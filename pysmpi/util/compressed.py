"""Reading of files that may be compressed by gzip, such as tables of measurements."""

import gzip
import zlib

__all__ = ["expanded", "is_compressed"]


def is_compressed(content: bytes) -> bool:
    """Return whether the content of a file, or its first two bytes, are those of gzip."""
    return content[:2] == b"\x1f\x8b"


def expanded(content: bytes) -> bytes:
    """Return the content of a file, expanded if gzip has compressed it.

    Raises:
        ValueError: the compressed data is damaged or incomplete.
    """
    if not is_compressed(content):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"cannot expand the compressed file: {error}") from None
