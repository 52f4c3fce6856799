"""Result of a simulation: outcome of each rank, simulated and wall time, counters, and results of instruments."""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from pysmpi.errors import unknown
from pysmpi.simulation.settings.network_models import DEFAULT

if TYPE_CHECKING:
    from pysmpi.simulation.instruments.error_terms import ErrorTerm
    from pysmpi.simulation.instruments.notes import Note

__all__ = ["BestChoice", "Counters", "Detours", "Ending", "IntervalUse", "RankOutcome", "Result", "TimeSpent"]


class Ending(Enum):
    """Way in which a rank ended: normally, or by a kind of failure."""

    RETURNED = "returned"  # its program ended normally
    EXITED = "exited"  # it called sys.exit
    RAISED = "raised"  # it raised an exception that it did not catch
    ABORTED = "aborted"  # it called MPI_Abort
    FAILED = "failed"  # its host failed, or SIGKILL ended it
    STOPPED = "stopped"  # it was stopped because the simulation could not continue


@dataclass(slots=True)
class RankOutcome:
    """Outcome of one rank.

    Attributes:
        rank: rank in MPI_COMM_WORLD.
        host: name of its host.
        ending: way in which it ended.
        status: exit status.
        value: return value of its function.
        exception: exception that ended it, or None.
        failed_at: simulated time of its failure in seconds, or None.
        ended_at: simulated time in seconds at which it ended by itself, or None.
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
class WideCollective:
    """A collective on more than 256 ranks in which each rank sends about as many messages as there are ranks.

    Attributes:
        call: the MPI function.
        setting: setting that chooses the algorithm, such as ``smpi/allgather``.
        ranks: number of ranks of the largest communicator.
        messages: number of messages of all calls of the function in wide collectives.
    """

    call: str
    setting: str
    ranks: int
    messages: int


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of the engine.

    Attributes:
        messages: number of matched point-to-point messages, including those inside collectives.
        bytes: bytes of these messages.
        events: number of timers, computations and flows that ended.
        switches: number of switches from one rank to another.
        failed_probes: number of unsuccessful probes and tests.
        flows: number of flows started on the network.
        solves: number of times that the engine computed how messages share bandwidth.
        flows_touched: number of message rates computed in all of these computations.
        links_touched: number of links visited in all of these computations.
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
    """Simulated seconds of all ranks and their threads, by the activity that took the time.

    Attributes:
        total: time from the beginning to the end.
        measured: computation between MPI calls, measured on this machine.
        sampled: computation whose time is the mean of earlier measurements (`pysmpi.sample`).
        modelled: computation whose time comes from a model: BLAS calls (SimBLAS), and operations on folded arrays
            (arrays without contents).
        injected: computation whose time or work the program declared (`pysmpi.execute`, `pysmpi.execute_flops`).
        asleep: time in `time.sleep` and `pysmpi.sleep`.
        on_data: time in which MPI combines operands of reductions, copies data between buffers of a rank, and gets new
            memory for temporary buffers.
        ignored: measured seconds in intervals too short to count (``smpi/cpu-threshold``).
        free_stretches: number of intervals between MPI calls that counted as zero time
            (``smpi/simulate-computation:no``, `pysmpi.untimed`).
        clock_seconds: real seconds of the measured intervals, by the clock that measures computation.
        wall_seconds: real seconds of the measured intervals, by the wall clock.
        intervals: number of measured intervals.
        interrupted: number of measured intervals during which, or just before which, another program had the processor.
        shortened: number of interrupted intervals that took the time of uninterrupted ones like them
            (``smpi/replace-interrupted``).
        kept: number of interrupted intervals that counted as measured, because none like them were known.
        saved: measured seconds that the shortened intervals did not count.
    """

    total: float = 0.0
    measured: float = 0.0
    sampled: float = 0.0
    modelled: float = 0.0
    injected: float = 0.0
    asleep: float = 0.0
    on_data: float = 0.0
    ignored: float = 0.0
    free_stretches: int = 0
    clock_seconds: float = 0.0
    wall_seconds: float = 0.0
    intervals: int = 0
    interrupted: int = 0
    shortened: int = 0
    kept: int = 0
    saved: float = 0.0

    @property
    def in_mpi(self) -> float:
        """Seconds in MPI calls, including waits for other ranks, plus seconds of waiting for other threads."""
        return self.total - self.measured - self.sampled - self.modelled - self.injected - self.asleep


@dataclass(frozen=True, slots=True)
class IntervalUse:
    """Measured intervals of a run that shares them with other runs of the same program.

    Attributes:
        reused: number of intervals that took the seconds of an earlier run.
        repeated: number of intervals beyond those that the earlier run had at the same place in the program. They took
            the seconds of the earlier run's last interval there.
        measured: number of intervals that count as measured in this run.
        left_over: number of intervals of the earlier run that have no counterpart in this run.
        longest: largest sum of the intervals of one rank or thread that are not reused, in seconds of this machine.
        spread: fraction by which consecutive intervals at the same place in the program differ at most, for nine of ten
            intervals; None if no two can be compared, or if this run has not measured.
        diverged: True if the ranks have called or received something else than in the earlier run.
    """

    reused: int = 0
    repeated: int = 0
    measured: int = 0
    left_over: int = 0
    longest: float = 0.0
    spread: float | None = None
    diverged: bool = False

    @property
    def unmatched(self) -> int:
        """Number of intervals that have no counterpart in the other run."""
        return self.repeated + self.measured + self.left_over


@dataclass(frozen=True, slots=True)
class Detours:
    """Detours of the operating system that ranks met while they computed (``smpi/noise``).

    Attributes:
        count: number of detours of all ranks.
        seconds: sum of their lengths in seconds; where ranks share a core, they took longer.
    """

    count: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class BestChoice:
    """Choice of the selector ``best``, which tries all algorithms of a collective, for one kind of call.

    Attributes:
        operation: name such as "allreduce".
        ranks: number of ranks.
        bytes: size of a rank's buffer in the first call of the kind, or of one block if the buffer has a block for each
            rank; 0 if the size differs between ranks.
        algorithm: fastest algorithm; "default" if the choice of the selector ``default`` is faster than all named
            algorithms; None if all trials failed.
        seconds: simulated time of the fastest algorithm in the trial, in which nothing else uses the machine.
        default_seconds: simulated time, in the trial, of the algorithm that the selector ``default`` chooses.
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
    """Result of a simulation.

    Instruments add entries to `parts`, which can also be read as attributes of the result. In a run without the
    instrument, an entry has the empty value that is stated here. Other packages add instruments with further entries.

    - ``best``: choices of the selector ``best``, which tries all algorithms of a collective; else ().
    - ``findings``: mistakes found by a checked run (``check``); else ().
    - ``routines``: routines of BLAS and LAPACK that were called, if the run has a model of them; else ().
    - ``unwatched_calls``: sentences that name the libraries whose calls of BLAS and LAPACK could not be noticed,
      if an instrument has watched such calls; else ().
    - ``blas_error``: greatest median relative error of the model's fits to the called routines, or None if unknown.
    - ``energy``: energy of hosts and ranks, or None without the plugin host_energy.
    - ``link_energy``: energy of links, or None without the plugin link_energy.
    - ``phases``: use of each phase (`pysmpi.phase`), in order of their first beginning.
    - ``reported``: metrics that the program reported (`pysmpi.report`), by name.
    - ``better``: "more" or "less" for those of them whose better direction the program declared, by name.
    - ``detours``: detours of the operating system, if the run has a model of its noise (``smpi/noise``).
    - ``intervals``: measured intervals that the run shares with others, or None if it shares none.
    - ``profile``: profile of the ranks' time, or None if the run was not profiled.
    - ``network``: use of links and communication matrix, or None without a network report.

    Attributes:
        simulated_time: simulated time in seconds at which the last rank ended.
        wall_time: seconds that the simulation took on this machine.
        peak_memory: peak resident memory of this process in bytes.
        counters: counters of the engine.
        time_spent: time of the ranks by activity.
        ranks: outcome of each rank, in rank order; spawned ranks come last, in order of their start.
        parts: results that instruments have added, by name.
        network_model: value of the setting network/model.
        wide: collectives on many ranks that sent about P² messages for P ranks, the most messages first.
        machine: the machine in a few words, such as "2 of 32 hosts of cluster".
        notes: remarks on the run, each with an importance.
        conditions: sentences that describe the machine, the network and the computation that were simulated, and say
            how far to trust the times.
        error_terms: parts of the ranks' time that the prediction rests on, each with the errors seen for its kind in
            comparisons with real machines, the largest part first.
        busy: text that says how busy or throttled the machine was while computation was measured on it, or an empty
            string if it was not.
        forced: calibrations that were written by ``--force`` and used, each with the reason against it.
        child_processes: number of child processes that ranks have started; waits for them take as long as the children
            really run.
        without_effect: inputs, models and settings that had no effect, each with the reason.
        unscaled: text that names the parts of the ranks' time that do not depend on the speed of hosts, or an empty
            string.
    """

    simulated_time: float
    wall_time: float
    peak_memory: int
    counters: Counters
    ranks: list[RankOutcome] = field(repr=False)
    parts: dict[str, Any] = field(default_factory=dict, repr=False)
    network_model: str = DEFAULT.name
    time_spent: TimeSpent = TimeSpent()
    wide: tuple[WideCollective, ...] = ()
    machine: str = ""
    notes: "list[Note]" = field(default_factory=list)
    conditions: tuple[str, ...] = ()
    error_terms: "tuple[ErrorTerm, ...]" = ()
    busy: str = ""
    forced: list[str] = field(default_factory=list)
    child_processes: int = 0
    without_effect: list[str] = field(default_factory=list)
    unscaled: str = ""

    def __getattr__(self, name: str) -> Any:
        """Return the entry of `parts` with this name, the result of an instrument."""
        parts = self.__dict__.get("parts", {})
        if name in parts:
            return parts[name]
        raise AttributeError(unknown("attribute of Result", name, [*self.__dict__, *parts]))

    @property
    def values(self) -> list[Any]:
        """Return value of each rank's function, in rank order; None for spawned ranks, which come last."""
        return [outcome.value for outcome in self.ranks]

    @property
    def exit_status(self) -> int:
        """Exit status of the run: 0 if all ranks ended with 0, else that of the rank that stopped all other ranks.

        If no rank stopped all other ranks, the status is that of the first rank whose status is not 0. After
        MPI_Abort(0), the status of the run is 0.
        """
        decisive = (Ending.ABORTED, Ending.RAISED)
        for outcome in self.ranks:
            if outcome.ending in decisive:
                return outcome.status
        failed = [outcome for outcome in self.ranks if outcome.status != 0]
        return next((outcome.status for outcome in failed if outcome.ending is not Ending.STOPPED), 0)
