"""Bindings of MPI functions written in Python: they raise exceptions, and programs get error codes.

libmpi.so.12 calls Python functions through cffi. By default cffi turns any exception into 0, which is MPI_SUCCESS.
Every function is therefore decorated with `mpi_function`.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi.constants import COMM_NULL, ERR_INTERN, ERR_STOPPED

__all__ = ["CallbackError", "MpiError", "check", "mpi_function", "raise_later", "running_rank"]


class MpiError(Exception):
    """Failure of an MPI function, for which the communicator's error handler is called.

    Args:
        error_class: one of the MPI_ERR_ numbers, the class of the error code that the program gets.
        text: the problem and the valid values.
        communicator: communicator whose error handler is called; by default, that which the library takes for errors
            that concern no communicator.

    Attributes:
        file: file whose error handler is called instead, or None; 0 is MPI_FILE_NULL.
        function: name of the MPI function if one Python function implements several, else None.
    """

    def __init__(self, error_class: int, text: str, communicator: int = COMM_NULL) -> None:
        super().__init__(text)
        self.error_class = error_class
        self.text = text
        self.communicator = communicator
        self.file: int | None = None
        self.function: bytes | None = None


class CallbackError(Exception):
    """Failure of a C function of the program, or of another MPI function; the program gets its error code unchanged."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def check(code: int) -> None:
    """Raise an error unless `code` is MPI_SUCCESS.

    Raises:
        CallbackError: the code is not MPI_SUCCESS.
    """
    if code != 0:
        raise CallbackError(code)


def running_rank() -> int:
    """Return the running rank's number in MPI_COMM_WORLD, or -1 outside ranks, where the world has one member."""
    return int(lib.pysmpi_running_rank())


def raise_later(exception: BaseException) -> None:
    """Raise the exception in the running rank's own code, soon after the current MPI call.

    MPI functions use it for exceptions that they must not turn into error codes: KeyboardInterrupt, SystemExit, and the
    exception that ends a stopped rank. The interpreter can only be given a class to raise. Therefore a new class is
    made whose instances have the arguments of the exception.
    """
    kind = raised = type(exception)
    if exception.args:

        def initialise(self: BaseException, *_: object) -> None:
            kind.__init__(self, *exception.args)

        raised = type(kind.__name__, (kind,), {"__init__": initialise, "__module__": kind.__module__})
    lib.pysmpi_set_pending_exception(ffi.cast("void*", id(raised)))


def mpi_function(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the decorated function as the implementation of the MPI function ``MPI_name``.

    Its parameters are those of ``py_name`` in ``native/objects/c_api.h``. The program gets MPI_SUCCESS if the function
    returns, and an error code if it raises MpiError or CallbackError.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        full_name = f"MPI_{name}".encode()

        def call(*arguments: Any) -> int:
            function(*arguments)
            return 0

        def on_error(_: type[BaseException], error: BaseException, traceback: TracebackType) -> int:
            if isinstance(error, MpiError):
                if error.file is not None:
                    function_name = error.function or full_name
                    return int(lib.pysmpi_fail_file(error.file, error.error_class, function_name, error.text.encode()))
                return int(lib.pysmpi_fail(error.communicator, error.error_class, full_name, error.text.encode()))
            if isinstance(error, CallbackError):
                return error.code
            if isinstance(error, Exception):
                while traceback.tb_next is not None:
                    traceback = traceback.tb_next
                where = f"{traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno}"
                text = f"{where}: {type(error).__name__}: {error}; this is a defect of pysmpi"
                return int(lib.pysmpi_fail(COMM_NULL, ERR_INTERN, full_name, text.encode()))
            raise_later(error)
            return ERR_STOPPED

        ffi.def_extern(name=f"py_{name}", error=ERR_INTERN, onerror=on_error)(call)
        lib.pysmpi_set_python_function(full_name, ffi.cast("void*", ffi.addressof(lib, f"py_{name}")))
        return function

    return decorate
