"""Remarks on how far to trust the simulated times of a run, which are added to its result.

They say what the times depend on, how wrong such times were in comparisons with real machines, and what makes the times
of this run doubtful.
"""

from pysmpi.simulation.instruments.calibration_quality import forced_in_platform
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.notes import Importance, Note, listed
from pysmpi.simulation.instruments.outcome import RankOutcome, Result, TimeSpent, WideCollective
from pysmpi.simulation.launch.busy_machine import busy_machine, load
from pysmpi.simulation.launch.conditions import conditions, limits, machine
from pysmpi.simulation.launch.prediction_errors import error_terms
from pysmpi.simulation.launch.rank_threads import threads_note
from pysmpi.simulation.settings.network_models import MODELS
from pysmpi.util.quantities import counted, human_seconds

__all__ = ["Basis", "contention_note", "failure_notes"]


_MUCH = 0.05  # share of the ranks' time above which MPI's work on data is mentioned


class Basis(Instrument):
    """Instrument (observer of a run) that adds remarks on how far to trust the simulated times to the result.

    Every run has it. It ends after nearly all other instruments, because it reads what they add to the result.
    """

    def begin(self, run: Run) -> None:
        """Do nothing: everything is known at the end."""

    def end(self, run: Run, result: Result) -> None:
        result.machine = machine(run, result)
        result.busy = busy_machine(result.time_spent, *load())
        result.forced += forced_in_platform(run.platform)
        result.conditions = conditions(run, result)
        result.error_terms = error_terms(run, result)
        result.notes += [
            *failure_notes(result.ranks),
            *_forced(result.forced),
            *_busy(result.busy),
            *(Note(Importance.DOUBT, "BLAS calls went unnoticed", text) for text in result.unwatched_calls),
            *contention_note(result.network_model),
            *_wide(result.wide),
            *limits(run, result),
            *threads_note(run, result),
            *_work_on_data(result.time_spent),
            *_interruptions(result.time_spent),
            *_free_intervals(result.time_spent),
        ]


def contention_note(network_model: str) -> list[Note]:
    """Return a list with one note if messages do not slow each other down under a network model, else an empty list.

    Args:
        network_model: name of the model, such as LogGPS.
    """
    missing = MODELS[network_model].not_modelled
    text = f"under network/model:{network_model} {missing}"
    return [Note(Importance.LIMIT, f"{network_model} has no contention", text)] if missing else []


def failure_notes(ranks: list[RankOutcome]) -> list[Note]:
    """Return a list with one note that names the ranks whose hosts failed or that were killed, or an empty list.

    Args:
        ranks: how each rank ended.
    """
    lines = [
        f"rank {outcome.rank} (host {outcome.host}) failed at {human_seconds(outcome.failed_at)}"
        for outcome in ranks
        if outcome.failed_at is not None
    ]
    if not lines:
        return []
    headline = lines[0] if len(lines) == 1 else f"{len(lines):,} ranks failed"
    return [Note(Importance.DOUBT, headline, "\n".join(listed(lines)))]


def _forced(reasons: list[str]) -> list[Note]:
    texts = [f"a calibration was written by --force: {reason}" for reason in reasons]
    return [Note(Importance.DOUBT, "a calibration was forced", "\n".join(texts))] if texts else []


def _busy(busy: str) -> list[Note]:
    text = f"measured on a busy or throttled machine: {busy}"
    return [Note(Importance.DOUBT, "measured on a busy machine", text)] if busy else []


def _wide(wide: tuple[WideCollective, ...]) -> list[Note]:
    """Return a list with one note on collectives that sent about P² messages among P ranks, or an empty list."""
    if not wide:
        return []
    named = [f"{each.call} {each.messages:,} on {counted(each.ranks, 'rank')} ({each.setting})" for each in wide]
    text = (
        f"collectives whose algorithm sends about P² messages on P ranks: {', '.join(listed(named))}; the settings "
        "choose other algorithms, and --mpi those of a library"
    )
    return [Note(Importance.LIMIT, f"{wide[0].call} sends P² messages", text)]


def _interruptions(spent: TimeSpent) -> list[Note]:
    """Return a list with one note on measured intervals that the operating system interrupted, or an empty list."""
    if not spent.shortened + spent.kept:
        return []
    kept = f"; {spent.kept:,} counted as measured, because none like them were known" if spent.kept else ""
    text = (
        f"the operating system interrupted {spent.interrupted:,} of {counted(spent.intervals, 'measured interval')}: "
        f"{spent.shortened:,} took the time of others like them, {human_seconds(spent.saved)} less{kept}"
    )
    return [Note(Importance.DETAIL, "", text)]


def _work_on_data(spent: TimeSpent) -> list[Note]:
    """Return a list with one note if MPI's arithmetic and copies take more than 5 % of the time, or an empty list."""
    if spent.total <= 0 or spent.on_data <= _MUCH * spent.total:
        return []
    share = f"{spent.on_data / spent.total:.0%}"
    text = (
        f"MPI's arithmetic and copies take {share} of the ranks' time, at the rates of the host's processor "
        "(smpi/reduction-bandwidth, smpi/copy-bandwidth, smpi/new-buffers)"
    )
    return [Note(Importance.LIMIT, f"MPI's arithmetic and copies take {share}", text)]


def _free_intervals(spent: TimeSpent) -> list[Note]:
    count = spent.free_stretches
    text = f"{counted(count, 'computation interval')} counted as zero time"
    return [Note(Importance.DETAIL, "", text)] if count else []
