"""Why ranks cannot go on, as the engine tells it."""

from collections.abc import Callable, Sequence

from pysmpi.errors import PlacementError, PlatformError, SimulationError
from pysmpi.launch.deadlock import Blocked
from pysmpi.mpi.window import window_title
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform

__all__ = ["blocked_rank", "check_hosts", "exhausted", "unreachable"]

_KIND, _KIND_OF_WINDOWS = 0xFC000000, 0xA0000000  # of handles
_PREDEFINED = {0x44000000: "MPI_COMM_WORLD", 0x44000001: "MPI_COMM_SELF"}


def blocked_rank(number: int, rank: int, host: str, place: Callable[[], str | None]) -> Blocked | None:
    """What a rank, or a thread of one, waits for; None when it does not wait.

    Args:
        number: the thread's, or the rank's.
        rank: in MPI_COMM_WORLD.
        host: its simulated host.
        place: tells where in its program it is.
    """
    state = ffi.new("pysmpi_blocked *")
    lib.pysmpi_read_blocked(number, state)
    if state.call == ffi.NULL:
        return None
    return Blocked(
        rank=rank,
        host=host,
        call=ffi.string(state.call).decode(),
        kind=state.kind,
        communicator=_title(state.communicator & 0xFFFFFFFF, rank),
        peer=state.peer,
        peer_world=state.peer_world,
        tag=state.tag,
        bytes=state.bytes,
        requests=state.requests,
        place=place(),
        collective="" if state.collective == ffi.NULL else ffi.string(state.collective).decode(),
    )


def unreachable(host_name: Callable[[int], str]) -> PlatformError:
    """A message goes between ranks whose hosts no route joins.

    Args:
        host_name: the name of a rank's host.
    """
    sender, receiver = lib.pysmpi_unreachable_sender(), lib.pysmpi_unreachable_receiver()
    return PlatformError(
        f"the platform has no route from host {host_name(sender)} (rank {sender}) to host "
        f"{host_name(receiver)} (rank {receiver}), between which there is a message; "
        "it needs a route, a zoneRoute or, within one host, a loopback"
    )


def exhausted() -> SimulationError:
    """There has been too much of something for the engine to tell its events apart."""
    what = ffi.string(lib.pysmpi_exhausted_by()).decode()
    return SimulationError(
        f"the simulation ends here, at {lib.pysmpi_now():.9g} s: {what}, which the engine cannot number"
    )


def check_hosts(platform: Platform, placed: Sequence[int]) -> None:
    """Looks for a rank that cannot begin.

    Raises:
        PlacementError: a rank's host is off when the simulation begins.
    """
    rank = lib.pysmpi_rank_on_failed_host()
    if rank >= 0:
        host = platform.hosts[placed[rank]].name
        raise PlacementError(
            f"rank {rank} is placed on host {host}, which is off when the simulation begins, as its state profile in "
            f"{platform.source} has it"
        )


def _title(handle: int, rank: int) -> str:
    """What a report calls a communicator or window; empty for none."""
    if handle & _KIND == _KIND_OF_WINDOWS:
        return window_title(handle, rank)
    return _PREDEFINED.get(handle, f"communicator {handle:#x}") if handle else ""
