"""A directory that appears with all it is to hold, or not at all."""

import os
import pathlib
import secrets
import shutil

from pysmpi.errors import LaunchError

__all__ = ["NewDirectory"]


class NewDirectory:
    """Files are written into `partial`, which takes its place when all is well.

    Args:
        target: where it is to be; nothing, or an empty directory, may be there.
        option: what errors call it.

    Attributes:
        target: the same.
        partial: the directory beside it that is to be filled.

    Raises:
        LaunchError: the target holds something, or no directory can be made there.
    """

    def __init__(self, target: str | os.PathLike[str], option: str) -> None:
        self.target = pathlib.Path(target)
        # Beside it, so that it can be renamed; of no name that a run may have left that was killed.
        self.partial = self.target.absolute().with_name(f".{self.target.name}.{secrets.token_hex(4)}")
        try:
            if self.target.exists() and (not self.target.is_dir() or any(self.target.iterdir())):
                raise LaunchError(f"{option} {target}: it is there already, and not an empty directory")
            self.partial.mkdir(parents=True)
        except OSError as error:
            raise LaunchError(f"{option} {target}: it cannot be made: {error.strerror}") from None

    def keep(self) -> None:
        """All is there.

        Raises:
            OSError: it cannot take its place.
        """
        self.partial.rename(self.target)

    def discard(self) -> None:
        """Removes what is left of it where it has not taken its place."""
        shutil.rmtree(self.partial, ignore_errors=True)
