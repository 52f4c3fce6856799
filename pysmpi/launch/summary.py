"""Summary that is printed at the end of a run."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from pysmpi.instruments.outcome import Counters, Result, TimeSpent
from pysmpi.settings.network_models import MODELS
from pysmpi.util.quantities import counted, human_bytes, human_seconds, scaled

if TYPE_CHECKING:
    from pysmpi.compute.blas.charging import RoutineUse

__all__ = ["lines_of_run", "summary"]

_LISTED = 16  # failed ranks


def summary(result: Result) -> str:
    """Return the text that is printed at the end of a run."""
    text = lines_of_run(result, len(result.ranks))
    parts = (
        _shares(result.time_spent),
        _interruptions(result.time_spent),
        _wide(result),
        _routines(result.routines),
        *(f"\npysmpi: {sentence}" for sentence in result.unwatched_calls),
        _detours(result),
        _phases(result),
        _errors(result),
    )
    conditions = (f"\npysmpi: {line}" for line in result.conditions)
    return _failures(result) + text + "".join((*parts, *conditions))


class Run(Protocol):
    """Interface of the results that a summary describes: figures that runs of programs and replays both have."""

    @property
    def simulated_time(self) -> float:
        """Simulated time in seconds."""

    @property
    def wall_time(self) -> float:
        """Duration of the simulation in seconds."""

    @property
    def peak_memory(self) -> int:
        """Peak resident memory in bytes."""

    @property
    def counters(self) -> Counters:
        """Counters of the engine."""

    @property
    def network_model(self) -> str:
        """Value of the setting network/model."""


def lines_of_run(result: Run, ranks: int) -> str:
    """Return the summary's lines that runs of programs and replays have in common."""
    counters = result.counters
    rate = counters.events / result.wall_time if result.wall_time > 0 else 0.0
    missing = MODELS[result.network_model].not_modelled
    warning = f"\npysmpi: under network/model:{result.network_model} {missing}" if missing else ""
    return (
        f"pysmpi: simulated time {human_seconds(result.simulated_time)}, wall time {human_seconds(result.wall_time)}, "
        f"{counted(ranks, 'rank')}\n"
        f"pysmpi: {counted(counters.messages, 'message')} ({human_bytes(counters.bytes)}), "
        f"{rate:,.0f} events/s, peak memory {human_bytes(result.peak_memory)}{warning}"
    )


def _shares(spent: TimeSpent) -> str:
    """Return a line with the ranks' time by activity, or an empty text if no time has passed."""
    if spent.total <= 0:
        return ""
    sources = {
        "measured": spent.measured,
        "sampled": spent.sampled,
        "modelled": spent.modelled,
        "injected": spent.injected,
        "asleep": spent.asleep,
        "in MPI": spent.in_mpi,
    }
    parts = {name: seconds / spent.total for name, seconds in sources.items()}
    shares = [f"{part:.1%} {name}" for name, part in parts.items() if part >= 5e-4]
    count = spent.free_stretches
    free = f"; {counted(count, 'computation interval')} counted as zero time" if count else ""
    return f"\npysmpi: the ranks' time: {', '.join(shares)}{free}"


def _interruptions(spent: TimeSpent) -> str:
    """Return a line on measured intervals that the operating system interrupted, or an empty text if none counts."""
    if not spent.shortened + spent.kept:
        return ""
    kept = f"; {spent.kept:,} counted as measured, because none like them were known" if spent.kept else ""
    return (
        f"\npysmpi: the operating system interrupted {spent.interrupted:,} of "
        f"{counted(spent.intervals, 'measured interval')}: {spent.shortened:,} took the time of others like them, "
        f"{human_seconds(spent.saved)} less{kept}"
    )


def _errors(result: Result) -> str:
    """Return a line with the errors seen for the parts of the prediction, or an empty text if no part was compared."""
    if all(term.seen is None for term in result.error_terms):
        return ""
    terms = "; ".join(map(str, result.error_terms))
    return f"\npysmpi: errors seen for times of these kinds (- is too fast): {terms}"


def _wide(result: Result) -> str:
    """Return a line on collectives that sent about P² messages among P ranks, or an empty text if there were none."""
    if not result.wide:
        return ""
    listed = result.wide[:_LISTED]
    named = [f"{each.call} {each.messages:,} on {counted(each.ranks, 'rank')} ({each.setting})" for each in listed]
    return (
        f"\npysmpi: collectives whose algorithm sends about P² messages on P ranks: {', '.join(named)}; the settings "
        "choose other algorithms, and --mpi those of a library"
    )


def _routines(routines: "tuple[RoutineUse, ...]") -> str:
    """Return lines on the called routines of BLAS and LAPACK, or an empty text if the run has no model of them."""
    modelled = [use for use in routines if use.modelled]
    timed = [use for use in routines if not use.modelled and use.free < use.calls]
    free = [use for use in routines if not use.modelled and use.free == use.calls]
    some = sum(use.free for use in timed)
    return (
        _listed_routines("calls that took the model's time", modelled)
        + _listed_routines("calls that have no model and were timed", timed)
        + (f"; {some:,} of them in code that takes no time" if some else "")
        + _listed_routines("calls that have no model and took no time", free, timed=False)
    )


def _listed_routines(what: str, uses: "Sequence[RoutineUse]", *, timed: bool = True) -> str:
    uses = sorted(uses, key=lambda use: (-use.seconds if timed else -use.flops, use.name))
    named = [f"{use.name} ({', '.join(_figures(use, timed=timed))})" for use in uses[:_LISTED]]
    named += [f"… and {len(uses) - _LISTED} more"] if len(uses) > _LISTED else []
    return f"\npysmpi: {what}: {', '.join(named)}" if named else ""


def _figures(use: "RoutineUse", *, timed: bool) -> Iterator[str]:
    yield f"{use.calls:,}×"
    if timed:
        yield human_seconds(use.seconds)
    if use.flops:
        yield f"{scaled(use.flops)}flop"
    if use.extrapolated:
        yield f"{use.extrapolated:,}× beyond the sizes that the model was fitted to"


def _detours(result: Result) -> str:
    count, seconds = result.detours.count, result.detours.seconds
    return f"\npysmpi: noise: {counted(count, 'detour')} of {human_seconds(seconds)} in all" if count else ""


def _phases(result: Result) -> str:
    """Return a line for each phase, a part of the program that it has named with `pysmpi.phase`."""
    lines = ""
    for use in result.phases[:_LISTED]:
        joules = f", {use.joules:,.6g} J" if result.energy is not None else ""
        lines += (
            f"\npysmpi: phase {use.name}: {human_seconds(use.seconds / use.ranks)} a rank, at most "
            f"{human_seconds(use.longest)}, on {counted(use.ranks, 'rank')}{joules}"
        )
    more = len(result.phases) - _LISTED
    return lines + (f"\npysmpi: … and {counted(more, 'more phase')}" if more > 0 else "")


def _failures(result: Result) -> str:
    lines = [
        f"pysmpi: rank {outcome.rank} (host {outcome.host}) failed at {human_seconds(outcome.failed_at)}\n"
        for outcome in result.ranks
        if outcome.failed_at is not None
    ]
    if len(lines) > _LISTED:
        lines[_LISTED:] = [f"pysmpi: … and {len(lines) - _LISTED:,} more\n"]
    return "".join(lines)
