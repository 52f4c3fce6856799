"""Collection of a result: counters of the engine, outcomes of the ranks, and what each observer of the run adds."""

import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from pysmpi.errors import LaunchError, PysmpiError, RankError
from pysmpi.native import lib
from pysmpi.simulation.instruments.check import report
from pysmpi.simulation.instruments.engine_counters import read_counters, read_time_spent, read_wide_collectives
from pysmpi.simulation.instruments.instrument import Instrument
from pysmpi.simulation.instruments.outcome import Ending, RankOutcome, Result
from pysmpi.simulation.isolation.child_lifetimes import child_count
from pysmpi.simulation.launch.build import Simulation
from pysmpi.simulation.launch.instrument_kinds import empty_parts
from pysmpi.simulation.launch.summary import summary
from pysmpi.util.traceback_text import program_traceback, summary_of

__all__ = ["Conclusion", "collect"]


@dataclass(frozen=True)
class Conclusion:
    """Result of a run with the reason for its end, and what the launcher still has to print or write.

    Attributes:
        result: result of the run up to its end or failure.
        failure: error that no rank has caused, such as a deadlock, or None.
        interrupted: number of the signal that ended the run, such as SIGINT (Ctrl-C), or 0.
        reader_gone: True if the run ended because nobody reads its output any more, as after ``| head``.
        shared: a line for each imported module, and for each library with thread-local variables. It says whether each
            rank had its own copy or all shared one, and why.
        unused: a line for each option that had no effect.
        instruments: instruments of the run, which print reports and write files after it.
    """

    result: Result
    failure: PysmpiError | None
    interrupted: int
    reader_gone: bool
    shared: list[str]
    unused: list[str]
    instruments: Sequence[Instrument] = ()

    @property
    def lines(self) -> list[str]:
        """Lines of the reports of instruments, such as a profile, to be printed after the run."""
        return [line for each in self.instruments for line in each.lines(self.result)]

    def write(self) -> None:
        """Write the files that instruments were asked for.

        Raises:
            PysmpiError: a file cannot be written.
        """
        for each in self.instruments:
            each.write(self.result)

    def raise_failure(self) -> None:
        """Raise the error that the run ended with, if any.

        If the run checked its MPI calls (``--check``), the error also carries the mistakes found.

        Raises:
            PysmpiError: the run failed; a RankError if a rank raised an exception or called MPI_Abort.
            KeyboardInterrupt: Ctrl-C was pressed; the summary so far has been printed. After SIGTERM and SIGHUP, which
                end a process, the signal is sent again.
        """
        if self.interrupted:
            print(summary(self.result), file=sys.stderr, flush=True)
            signal.raise_signal(self.interrupted)
            raise KeyboardInterrupt
        try:
            if self.failure is not None:
                raise self.failure
            for outcome in self.result.ranks:
                _raise_failure_of(outcome)
        except PysmpiError as error:
            error.findings = self.result.findings
            for line in report(error.findings):
                error.add_note(line)
            raise


def collect(simulation: Simulation, instruments: Sequence[Instrument]) -> Conclusion:
    """Return the result of a simulation whose ranks have ended, with the reason for its end.

    Args:
        simulation: the simulation.
        instruments: observers of the run in the order in which they began. Here they end in reverse order and add what
            they found to the result.
    """
    ranks, run = simulation.ranks, simulation.run
    run.failed = ranks.failed
    result = Result(
        simulated_time=lib.pysmpi_now(),
        wall_time=time.perf_counter() - simulation.begun,
        peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        counters=read_counters(),
        ranks=ranks.outcomes,
        parts=empty_parts(),
        network_model=run.configuration.network_model.name,
        time_spent=read_time_spent(),
        wide=read_wide_collectives(),
        child_processes=child_count(),
    )
    for instrument in reversed(instruments):
        instrument.end(run, result)
    failures = [each.failure for each in instruments if each.failure is not None]
    isolated = simulation.isolated
    streams = (isolated.output, isolated.errors)
    failures += [LaunchError(each.failure) for each in streams if each.failure]
    unknown = [*isolated.thread_variables.unknown(), *isolated.private_libraries.unknown()]  # libraries are loaded late
    if unknown and not ranks.failed:
        failures.append(LaunchError("; ".join(unknown)))
    return Conclusion(
        result,
        ranks.failure or next(iter(failures), None),
        ranks.interrupted,
        simulation.isolated.output.reader_gone,
        [
            *(f"module {line}" for line in isolated.verdicts.lines()),
            *isolated.thread_variables.lines(),
            *isolated.private_libraries.lines(),
        ],
        [
            *isolated.verdicts.unused_choices(),
            *(f"no effect: {text}" for text in result.without_effect),
        ],
        instruments,
    )


def _raise_failure_of(outcome: RankOutcome) -> None:
    if outcome.ending is Ending.RAISED:
        assert outcome.exception is not None
        outcome.exception.__traceback__ = program_traceback(outcome.exception)
        raise RankError(
            f"rank {outcome.rank} (host {outcome.host}) raised {summary_of(outcome.exception)}"
        ) from outcome.exception
    if outcome.ending is Ending.ABORTED:
        raise RankError(f"rank {outcome.rank} (host {outcome.host}) called MPI_Abort({outcome.status})")
