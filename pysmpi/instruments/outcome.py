"""What came out of a simulation: each rank's end, simulated and wall time, and the engine's counters."""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pysmpi.compute.blas.charging import RoutineUse
    from pysmpi.instruments import NetworkUse, PhaseUse, Profile
    from pysmpi.instruments.check import Finding
    from pysmpi.instruments.energy import Consumption, LinkConsumption
    from pysmpi.instruments.reports import Figure

__all__ = ["BestChoice", "Counters", "Ending", "RankOutcome", "Result", "TimeSpent"]


class Ending(Enum):
    """How a rank ended."""

    RETURNED = "returned"  # its program came to its end
    EXITED = "exited"  # it called sys.exit
    RAISED = "raised"  # an exception that it did not catch
    ABORTED = "aborted"  # it called MPI_Abort
    FAILED = "failed"  # its host failed, or SIGKILL ended it
    STOPPED = "stopped"  # it was stopped because the simulation could not go on


@dataclass(slots=True)
class RankOutcome:
    """How one rank ended.

    Attributes:
        rank: in MPI_COMM_WORLD.
        host: the name of the simulated host.
        ending: what made it end.
        status: its exit status.
        value: what its function returned.
        exception: what it raised, if so.
        failed_at: simulated seconds when it failed, if so.
        ended_at: simulated seconds when it ended by itself, if so.
    """

    rank: int
    host: str
    ending: Ending
    status: int = 0
    value: Any = None
    exception: BaseException | None = None
    failed_at: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Counters:
    """What the engine did.

    Attributes:
        messages: point-to-point messages matched, those inside collectives included.
        bytes: carried by them.
        events: timers, computations and flows that ended.
        switches: from one rank to another.
        failed_probes: probes and tests that found nothing.
        flows: started on the network.
        solves: of the sharing of bandwidth.
        flows_touched: rates computed, over all solves.
        links_touched: links looked at, over all solves.
    """

    messages: int = 0
    bytes: int = 0
    events: int = 0
    switches: int = 0
    failed_probes: int = 0
    flows: int = 0
    solves: int = 0
    flows_touched: int = 0
    links_touched: int = 0


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """Where the time that the ranks took came from: simulated seconds, summed over ranks and their threads.

    Attributes:
        total: from their beginning to their end.
        measured: computation between MPI calls, timed here.
        sampled: computation that took the mean of measurements (`pysmpi.sample`).
        modelled: computation that took the time of a model: SimBLAS, operations on folded arrays.
        injected: computation that the program declared (`pysmpi.execute`, `pysmpi.execute_flops`).
        asleep: in `time.sleep` and `pysmpi.sleep`.
        ignored: seconds measured here, in stretches too short to count (``smpi/cpu-threshold``).
        free_stretches: how many stretches from one MPI call to the next took no time by declaration
            (``smpi/simulate-computation:no``, `pysmpi.untimed`).
    """

    total: float = 0.0
    measured: float = 0.0
    sampled: float = 0.0
    modelled: float = 0.0
    injected: float = 0.0
    asleep: float = 0.0
    ignored: float = 0.0
    free_stretches: int = 0

    @property
    def in_mpi(self) -> float:
        """In MPI calls, waiting for others included, and in waits for other threads."""
        return self.total - self.measured - self.sampled - self.modelled - self.injected - self.asleep


@dataclass(frozen=True, slots=True)
class BestChoice:
    """Choice of the selector ``best`` for one kind of call.

    Attributes:
        operation: name such as "allreduce".
        ranks: number of ranks.
        bytes: size in the first call of the kind: the buffer, or one block where there is a block for each rank; 0 if
            it differs between ranks.
        algorithm: fastest algorithm; "default" if the selector ``default`` does something faster than all named
            algorithms; None if all trials failed.
        seconds: simulated time of that algorithm, alone on the machine.
        default_seconds: simulated time of the choice of the selector ``default``.
        calls: number of calls of the kind.
        error: reason for which trials failed, or None.
    """

    operation: str
    ranks: int
    bytes: int
    algorithm: str | None
    seconds: float | None
    default_seconds: float | None
    calls: int
    error: str | None = None


@dataclass
class Result:
    """What came out of a simulation.

    Attributes:
        simulated_time: seconds on the simulated clock when the last rank ended.
        wall_time: seconds that the simulation took here.
        peak_memory: bytes that this process has had resident at most.
        counters: what the engine did.
        time_spent: where the ranks' time came from.
        ranks: how each rank ended, in rank order; spawned ones come last, in the order of their beginning.
        network_model: the setting network/model.
        best: what the selector ``best`` has found.
        findings: of a run that was checked, the mistakes that were found.
        routines: with a model of BLAS and LAPACK, which routines were called, with it and without.
        energy: with the plugin host_energy, the joules of hosts and ranks.
        link_energy: with the plugin link_energy, the joules of links.
        phases: what parts of the program have taken that have names (`pysmpi.phase`), in the order of their beginning.
        reported: what the program has told with `pysmpi.report`, by name.
        profile: of a run that was profiled, where the ranks' time went.
        network: of a run with a report of the network, what the links carried, and who sent how much to whom.
    """

    simulated_time: float
    wall_time: float
    peak_memory: int
    counters: Counters
    ranks: list[RankOutcome] = field(repr=False)
    network_model: str = "SMPI"
    time_spent: TimeSpent = TimeSpent()
    best: tuple[BestChoice, ...] = ()
    findings: "tuple[Finding, ...]" = ()
    routines: "tuple[RoutineUse, ...]" = ()
    energy: "Consumption | None" = None
    link_energy: "LinkConsumption | None" = None
    phases: "tuple[PhaseUse, ...]" = ()
    reported: "dict[str, Figure]" = field(default_factory=dict)
    profile: "Profile | None" = None
    network: "NetworkUse | None" = None

    @property
    def values(self) -> list[Any]:
        """What each rank's function returned, in rank order; None of ranks that were spawned, which come last."""
        return [outcome.value for outcome in self.ranks]

    @property
    def exit_status(self) -> int:
        """0 when every rank ended with 0; else that of the rank that brought the others down, or the first one's.

        MPI_Abort(0) makes it 0.
        """
        decisive = (Ending.ABORTED, Ending.RAISED)
        for outcome in self.ranks:
            if outcome.ending in decisive:
                return outcome.status
        failed = [outcome for outcome in self.ranks if outcome.status != 0]
        return next((outcome.status for outcome in failed if outcome.ending is not Ending.STOPPED), 0)
