"""Files as objects, and the code that file functions share. MPI 4.1, chapter 14.

A file is one object with one handle and one real descriptor for all ranks that have opened it together. Each rank keeps
its own view, individual pointer and hints. Each file has its own communicator. Collective functions that must agree on
something exchange a few bytes over it (`agree`): opening and closing, views, sizes, shared pointers, and accesses in
rank order. Other collective accesses are independent accesses of each rank, which share the disk. File functions take
the time of these messages, the latency of the file system, and the transfer of bytes on disks and network
(`pysmpi.simulation.mpi.storage`).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi.bindings import CallbackError, MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import Communicator, enter, meet, next_number
from pysmpi.simulation.mpi.constants import ERR_FILE, ERR_STOPPED, FILE_NULL, FIRST_FILE
from pysmpi.simulation.mpi.file_errors import file_error
from pysmpi.simulation.mpi.storage import Place
from pysmpi.simulation.mpi.view import View

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
    """A split collective access in progress.

    Attributes:
        how: kind of the access, as PYSMPI_FILE_ bits.
        request: request that completes with the access.
        moved: transferred bytes.
    """

    how: int
    request: int
    moved: int


@dataclass(slots=True)
class OfRank:
    """State of a file that each rank has for itself.

    Attributes:
        place: location of the file, as seen from the rank.
        hints: entries of the info object that the rank has passed.
        view: view of the file.
        position: individual file pointer, in etypes.
        atomic: flag that the program has set with MPI_File_set_atomicity; all accesses are atomic anyway.
        split: split collective access in progress, or None.
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
        handle: handle that programs use.
        path: absolute path that the first rank passed.
        amode: access mode, as MPI_MODE_ bits.
        descriptor: descriptor of the real file.
        communicator: the file's own communicator.
        shared_position: shared file pointer, in etypes.
    """

    handle: int
    path: str
    amode: int
    descriptor: int
    communicator: Communicator
    shared_position: int = 0
    of_ranks: dict[int, OfRank] = field(default_factory=dict)

    def mine(self) -> OfRank:
        """Return the running rank's own state of the file."""
        return self.of_ranks[running_rank()]

    @property
    def size(self) -> int:
        """Size of the real file in bytes."""
        return os.fstat(self.descriptor).st_size


_files: dict[int, File] = {}
_next_handle = FIRST_FILE


def add_file(path: str, amode: int, descriptor: int, communicator: Communicator) -> File:
    """Register a new open file under a new handle."""
    global _next_handle
    file = _files[_next_handle] = File(_next_handle, path, amode, descriptor, communicator)
    _next_handle += 1
    return file


def find_file(handle: int) -> File:
    """Return the file with this handle.

    Raises:
        MpiError: the handle is invalid, or the running rank has not opened the file or has closed it.
    """
    file = _files.get(handle)
    if file is not None and running_rank() in file.of_ranks:
        return file
    why = "is MPI_FILE_NULL" if handle == FILE_NULL else f"{handle:#x} is not open; was it closed?"
    error = MpiError(ERR_FILE, f"the file {why}")
    error.file = FILE_NULL
    raise error


def remove_file(file: File) -> None:
    """Remove a file that no rank will use again, and close its descriptor."""
    del _files[file.handle]
    os.close(file.descriptor)


def reset_files() -> None:
    """Close the files that ranks have left open."""
    for file in [file for file in _files.values() if -1 not in file.of_ranks]:
        remove_file(file)


def agree(communicator: Communicator, given: Any, size: int, decide: Callable[[dict[int, Any]], object]) -> Any:
    """Let all ranks of a file make one decision from a value of each rank, in a gather and a scatter of `size` bytes.

    Args:
        communicator: communicator of the file.
        given: value of the running rank.
        size: size of a value in bytes.
        decide: function that makes the decision from the values by world rank; called once. If it raises an exception,
            all ranks get this exception.

    Returns:
        The decision.

    Raises:
        MpiError: `decide` has raised this error, or an OSError that is converted to it.
    """

    def settle(all_given: dict[int, Any]) -> tuple[object, MpiError | None]:
        try:
            return decide(all_given), None
        except MpiError as error:
            return None, error
        except OSError as error:
            return None, file_error(error.errno or 0, str(error.filename or "the file"))

    decided, error = meet(communicator, next_number(communicator), given, size, settle)
    if error is not None:
        raise MpiError(error.error_class, error.text)
    return decided


class failing_as:  # noqa: N801 - it reads as a statement
    """Context manager in which an error of MPI or of the operating system calls the error handler of a file."""

    def __init__(self, file: int, function: bytes | None = None) -> None:
        self.file = file
        self.function = function

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        """Turn an MPI error or an operating system error into an error of the file."""
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


def file_function(
    name: str, *, collective: bool = False, waits: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the decorated function as ``MPI_name``, whose first argument is a file.

    The function receives the `File` instead of the handle. Its exceptions go to the file's error handler.

    Args:
        name: name of the MPI function without "MPI_".
        collective: True if all ranks of the file must call the function.
        waits: False if a collective function does not wait for other ranks (see `enter`).
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def call(handle: int, *arguments: Any) -> None:
            with failing_as(handle):
                file = find_file(handle)
                if collective:
                    enter(file.communicator, waits=waits)
                function(file, *arguments)

        return mpi_function(name)(call)

    return decorate
