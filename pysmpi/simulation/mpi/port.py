"""Connecting independent programs: ports, published names, and sockets. MPI 4.1, section 11.9.

Two groups meet at a port in no time. Their root ranks then exchange the groups' tables of ranks (4 bytes per rank) in
messages. Publishing and looking up names takes no time either. A socket between two ranks serves only to identify them.
"""

import collections
import dataclasses
import os
import socket
from collections.abc import Hashable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi import collective
from pysmpi.simulation.mpi.bindings import CallbackError, MpiError, mpi_function
from pysmpi.simulation.mpi.communicator import Communicator, enter, find_communicator, free, join
from pysmpi.simulation.mpi.constants import (
    COMM_NULL,
    COMM_SELF,
    ERR_ARG,
    ERR_COMM,
    ERR_NAME,
    ERR_PORT,
    ERR_ROOT,
    ERR_SERVICE,
    ERR_STOPPED,
    MAX_PORT_NAME,
)
from pysmpi.simulation.mpi.group import Members, my_world_rank
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.intercommunicator import Offer, joined, overlap
from pysmpi.simulation.mpi.texts import read_text, write_text

__all__ = ["reset_ports"]

_TOKEN = b"pysmpi joins "


@dataclasses.dataclass(slots=True, eq=False)
class _Visitor:
    """Root of a group that calls MPI_Comm_accept or MPI_Comm_connect at a port: the rank that waits there for its
    group."""

    members: Members
    rank: int = dataclasses.field(default_factory=my_world_rank)
    thread: int = dataclasses.field(default_factory=lambda: int(lib.pysmpi_running_thread()))
    partner: "_Visitor | None" = None
    name: Hashable = None  # identity of the communicator that it makes with its partner


@dataclasses.dataclass(slots=True, eq=False)
class _Port:
    """Port, with the visitors that wait there to accept and to connect."""

    name: str
    accepting: collections.deque[_Visitor] = dataclasses.field(default_factory=collections.deque)
    connecting: collections.deque[_Visitor] = dataclasses.field(default_factory=collections.deque)


_ports: dict[str, _Port] = {}
_services: dict[str, str] = {}  # port names by service
_joining: dict[Hashable, _Port] = {}  # ports at which the two ends of a socket meet
_counts = {"ports": 0, "meetings": 0, "joins": 0}


def reset_ports() -> None:
    """Discard all ports and published names."""
    for table in (_ports, _services, _joining):
        table.clear()
    _counts.update(dict.fromkeys(_counts, 0))


def _next(what: str) -> int:
    _counts[what] += 1
    return _counts[what]


def _port(name: str) -> _Port:
    found = _ports.get(name)
    if found is None:
        raise MpiError(ERR_PORT, f"unknown port {name!r}; was it closed?")
    return found


@mpi_function("Open_port")
def open_port(info: int, name: Any) -> None:
    """Open a new port."""
    copy_info(info)
    text = f"pysmpi-port-{_next('ports')}"
    _ports[text] = _Port(text)
    write_text(name, text, MAX_PORT_NAME)


@mpi_function("Close_port")
def close_port(name: Any) -> None:
    """Close a port; ranks that wait there get an error."""
    port = _port(read_text(name))
    del _ports[port.name]
    for visitor in (*port.accepting, *port.connecting):
        lib.pysmpi_thread_wake(visitor.thread)


@mpi_function("Publish_name")
def publish_name(service: Any, info: int, port: Any) -> None:
    """Publish the port under the name of a service."""
    copy_info(info)
    if read_text(service) in _services:
        raise MpiError(ERR_SERVICE, f"the service {read_text(service)!r} is published already")
    _services[read_text(service)] = read_text(port)


@mpi_function("Unpublish_name")
def unpublish_name(service: Any, info: int, port: Any) -> None:
    """Remove a published name."""
    copy_info(info)
    if _services.get(read_text(service)) != read_text(port):
        raise MpiError(
            ERR_SERVICE, f"the service {read_text(service)!r} is not published for the port {read_text(port)!r}"
        )
    del _services[read_text(service)]


@mpi_function("Lookup_name")
def lookup_name(service: Any, info: int, port: Any) -> None:
    """Return the port that is published under the name."""
    copy_info(info)
    found = _services.get(read_text(service))
    if found is None:
        raise MpiError(ERR_NAME, f"the service {read_text(service)!r} is not published")
    write_text(port, found, MAX_PORT_NAME)


@mpi_function("Comm_accept")
def comm_accept(port: Any, info: int, root: int, comm: int, newcomm: Any) -> None:
    """Create an intercommunicator with the next group that connects to the port."""
    _establish(port, info, root, comm, newcomm, accepts=True)


@mpi_function("Comm_connect")
def comm_connect(port: Any, info: int, root: int, comm: int, newcomm: Any) -> None:
    """Create an intercommunicator with the group that accepts at the port."""
    _establish(port, info, root, comm, newcomm, accepts=False)


def _establish(port: Any, info: int, root: int, comm: int, newcomm: Any, *, accepts: bool) -> None:
    local = find_communicator(comm)
    newcomm[0] = COMM_NULL
    if local.remote is not None:
        raise MpiError(ERR_COMM, "an intercommunicator cannot accept or connect", comm)
    if not 0 <= root < len(local.members):
        raise MpiError(ERR_ROOT, f"invalid root {root}; valid: 0 to {len(local.members) - 1}", comm)
    enter(local)
    found: Offer | MpiError | None = None
    if my_world_rank() == local.members.world_ranks[root]:
        try:
            copy_info(info)
            found = _meet(_port(read_text(port)), local.members, accepts=accepts)
        except MpiError as error:
            found = error
    newcomm[0] = joined(local, root, found)[0].handle


def _meet(port: _Port, members: Members, *, accepts: bool) -> Offer:
    """Wait at a port until another group connects (or accepts), exchange the tables of ranks, and return the other
    group.

    Raises:
        MpiError: the port was closed, or the two groups have ranks in common.
        CallbackError: the rank is being stopped.
    """
    me = _Visitor(members)
    mine, others = (port.accepting, port.connecting) if accepts else (port.connecting, port.accepting)
    while others and lib.pysmpi_has_ended(others[0].rank):
        others.popleft()
    if others:
        me.partner, me.name = others.popleft(), ("met", _next("meetings"))
        me.partner.partner, me.partner.name = me, me.name
        lib.pysmpi_thread_wake(me.partner.thread)
    else:
        mine.append(me)
        if lib.pysmpi_thread_wait(-1.0) < 0:
            if me in mine:
                mine.remove(me)
            raise CallbackError(ERR_STOPPED)
    # Break the reference cycle of the two visitors: the garbage collector visits only objects of the running rank, and
    # the partner belongs to another rank.
    partner, me.partner = me.partner, None
    if partner is None:
        raise MpiError(ERR_PORT, f"the port {port.name!r} was closed")
    error = overlap(members, partner.members)
    if error is not None:
        raise error
    _exchange_tables(me, partner)
    return Offer(partner.members, me.name)


def _exchange_tables(me: _Visitor, other: _Visitor) -> None:
    pair = Members(sorted((me.rank, other.rank)))
    between = join((me.name, "roots"), pair, COMM_NULL)
    collective.exchange(between.handle, pair.position(other.rank), 0, 4 * len(me.members), 4 * len(other.members))
    free(between)


@mpi_function("Comm_join")
def comm_join(fd: int, newcomm: Any) -> None:
    """Create an intercommunicator of the two ranks that a socket connects."""
    newcomm[0] = COMM_NULL
    try:
        with socket.socket(fileno=os.dup(fd)) as end:
            key, accepts = _ends(end)
    except OSError as error:
        raise MpiError(ERR_ARG, f"file descriptor {fd} is not a connected socket: {error.strerror}") from error
    local: Communicator = find_communicator(COMM_SELF)
    port = _joining.setdefault(key, _Port(f"socket {fd}"))
    if port.accepting:
        del _joining[key]  # both ends have arrived
        accepts = False
    newcomm[0] = joined(local, 0, _meet(port, local.members, accepts=accepts))[0].handle


def _ends(end: socket.socket) -> tuple[Hashable, bool]:
    """Return a key that both ends of a socket find, and whether the running rank accepts (True) or connects (False).

    The key of an internet socket is its two addresses. For a socket of another family, the rank that comes first sends
    a number through the socket, which is the key.
    """
    if end.family in (socket.AF_INET, socket.AF_INET6):
        return tuple(sorted((end.getsockname(), end.getpeername()))), True
    try:
        received = end.recv(64, socket.MSG_DONTWAIT)
    except BlockingIOError:
        received = b""
    if received.startswith(_TOKEN):
        return received, False
    token = _TOKEN + str(_next("joins")).encode()
    end.send(token)
    return token, True
