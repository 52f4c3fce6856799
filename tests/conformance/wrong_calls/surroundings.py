"""The names that wrong calls use: fresh objects of each kind, freed ones, and a function that makes a call.

This file runs under any MPI library with mpi4py, in each rank:

    python surroundings.py CASES FIRST

makes the calls of the file CASES, one a line, from number FIRST on, and prints each call's number before it and its
outcome after it: "ok", the name of the error class, or the Python exception that mpi4py itself raises.
"""

import ctypes
import os
import pathlib
import re
import sys
import tempfile
from typing import Any

__all__ = ["outcome", "surroundings"]


_kept: list[Any] = []  # messages that are still pending use the buffers of earlier calls


class _Surroundings:
    """Objects for one call. Whatever a call leaves behind stays; nothing is freed."""

    def __init__(self, MPI: Any) -> None:
        import numpy as np

        self.MPI = MPI
        self.c = self.comm = MPI.COMM_WORLD.Dup()
        self.comm.Set_errhandler(MPI.ERRORS_RETURN)
        self.me, self.n = self.comm.rank, self.comm.size
        self.a, self.b = np.zeros(64), np.ones(64)
        self.i, self.j = np.zeros(8, "i4"), np.ones(8, "i4")
        self.D, self.g = MPI.DOUBLE, self.comm.Get_group()
        self.vector = MPI.DOUBLE.Create_vector(2, 1, 3)
        self.committed = MPI.DOUBLE.Create_contiguous(2).Commit()
        self.ONES, self.ZEROS, self.STEPS = [1] * self.n, [0] * self.n, list(range(self.n))
        self.IN_PLACE, self.IGNORE, self.NEW = ctypes.c_void_p(-1), ctypes.c_void_p(1), ctypes.create_string_buffer(64)
        # Whatever a rank sends to itself arrives.
        self.pending = self.comm.Irecv([np.zeros(64), 64, MPI.DOUBLE], self.me, MPI.ANY_TAG)

    def _alias(self, thing: Any) -> Any:
        return type(thing).fromhandle(thing.handle)

    def _freed(self, thing: Any) -> Any:
        alias = self._alias(thing)
        thing.Free()
        return alias

    def freed_comm(self) -> Any:
        return self._freed(self.comm.Dup())

    def freed_type(self) -> Any:
        return self._freed(self.MPI.DOUBLE.Create_contiguous(2).Commit())

    def freed_op(self) -> Any:
        return self._freed(self.MPI.Op.Create(lambda x, y, t: None))

    def freed_group(self) -> Any:
        return self._freed(self.MPI.Group.Excl(self.g, [0]) if self.n > 1 else self.g.Dup())

    def freed_info(self) -> Any:
        return self._freed(self.MPI.Info.Create())

    def freed_win(self) -> Any:
        return self._freed(self.win())

    def freed_request(self) -> Any:
        return self._freed(self.persistent())

    def freed_errhandler(self) -> Any:
        return self._freed(self.MPI.Comm.Create_errhandler(lambda comm, code: None))

    def freed_key(self) -> int:
        key: int = self.key()
        self.MPI.Comm.Free_keyval(key)
        return key

    def closed_file(self) -> Any:
        file = self.file()
        alias = self._alias(file)
        file.Close()
        return alias

    def ended_session(self) -> Any:
        session = self.session()
        alias = self._alias(session)
        session.Finalize()
        return alias

    def key(self) -> Any:
        return self.MPI.Comm.Create_keyval()

    def type_key(self) -> Any:
        return self.MPI.Datatype.Create_keyval()

    def session(self) -> Any:
        return self.MPI.Session.Init()

    def win(self) -> Any:
        return self._handled(self.MPI.Win.Allocate(512, 8, comm=self.comm))

    def dynamic(self) -> Any:
        return self._handled(self.MPI.Win.Create_dynamic(comm=self.comm))

    def shared(self) -> Any:
        return self._handled(self.MPI.Win.Allocate_shared(64, 8, comm=self.comm))

    def _handled(self, window: Any) -> Any:
        window.Set_errhandler(self.MPI.ERRORS_RETURN)
        return window

    def locked(self, window: Any) -> Any:
        window.Lock_all()
        return window

    def path(self) -> str:
        return str(pathlib.Path(tempfile.gettempdir()) / f"wrong-calls-{os.getuid()}")

    def file(self, mode: int | None = None) -> Any:
        create = self.MPI.MODE_CREATE | self.MPI.MODE_RDWR
        if mode is not None:
            self.MPI.File.Open(self.comm, self.path(), create).Close()
        return self.MPI.File.Open(self.comm, self.path(), create if mode is None else mode)

    def ring(self) -> Any:
        return self.comm.Create_cart([self.n], [True])

    def receive(self) -> Any:
        return self.comm.Irecv(self.b[-1:], self.me, 99)

    def sent(self) -> Any:
        return self.comm.Isend(self.a[:1], self.MPI.PROC_NULL)

    def persistent(self) -> Any:
        return self.comm.Recv_init(self.b[-1:], self.me, 98)

    def partitioned(self) -> Any:
        return self.comm.Psend_init([self.a, 1, self.MPI.DOUBLE], 2, self.me, 97)

    def message(self) -> Any:
        other = self.comm.Dup()
        other.Isend(self.a[:1], self.me)
        return other.Mprobe(self.me)

    def started(self, request: Any) -> Any:
        request.Start()
        return request

    def twice(self, thing: Any, method: str, *arguments: Any) -> None:
        getattr(thing, method)(*arguments)
        getattr(self._alias(thing), method)(*arguments)

    def wide(self, value: Any) -> Any:
        """Return an MPI_Aint or MPI_Offset, or an array of them."""
        return (ctypes.c_int64 * len(value))(*value) if isinstance(value, list) else ctypes.c_int64(value)

    def raw(self, function: str, *arguments: Any) -> None:
        """Call a C function, since mpi4py itself refuses some arguments. `NEW` is memory for a result."""
        (path,) = set(re.findall(r"\S+/libmpi\.so\S*", pathlib.Path("/proc/self/maps").read_text()))
        code = getattr(ctypes.PyDLL(path), "MPI_" + function)(*map(self._converted, arguments))
        if code != self.MPI.SUCCESS:
            raise self.MPI.Exception(code)

    def _converted(self, value: Any) -> Any:
        if isinstance(value, list):
            return (ctypes.c_int * len(value))(*map(self._converted, value))
        if isinstance(value, self.MPI.File):
            return ctypes.c_void_p(value.handle)
        if hasattr(value, "handle"):
            return ctypes.c_int(value.handle).value
        return ctypes.c_void_p(value.ctypes.data) if hasattr(value, "ctypes") else value

    def truncated(self, wait: str = "") -> None:
        """Receive a message that is too long, and wait in one of several ways."""
        other = self.comm.Dup()
        other.Isend([self.a, 4, self.MPI.DOUBLE], self.me)
        if not wait:
            other.Recv([self.b, 2, self.MPI.DOUBLE], self.me)
            return
        request = other.Irecv([self.b, 2, self.MPI.DOUBLE], self.me)
        if wait == "Wait":
            request.Wait()
            return
        for _ in range(100):
            getattr(self.MPI.Request, wait)([request])


def surroundings(MPI: Any) -> dict[str, Any]:
    """Return the names for one call; all ranks call this at the same time."""
    made = _Surroundings(MPI)
    _kept.append(made)
    names = {name: getattr(made, name) for name in dir(made) if not name.startswith("_")}
    return names | {"MPI": MPI}


def outcome(MPI: Any, call: str, names: dict[str, Any]) -> str:
    """Make the call and return its outcome."""
    try:
        eval(call, names)
    except MPI.Exception as error:
        return classes(MPI).get(error.Get_error_class(), str(error.Get_error_class()))
    except Exception as error:  # of mpi4py, which has not called MPI
        return type(error).__name__
    return "ok"


def classes(MPI: Any) -> dict[int, str]:
    """Return the names of error classes, without their prefix."""
    return {getattr(MPI, name): name.removeprefix("ERR_") for name in dir(MPI) if name.startswith("ERR_")}


def main() -> None:
    """Make the calls of a file."""
    from mpi4py import MPI

    calls = pathlib.Path(sys.argv[1]).read_text().splitlines()
    for number in range(int(sys.argv[2]), len(calls)):
        names = surroundings(MPI)
        os.write(1, f"begin {number} {MPI.COMM_WORLD.rank}\n".encode())
        os.write(1, f"end {number} {MPI.COMM_WORLD.rank} {outcome(MPI, calls[number], names)}\n".encode())
    os._exit(0)  # pending messages would block the end


if __name__ == "__main__":
    main()
