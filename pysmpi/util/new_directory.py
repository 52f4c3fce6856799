"""Creation of a directory that appears complete or not at all."""

import os
import pathlib
import secrets
import shutil

from pysmpi.errors import LaunchError

__all__ = ["NewDirectory", "refuse_used"]


def refuse_used(target: str | os.PathLike[str], option: str) -> None:
    """Raise an error if a path is neither free nor an empty directory.

    Args:
        target: the path.
        option: option name for error messages.

    Raises:
        LaunchError: the path is used.
    """
    path = pathlib.Path(target)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise LaunchError(f"{option} {target}: already exists and is not an empty directory; choose another path")


class NewDirectory:
    """Directory that is filled under the name `partial`, and renamed to its target when complete.

    Args:
        target: path of the directory; nothing or an empty directory may exist there.
        option: option name for error messages.

    Attributes:
        target: path of the directory.
        partial: temporary directory beside the target, to be filled.

    Raises:
        LaunchError: the target exists and is not empty, or no directory can be created there.
    """

    def __init__(self, target: str | os.PathLike[str], option: str) -> None:
        self.target = pathlib.Path(target)
        # The partial directory lies beside the target, so that it can be renamed. The random name avoids leftovers of a
        # killed run.
        self.partial = self.target.absolute().with_name(f".{self.target.name}.{secrets.token_hex(4)}")
        try:
            refuse_used(self.target, option)
            self.partial.mkdir(parents=True)
        except OSError as error:
            raise LaunchError(f"{option} {target}: cannot create the directory: {error.strerror}") from None

    def keep(self) -> None:
        """Rename the complete directory to its target.

        Raises:
            OSError: the directory cannot be renamed.
        """
        self.partial.rename(self.target)

    def discard(self) -> None:
        """Remove the partial directory, if it has not been renamed."""
        shutil.rmtree(self.partial, ignore_errors=True)
