"""Phases: parts of a program that have names, so that a run can say how long each takes and what it consumes."""

from contextlib import ContextDecorator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pysmpi.compute.execution import is_simulated
from pysmpi.native import lib

__all__ = ["PhaseUse", "forget_phases", "phase", "phase_uses"]


@dataclass(frozen=True, slots=True)
class PhaseUse:
    """What a phase has taken, by all ranks that have been in it.

    Attributes:
        name: of the phase.
        ranks: how many have been in it.
        entries: how often, all ranks together.
        seconds: simulated ones from entering to leaving, summed over ranks; those of phases inside it included.
        longest: the same of the rank that has spent most in it.
        joules: what these ranks have consumed in it, with the plugin host_energy; else 0.
    """

    name: str
    ranks: int
    entries: int
    seconds: float
    longest: float
    joules: float


@dataclass(slots=True)
class _Share:
    """One rank's part in a phase."""

    entries: int = 0
    seconds: float = 0.0
    joules: float = 0.0


_shares: dict[str, dict[int, _Share]] = {}  # by name and rank, in the order of their first beginning


def forget_phases() -> None:
    """A simulation begins."""
    _shares.clear()


def phase_uses() -> tuple[PhaseUse, ...]:
    """Return the phases of the simulation, in the order in which they first began."""
    return tuple(
        PhaseUse(
            name,
            len(shares),
            sum(share.entries for share in shares.values()),
            sum(share.seconds for share in shares.values()),
            max(share.seconds for share in shares.values()),
            sum(share.joules for share in shares.values()),
        )
        for name, shares in _shares.items()
    )


class phase(ContextDecorator):  # noqa: N801 - it reads as a function
    """A part of the program, by name: ``with pysmpi.phase("panel"):``, or the same above a function.

    The result of the run tells, for each name, how long ranks were in it, and what they consumed meanwhile. Phases may
    lie inside others, also of the same name. In a real run, and outside ranks, nothing happens.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._native_name = name.encode()
        self._begun: dict[int, list[tuple[float, float]]] = {}  # by thread of a rank, those that lie inside each other

    def __enter__(self) -> Self:
        if is_simulated():
            self._begun.setdefault(lib.pysmpi_running_thread(), []).append(_now_and_joules())
            _shares.setdefault(self._name, {}).setdefault(lib.pysmpi_running_rank(), _Share())
            lib.pysmpi_tell_phase(self._native_name, 1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exception: BaseException | None, place: TracebackType | None
    ) -> None:
        if not is_simulated():
            return
        begun, joules = self._begun[lib.pysmpi_running_thread()].pop()
        now, joules_now = _now_and_joules()
        lib.pysmpi_tell_phase(self._native_name, 0)
        share = _shares[self._name][lib.pysmpi_running_rank()]
        share.entries += 1
        share.seconds += now - begun
        share.joules += joules_now - joules


def _now_and_joules() -> tuple[float, float]:
    """What the rank has computed until here belongs to what has been until here."""
    lib.pysmpi_account_computation()
    rank = lib.pysmpi_running_rank()
    joules = lib.pysmpi_joules_of_rank(rank) if lib.pysmpi_is_energy_metered() else 0.0
    now = lib.pysmpi_now()
    lib.pysmpi_leave_call()
    return now, joules
