"""Summary that is printed at the end of a run: four lines, and all notes and conditions under ``--verbose``."""

from collections.abc import Iterable
from typing import Protocol

from pysmpi.simulation.instruments.error_terms import ErrorTerm, factors_of_real_time
from pysmpi.simulation.instruments.notes import Importance, most_important_first
from pysmpi.simulation.instruments.outcome import Counters, Result, TimeSpent
from pysmpi.simulation.launch.basis import contention_note
from pysmpi.util.quantities import counted, human_bytes, human_seconds

__all__ = ["summary", "summary_of_replay"]

_PREFIX = "pysmpi: "
_WIDTH = 100 - len(_PREFIX)  # largest number of characters of a line, without the prefix


def summary(result: Result, *, verbose: bool = False) -> str:
    """Return the text that is printed at the end of a run.

    The lines say what was simulated, where the ranks' time went, how far to trust the simulated time, and which options
    to try next. Notes of instruments share the last line, the most important ones first.

    Args:
        result: result of the run.
        verbose: whether to add all notes, the conditions of the run, and the errors that simulated times of the same
            kinds had in comparisons with real machines.
    """
    lines = [
        _what(result, counted(len(result.ranks), "rank"), result.machine),
        _fitting([*_shares(result.time_spent), _traffic(result.counters)]),
        *_trust(result.error_terms, result.time_spent),
        _next(result),
    ]
    return _text([*lines, *_details(result)] if verbose else lines)


class Run(Protocol):
    """Attributes that the results of runs and the results of replays have in common."""

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
        """Counters of the engine, such as the numbers of messages, bytes and events."""

    @property
    def network_model(self) -> str:
        """Name of the network model (setting ``network/model``)."""


def summary_of_replay(result: Run, ranks: int, *, verbose: bool = False) -> str:
    """Return the text that is printed at the end of a replay of recorded traces (``--replay``).

    Args:
        result: result of the replay.
        ranks: number of ranks.
        verbose: whether to print notes in full instead of their headlines.
    """
    lines = [_what(result, counted(ranks, "rank"), ""), f"{_traffic(result.counters)}, {_cost(result)}"]
    notes = contention_note(result.network_model)
    return _text([*lines, *(note.text if verbose else f"note: {note.headline} (--verbose)" for note in notes)])


def _text(lines: Iterable[str]) -> str:
    return "\n".join(f"{_PREFIX}{line}" for text in lines for line in text.splitlines())


def _what(result: Run, ranks: str, machine: str) -> str:
    simulated, real = human_seconds(result.simulated_time), human_seconds(result.wall_time)
    line = f"simulated time {simulated}, wall time {real}, {ranks}{machine and f' on {machine}'}"
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _shares(spent: TimeSpent) -> list[str]:
    """Return parts of a line with the ranks' time by activity, such as "91.2% in MPI", the largest first."""
    if spent.total <= 0:
        return ["the ranks took no simulated time"]
    sources = {
        "measured": spent.measured,
        "sampled": spent.sampled,
        "modelled": spent.modelled,
        "injected": spent.injected,
        "asleep": spent.asleep,
        "in MPI": spent.in_mpi,
    }
    parts = sorted(((seconds / spent.total, name) for name, seconds in sources.items()), reverse=True)
    first, *others = (f"{part:.1%} {name}" for part, name in parts if part >= 5e-4)
    return [f"the ranks' time: {first}", *others]


def _fitting(parts: list[str]) -> str:
    """Join parts of a line by commas; leave out the last parts if the line would be too long."""
    while len(line := ", ".join(parts)) > _WIDTH:
        parts = parts[:-1]
    return line


def _traffic(counters: Counters) -> str:
    return f"{counted(counters.messages, 'message')} ({human_bytes(counters.bytes)})"


def _cost(result: Run) -> str:
    rate = result.counters.events / result.wall_time if result.wall_time > 0 else 0.0
    return f"{rate:,.0f} events/s, peak memory {human_bytes(result.peak_memory)}"


def _trust(terms: tuple[ErrorTerm, ...], spent: TimeSpent) -> list[str]:
    """Return a list with one line: how long a real run would take; an empty list if no simulated time has passed.

    The bounds follow from errors that simulated times of the same kinds had in comparisons with real machines.

    Args:
        terms: parts of the ranks' time, each with these errors.
        spent: ranks' time by activity.
    """
    if not terms:
        return []
    least, greatest, share = factors_of_real_time(terms)
    if share == 0:
        return ["trust: unknown, because times of these kinds were never compared with a real machine"]
    range_of_time = f"a real run would take {_factor(least)} to {_factor(greatest)} times as long"
    if spent.free_stretches and not spent.measured + spent.sampled:
        return [f"trust: apart from the code that takes no time, {range_of_time}"]
    part = "such times" if share > 0.995 else f"{share:.0%} of such times"
    return [f"trust: {range_of_time}, by errors seen for {part}"]


def _factor(value: float) -> str:
    return f"{value:.2f}" if value < 1 else f"{value:.1f}"


def _next(result: Result) -> str:
    """Return the last line of the summary: the most important notes, and options to try next, such as ``--profile``."""
    question, answer = _question(result)
    noted = [note for note in most_important_first(result.notes) if note.importance > Importance.DETAIL]
    headlines = list(dict.fromkeys(note.headline for note in noted))
    if not headlines:
        return f"next: {question} shows {answer}, --verbose what the times rest on"
    kind = "questionable" if noted[0].importance is Importance.DOUBT else "note"
    for shown in range(len(headlines), 0, -1):
        begin = f"{kind}: {'; '.join(headlines[:shown])}"
        more = f"; {len(headlines) - shown} more" if shown < len(headlines) else ""
        for options in (f"{question}, --verbose", "--verbose"):
            line = f"{begin}{more}; next: {options}"
            if len(line) <= _WIDTH:
                return line
    return f"{kind}: {headlines[0][: _WIDTH - 40]}…; next: --verbose"


def _question(result: Result) -> tuple[str, str]:
    """Return an option to suggest for a further run, and what it shows: ("--profile", "what the ranks wait for")."""
    spent = result.time_spent
    if result.parts.get("profile") is not None:
        return '--what-if "links*2"', "what faster links bring"
    if 2 * spent.in_mpi >= spent.total:
        return "--profile", "what the ranks wait for"
    return '--what-if "speed*2"', "what faster cores bring"


def _details(result: Result) -> list[str]:
    """Return the lines that only ``--verbose`` prints: speed and memory, notes, known errors, and conditions."""
    lines = [_cost(result), ", ".join(_shares(result.time_spent))]
    lines += [note.text for note in most_important_first(result.notes)]
    if any(term.seen is not None for term in result.error_terms):
        terms = "; ".join(map(str, result.error_terms))
        lines.append(f"errors seen for times of these kinds (- is too fast): {terms}")
    return [*lines, *result.conditions]
