"""Reading the platform of a task."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.errors import PlatformError
from pysmpi.study.inputs import with_whole_paths
from pysmpi.study.task import Task
from pysmpi.util.wings import language_of

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["machine_of"]


@contextmanager
def machine_of(task: Task) -> "Iterator[Platform]":
    """Context manager whose value is the platform of a task, read from the text in the task.

    While the context is open, the text is available to this process and its children as an in-memory file.

    Raises:
        PlatformError: if the platform is malformed; the message names the original file.
    """
    from pysmpi.platform import read

    if task.platform_name is None:
        is_model = language_of(task.platform) is not None
        yield read(os.path.join(task.folder, task.platform) if is_model else task.platform)
        return
    own = Path(task.platform_name)
    memory = os.memfd_create("platform.xml")
    try:
        content = with_whole_paths(task.platform, [own.parent, Path(task.folder)]).encode()
        while content:
            content = content[os.write(memory, content) :]
        path = f"/proc/{os.getpid()}/fd/{memory}"
        try:
            platform = read(path)
        except PlatformError as error:
            raise PlatformError(str(error).replace(path, task.platform_name)) from None
        yield platform
    finally:
        with suppress(OSError):  # the program may have closed all descriptors
            os.close(memory)
