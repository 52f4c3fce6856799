"""Writing of a file that appears complete or not at all."""

import contextlib
import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see either the old contents or all of the new contents.

    If the process is killed during the call, a file with the ending ``.part`` remains.

    Raises:
        OSError: the file cannot be written; no partial file is left.
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
