"""Phases: named parts of a program whose time and energy are reported."""

from contextlib import ContextDecorator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pysmpi.native import lib
from pysmpi.simulation.compute.execution import is_simulated

__all__ = ["PhaseUse", "forget_phases", "phase", "phase_uses"]


@dataclass(frozen=True, slots=True)
class PhaseUse:
    """Time and energy of a phase, over all ranks that entered it.

    Attributes:
        name: name of the phase.
        ranks: number of ranks that entered it.
        entries: number of entries by all ranks together.
        seconds: simulated seconds in the phase, including nested phases, summed over ranks.
        longest: simulated seconds in the phase of the rank that spent most time in it.
        joules: energy of the ranks while they were in the phase; 0 without the plugin host_energy.
    """

    name: str
    ranks: int
    entries: int
    seconds: float
    longest: float
    joules: float


@dataclass(slots=True)
class _Share:
    """Time and energy of one rank in a phase."""

    entries: int = 0
    seconds: float = 0.0
    joules: float = 0.0


_shares: dict[str, dict[int, _Share]] = {}  # shares by phase and rank; phases are in order of first entry


def forget_phases() -> None:
    """Forget all phases at the start of a simulation."""
    _shares.clear()


def phase_uses() -> tuple[PhaseUse, ...]:
    """Return the phases of the simulation, in order of first entry."""
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


class phase(ContextDecorator):  # noqa: N801 - lower case, since it reads like a function
    """Named part of the program: ``with pysmpi.phase("panel"):``, or ``@pysmpi.phase("panel")`` above a function.

    The run's result reports the ranks' time and energy in each phase. Phases may be nested, also under the same name.
    In a real run, and outside ranks, a phase does nothing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._native_name = name.encode()
        # Time and joules at the begin of nested entries, by thread.
        self._begun: dict[int, list[tuple[float, float]]] = {}

    def __enter__(self) -> Self:
        if is_simulated():
            self._begun.setdefault(lib.pysmpi_running_thread(), []).append(_now_and_joules())
            _shares.setdefault(self._name, {}).setdefault(lib.pysmpi_running_rank(), _Share())
            lib.pysmpi_report_phase(self._native_name, 1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exception: BaseException | None, place: TracebackType | None
    ) -> None:
        if not is_simulated():
            return
        begun, joules = self._begun[lib.pysmpi_running_thread()].pop()
        now, joules_now = _now_and_joules()
        lib.pysmpi_report_phase(self._native_name, 0)
        share = _shares[self._name][lib.pysmpi_running_rank()]
        share.entries += 1
        share.seconds += now - begun
        share.joules += joules_now - joules


def _now_and_joules() -> tuple[float, float]:
    """Return the simulated time in seconds and the joules that the running rank has used.

    First, charge the rank's computation since its last MPI call, so that both include it.
    """
    lib.pysmpi_account_computation()
    rank = lib.pysmpi_running_rank()
    joules = lib.pysmpi_joules_of_rank(rank) if lib.pysmpi_is_energy_metered() else 0.0
    now = lib.pysmpi_now()
    lib.pysmpi_leave_call()
    return now, joules
