"""Files as objects: finding them, and what their functions share. MPI 4.1, chapter 14.

A file is one object with one handle and one real descriptor for all the ranks that have opened it together; what a
process would keep of it (view, individual pointer, hints) is kept by rank. The files have a communicator of their own,
over which collective functions that must agree on something exchange a few bytes (`agree`): that, the latency of
the file system and the bytes on disks and network (`pysmpi.mpi.storage`) is all the time that file functions take.
Which functions do so: opening and closing, views, sizes, shared pointers, and accesses in rank order; the other
collective accesses are those of each rank on its own, which meet at the disk.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pysmpi.mpi.bindings import CallbackError, MpiError, mpi_function, running_rank
from pysmpi.mpi.communicator import Communicator, meet, next_creation
from pysmpi.mpi.constants import ERR_FILE, ERR_STOPPED, FILE_NULL, FIRST_FILE
from pysmpi.mpi.file_errors import file_error
from pysmpi.mpi.storage import Place
from pysmpi.mpi.view import View
from pysmpi.native import lib

__all__ = [
    "File",
    "OfRank",
    "Split",
    "add_file",
    "agree",
    "failing_as",
    "file_function",
    "find_file",
    "remove_file",
    "reset_files",
]


@dataclass(slots=True)
class Split:
    """A split collective access that has begun.

    Attributes:
        how: which one, by the PYSMPI_FILE_ bits.
        request: completes with it.
        moved: bytes.
    """

    how: int
    request: int
    moved: int


@dataclass(slots=True)
class OfRank:
    """What one rank has of a file.

    Attributes:
        place: where the file is, as it sees it.
        hints: the info object.
        view: what it sees of the file.
        position: its own pointer, in etypes.
        atomic: its accesses are atomic; here they are in any case.
        split: what it has begun and not ended.
    """

    place: Place
    hints: dict[str, str]
    view: View = field(default_factory=View)
    position: int = 0
    atomic: bool = False
    split: Split | None = None


@dataclass(slots=True)
class File:
    """An open file, shared by the ranks that have opened it.

    Attributes:
        handle: what programs call it.
        path: of the first rank, absolute.
        amode: how it was opened.
        descriptor: of the real file.
        communicator: of its own.
        shared_position: the pointer that ranks share, in etypes.
    """

    handle: int
    path: str
    amode: int
    descriptor: int
    communicator: Communicator
    shared_position: int = 0
    of_ranks: dict[int, OfRank] = field(default_factory=dict)

    def mine(self) -> OfRank:
        """What the running rank has of it."""
        return self.of_ranks[running_rank()]

    @property
    def size(self) -> int:
        """Bytes of the real file."""
        return os.fstat(self.descriptor).st_size


_files: dict[int, File] = {}
_next_handle = FIRST_FILE


def add_file(path: str, amode: int, descriptor: int, communicator: Communicator) -> File:
    """A new open file, with a handle."""
    global _next_handle
    file = _files[_next_handle] = File(_next_handle, path, amode, descriptor, communicator)
    _next_handle += 1
    return file


def find_file(handle: int) -> File:
    """The file with this handle.

    Raises:
        MpiError: there is none, or the running rank has not opened it, or closed it.
    """
    file = _files.get(handle)
    if file is not None and running_rank() in file.of_ranks:
        return file
    why = "is MPI_FILE_NULL" if handle == FILE_NULL else f"{handle:#x} is not open; was it closed?"
    error = MpiError(ERR_FILE, f"the file {why}")
    error.file = FILE_NULL
    raise error


def remove_file(file: File) -> None:
    """All ranks have closed it."""
    del _files[file.handle]
    os.close(file.descriptor)


def reset_files() -> None:
    """Closes the files that ranks have left open."""
    for file in [file for file in _files.values() if -1 not in file.of_ranks]:
        remove_file(file)


def agree(communicator: Communicator, given: Any, size: int, decide: Callable[[dict[int, Any]], object]) -> Any:
    """What the ranks of a file decide from what each of them gives, in a gather and a scatter of `size` bytes each.

    Args:
        communicator: the file's.
        given: what the running rank gives.
        size: bytes.
        decide: called once, with what each rank has given, by world rank. What it raises, all ranks get.

    Raises:
        MpiError: as `decide` has it.
    """

    def settle(all_given: dict[int, Any]) -> tuple[object, MpiError | None]:
        try:
            return decide(all_given), None
        except MpiError as error:
            return None, error
        except OSError as error:
            return None, file_error(error.errno or 0, str(error.filename or "the file"))

    decided, error = meet(communicator, next_creation(communicator), given, size, settle)
    if error is not None:
        raise MpiError(error.error_class, error.text)
    return decided


class failing_as:  # noqa: N801 - it reads as a statement
    """What fails inside goes to the error handler of a file."""

    def __init__(self, file: int, function: bytes | None = None) -> None:
        self.file = file
        self.function = function

    def __enter__(self) -> None:
        """Nothing is done."""

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        """An error of MPI or of the operating system becomes one of the file."""
        if isinstance(error, OSError):
            failed = file_error(error.errno or 0, str(error.filename or "the file"))
        elif isinstance(error, MpiError):
            failed = error
        else:
            if isinstance(error, CallbackError) and error.code != ERR_STOPPED:
                lib.pysmpi_raise_file_error(self.file, error.code)
            return
        if failed.file is None:
            failed.file = self.file
        failed.function = self.function
        if failed is not error:
            raise failed from None


def file_function(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes the decorated function the implementation of ``MPI_name``, whose first argument is a file.

    It gets the `File` in place of the handle, and what it raises goes to that file's error handler.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def call(handle: int, *arguments: Any) -> None:
            with failing_as(handle):
                function(find_file(handle), *arguments)

        return mpi_function(name)(call)

    return decorate
