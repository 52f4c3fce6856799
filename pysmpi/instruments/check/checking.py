"""Looking for mistakes while a program runs: most of it is native (native/check), which has what it found read here."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from pysmpi.instruments.check import Finding, left_behind, rank_names
from pysmpi.launch.outcome import Ending, RankOutcome
from pysmpi.launch.traceback_text import place_of
from pysmpi.launch.uncaught import uncaught
from pysmpi.mpi import agreement, leftovers
from pysmpi.native import ffi, lib

__all__ = ["Observation", "observed"]


class Observation:
    """What has been found so far."""

    def findings(self, outcomes: Iterable[RankOutcome], *, complete: bool) -> tuple[Finding, ...]:
        """All of it.

        Args:
            outcomes: how the ranks have ended.
            complete: none was stopped before its end: what they have left behind is a mistake, too.
        """
        found = [_read(index) for index in range(lib.pysmpi_count_findings())]
        found += _disagreements(found)
        outcomes = list(outcomes)
        found += uncaught(outcomes, found)
        if complete:
            found += left_behind({each.rank for each in outcomes if each.ending is Ending.FAILED})
        return tuple(found)


@contextmanager
def observed() -> Iterator[Observation]:
    """Mistakes are looked for meanwhile."""
    leftovers.observe(lambda: place_of(sys._getframe()))
    agreement.observe(lambda: place_of(sys._getframe()))
    lib.pysmpi_check(1)
    try:
        yield Observation()
    finally:
        lib.pysmpi_check(0)
        agreement.stop_observing()
        leftovers.stop_observing()


def _disagreements(known: Sequence[Finding]) -> Iterator[Finding]:
    seen = {(finding.kind, frozenset(finding.places)) for finding in known}
    for kind, own, other in ((each.kind, each.own, each.other) for each in agreement.disagreements()):
        places = tuple(place for place in (own.place, other.place) if place)
        if (kind, frozenset(places)) not in seen:
            seen.add((kind, frozenset(places)))
            text = ", ".join(f"rank {each.rank} calls {each.said} at {each.place}" for each in (own, other))
            yield Finding(kind, text, (own.rank,), places)


def _read(index: int) -> Finding:
    native = ffi.new("pysmpi_finding*")
    lib.pysmpi_read_finding(index, native)
    ranks = ffi.new("int32_t[]", native.ranks)
    lib.pysmpi_read_finding_ranks(index, ranks)
    places = (ffi.string(place).decode() for place in native.places)
    found = Finding(
        ffi.string(native.kind).decode(),
        ffi.string(native.text).decode(),
        tuple(ranks),
        tuple(place for place in places if place),
        native.times,
    )
    if found.times == 1:
        return found
    text = f"{found.text} ({found.times:,} times, in {rank_names(found.ranks)})"
    return Finding(found.kind, text, found.ranks, found.places, found.times)
