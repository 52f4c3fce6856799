"""Checks while a program runs: native code (native/check) detects most mistakes, and this module reads its findings."""

import sys
from collections.abc import Iterator, Sequence

from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.check import Finding, left_behind, rank_names
from pysmpi.simulation.instruments.check.uncaught import uncaught
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Ending, Result
from pysmpi.simulation.mpi import agreement, unfreed_objects
from pysmpi.util.quantities import counted
from pysmpi.util.traceback_text import place_of

__all__ = ["Check"]


class Check(Instrument):
    """Instrument that looks for mistakes in the use of MPI while the program runs (``--check``)."""

    def begin(self, run: Run) -> None:
        unfreed_objects.observe(lambda: place_of(sys._getframe()))
        agreement.observe(lambda: place_of(sys._getframe()))
        lib.pysmpi_check(1)

    def end(self, run: Run, result: Result) -> None:
        if not run.failed:
            lib.pysmpi_check_end()
        found = [_read(index) for index in range(lib.pysmpi_count_findings())]
        found += _disagreements(found)
        found += uncaught(result.ranks, found)
        if not run.failed:  # ranks that were stopped had no chance to clean up
            found += left_behind({each.rank for each in result.ranks if each.ending is Ending.FAILED})
        result.parts["findings"] = tuple(found)

    def close(self) -> None:
        lib.pysmpi_check(0)
        agreement.stop_observing()
        unfreed_objects.stop_observing()


def _disagreements(known: Sequence[Finding]) -> Iterator[Finding]:
    # Ranks that call different functions may seem to pass different arguments.
    seen = {frozenset(finding.places) for finding in known if finding.kind == "mismatched-collective"}
    for own, other in ((each.own, each.other) for each in agreement.disagreements()):
        places = tuple(place for place in (own.place, other.place) if place)
        if frozenset(places) not in seen:
            seen.add(frozenset(places))
            text = ", ".join(f"rank {each.rank} calls {each.said} at {each.place}" for each in (own, other))
            yield Finding("mismatched-arguments", text, (own.rank,), places)


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
    text = f"{found.text} ({counted(found.times, 'time')}, in {rank_names(found.ranks)})"
    return Finding(found.kind, text, found.ranks, found.places, found.times)
