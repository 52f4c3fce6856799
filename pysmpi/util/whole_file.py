"""A file that appears with all its content, or not at all."""

import contextlib
import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file that is there with all its content once this returns, and as it was before until then.

    What a process that is killed meanwhile leaves behind ends in ``.part``.

    Raises:
        OSError: it cannot be written; nothing of it is left.
    """
    partial = Path(f"{path}.part")
    try:
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
