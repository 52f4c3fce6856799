"""Sockets of ranks: real sockets of this machine, where each simulated host has a loopback address.

Transfers take real time. While a rank waits for a socket, other ranks run, and simulated time passes at the speed of
real time. A rank that never gets an answer waits forever, as outside simulations; this is not reported as a
deadlock.
"""

import select
import socket
from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.stopping import RankStopped

__all__ = ["install"]

# Methods that wait, with the index of their argument `flags`, or -1 if they have none.
_READING = {"accept": -1, "recv": 1, "recv_into": 2, "recvfrom": 1, "recvfrom_into": 2, "recvmsg": 2, "recvmsg_into": 2}
_WRITING = {"sendto": -1, "sendmsg": 2}
_FIRST_WAIT, _LONGEST_WAIT = 1e-6, 1e-2  # seconds between a socket's first polls, and the limit of doubling


def install(patches: Patches, host_number: Callable[[str], int | None]) -> None:
    """Let other ranks run while a rank waits for a socket, and let sockets accept the names of simulated hosts.

    Args:
        patches: record of the replaced attributes.
        host_number: function that returns the number of the simulated host with a name, or None if the name is
            unknown.
    """

    def address_of(host: Any) -> Any:
        """Return the loopback address of a simulated host. Each host has its own, so that ports do not conflict."""
        number = host_number(host) if isinstance(host, str) and running_rank() >= 0 else None
        if number is None:
            return host
        return f"127.{1 + (number >> 16)}.{number >> 8 & 0xFF}.{number & 0xFF}"

    _install_names(patches, address_of)
    _install_waits(patches)


def _install_names(patches: Patches, address_of: Callable[[Any], Any]) -> None:
    def of_host(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(host: Any, *arguments: Any, **named: Any) -> Any:
            return original(address_of(host), *arguments, **named)

        return call

    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        patches.set(socket, name, of_host(getattr(socket, name)))

    def of_address(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: socket.socket, address: Any) -> Any:
            if isinstance(address, tuple) and address:
                address = (address_of(address[0]), *address[1:])
            return original(self, address)

        return call

    for name in ("bind", "connect", "connect_ex"):
        patches.set(socket.socket, name, of_address(getattr(socket.socket, name)))


def _install_waits(patches: Patches) -> None:
    def when_ready(name: str, place: int, *, writing: bool) -> Callable[..., Any]:
        original = getattr(socket.socket, name)

        def call(self: socket.socket, *arguments: Any, **named: Any) -> Any:
            flags = arguments[place] if 0 <= place < len(arguments) else named.get("flags", 0)
            if running_rank() >= 0 and not flags & socket.MSG_DONTWAIT:
                _wait(self, writing=writing)
            return original(self, *arguments, **named)

        return call

    for name, place in _READING.items():
        patches.set(socket.socket, name, when_ready(name, place, writing=False))
    for name, place in _WRITING.items():
        patches.set(socket.socket, name, when_ready(name, place, writing=True))

    send_some, send_all = socket.socket.send, socket.socket.sendall

    def send(self: socket.socket, data: Any, flags: int = 0) -> int:
        while running_rank() >= 0 and self.gettimeout() != 0 and not flags & socket.MSG_DONTWAIT:
            _wait(self, writing=True)
            try:  # a blocking send into a full buffer would wait for a rank that cannot run
                return send_some(self, data, flags | socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
        return send_some(self, data, flags)

    def sendall(self: socket.socket, data: Any, flags: int = 0) -> None:
        if running_rank() < 0 or self.gettimeout() == 0:
            send_all(self, data, flags)
            return
        left = memoryview(data).cast("B")
        while left:
            left = left[send(self, left, flags) :]

    patches.set(socket.socket, "send", send)
    patches.set(socket.socket, "sendall", sendall)


def _wait(end: socket.socket, *, writing: bool) -> None:
    """Wait until the socket is ready; return at once if it does not block.

    Raises:
        TimeoutError: the timeout of the socket has passed.
        RankStopped: the rank is being stopped.
    """
    limit = end.gettimeout()
    if limit == 0 or end.fileno() < 0:
        return
    look = select.poll()
    look.register(end, select.POLLOUT if writing else select.POLLIN)
    if look.poll(0):
        return
    _check(lib.pysmpi_account_computation())
    measured = lib.pysmpi_measure_computation(0)
    try:
        deadline = None if limit is None else lib.pysmpi_now() + limit
        pause = _FIRST_WAIT
        while not look.poll(int(pause * 1000)):
            if deadline is not None and lib.pysmpi_now() >= deadline:
                raise TimeoutError("timed out")
            _check(lib.pysmpi_sleep(pause))
            pause = min(2 * pause, _LONGEST_WAIT)
    finally:
        lib.pysmpi_measure_computation(measured)


def _check(status: int) -> None:
    if status != 0:
        raise RankStopped
