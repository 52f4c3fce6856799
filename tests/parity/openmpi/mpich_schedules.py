"""Messages of MPICH's nonblocking collectives, from the schedules that MPICH prints when MPIR_CVAR_COLL_SCHED_DUMP is
set. A schedule lists all sends of a rank before the first one leaves."""

import ctypes
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any

_SEND = re.compile(r"\bSend: (-?\d+) of type ([0-9a-f]+) from (\d+)$")  # MPICH writes "from" for "to"

Sent = dict[int, tuple[int, int | None]]
"""Messages and bytes to each rank; None if MPICH computes a length only when the message leaves."""


class Schedules:
    """The rank's schedules, which MPICH prints to file descriptor 2 while `printing`."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libmpi.so.12")  # loaded already
        self._variable, index, count = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
        self._call("MPI_T_init_thread", 0, ctypes.byref(count))
        self._call("MPI_T_cvar_get_index", b"MPIR_CVAR_COLL_SCHED_DUMP", ctypes.byref(index))
        self._call("MPI_T_cvar_handle_alloc", index, None, ctypes.byref(self._variable), ctypes.byref(count))
        self._printed = tempfile.TemporaryFile("w+b")  # noqa: SIM115 (for the life of the process)

    def _call(self, function: str, *arguments: Any) -> None:
        error = getattr(self._library, function)(*arguments)
        if error != 0:
            raise RuntimeError(f"{function} failed with error {error}")

    def started(self, start: Any) -> tuple[Any, Sent]:
        """Call `start`, which starts a collective; return its result and the messages that the rank will send."""
        os.lseek(self._printed.fileno(), 0, os.SEEK_SET)
        os.ftruncate(self._printed.fileno(), 0)
        stderr = os.dup(2)
        os.dup2(self._printed.fileno(), 2)
        self._print(True)
        result = start()
        self._print(False)
        os.dup2(stderr, 2)
        os.close(stderr)
        os.lseek(self._printed.fileno(), 0, os.SEEK_SET)
        return result, self._sent(self._printed.read().decode())

    def _print(self, wanted: bool) -> None:
        self._call("MPI_T_cvar_write", self._variable, ctypes.byref(ctypes.c_int(wanted)))

    def _sent(self, text: str) -> Sent:
        sent: Sent = {}
        for count, datatype, to in self._sends(text):
            messages, sizes = sent.get(to, (0, 0))
            deferred = count < 0 or sizes is None
            sent[to] = messages + 1, None if deferred else sizes + count * self._size(datatype)
        return sent

    def _sends(self, text: str) -> Iterator[tuple[int, int, int]]:
        for line in text.splitlines():
            if match := _SEND.search(line):
                yield int(match[1]), int(match[2], 16), int(match[3])

    def _size(self, datatype: int) -> int:
        if datatype >> 30 == 1:  # predefined or internal: the handle contains the size
            return datatype >> 8 & 0xFF
        size = ctypes.c_int()
        self._call("MPI_Type_size", ctypes.c_int(datatype), ctypes.byref(size))
        return size.value
