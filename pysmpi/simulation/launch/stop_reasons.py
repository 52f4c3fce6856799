"""Reasons why ranks wait or a simulation cannot continue, read from the engine: blocked calls, and errors to raise."""

from collections.abc import Callable, Sequence

from pysmpi.errors import NativeCodeError, PlacementError, PlatformError, SimulationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.simulation.launch.deadlock import Blocked, Unreceived, program_name
from pysmpi.simulation.mpi.constants import from_bits
from pysmpi.simulation.mpi.window import window_title

__all__ = ["blocked_rank", "check_hosts", "exhausted", "refused", "unreachable", "unreceived_messages"]

_KIND, _KIND_OF_WINDOWS = 0xFC000000, 0xA0000000  # bits of handles that tell their kind
_IS_UNMATCHED = 1  # value of is_message for messages that no matched probe has found either


def blocked_rank(
    number: int,
    rank: int,
    host: str,
    place: Callable[[], str | None],
    written: Callable[[], str | None] = lambda: None,
) -> Blocked | None:
    """Return the call in which a rank or one of its threads waits, or None if it does not wait.

    Args:
        number: number of the thread in the engine, or of the rank for its main thread.
        rank: rank in MPI_COMM_WORLD.
        host: name of its host.
        place: function that returns the current line of the program as ``file:line``, or None if unknown.
        written: function that returns the current call as the program writes it, or None if unknown.
    """
    state = ffi.new("pysmpi_blocked *")
    lib.pysmpi_read_blocked(number, state)
    if state.call == ffi.NULL:
        return None
    call = ffi.string(state.call).decode()
    return Blocked(
        rank=rank,
        host=host,
        call=call,
        name=program_name(written(), call),
        kind=state.kind,
        communicator=_title(state.communicator & 0xFFFFFFFF, rank),
        peer=state.peer,
        peer_world=state.peer_world,
        tag=state.tag,
        bytes=state.bytes,
        requests=state.requests,
        place=place(),
        partitioned=bool(state.partitioned),
        not_ready=state.not_ready,
        partition=state.partition,
        collective="" if state.collective == ffi.NULL else ffi.string(state.collective).decode(),
    )


def unreachable(host_name: Callable[[int], str]) -> PlatformError:
    """Return the error for a message between hosts that no route connects; the engine knows its sender and receiver.

    Args:
        host_name: function that returns the host name of a rank.
    """
    sender, receiver = lib.pysmpi_unreachable_sender(), lib.pysmpi_unreachable_receiver()
    return PlatformError(
        f"the platform has no route from host {host_name(sender)} (rank {sender}) to host "
        f"{host_name(receiver)} (rank {receiver}) for a message between them; "
        "add a route, a zoneRoute or, within one host, a loopback"
    )


def unreceived_messages() -> list[Unreceived]:
    """Return all messages that were sent and that no receive or matched probe has found."""
    count = lib.pysmpi_read_leftovers(0, ffi.NULL)
    found = ffi.new("pysmpi_leftover[]", max(count, 1))
    lib.pysmpi_read_leftovers(count, found)
    return [
        Unreceived(each.rank, each.peer_world, _title(each.communicator & 0xFFFFFFFF, each.rank), each.tag, each.bytes)
        for each in (found[place] for place in range(count))
        if each.is_message == _IS_UNMATCHED
    ]


def exhausted() -> SimulationError:
    """Return the error for a simulation that ends because a limit of the engine was exceeded, or because the network
    cannot carry a message."""
    what = ffi.string(lib.pysmpi_exhausted_by()).decode()
    return SimulationError(f"the simulation ends at {lib.pysmpi_now():.9g} s: {what}")


def refused() -> NativeCodeError:
    """Return the error for an action of a rank that simulations do not support, such as MPI calls by some libraries."""
    return NativeCodeError(ffi.string(lib.pysmpi_refusal()).decode())


def check_hosts(platform: Platform, placed: Sequence[int]) -> None:
    """Check that the hosts of all ranks are on at the start of the simulation.

    Args:
        platform: the machine.
        placed: host number of each rank.

    Raises:
        PlacementError: a rank's host is off when the simulation begins.
    """
    rank = lib.pysmpi_rank_on_failed_host()
    if rank >= 0:
        host = platform.hosts[placed[rank]].name
        raise PlacementError(
            f"rank {rank} is placed on host {host}, which is off when the simulation begins according to its state "
            f"profile in {platform.source}"
        )


def _title(handle: int, rank: int) -> str:
    """Return the name of a communicator or window for reports, or an empty string for the handle 0."""
    if handle & _KIND == _KIND_OF_WINDOWS:
        return window_title(handle, rank)
    if handle == 0:
        return ""
    title = lib.pysmpi_communicator_title(from_bits(handle), rank)
    return "a freed communicator" if title == ffi.NULL else str(ffi.string(title).decode())
