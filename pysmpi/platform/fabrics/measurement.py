"""Published figures of the OSU micro-benchmarks, as they are printed."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Measurement", "column"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """Published figures of one benchmark.

    Attributes:
        benchmark: name, such as ``osu_latency``.
        source: publication, with machine and MPI library.
        figures: figure by size in bytes: microseconds for latencies and collectives, MB/s for bandwidths.
        ranks: number of ranks, on two nodes together.
    """

    benchmark: str
    source: str
    figures: Mapping[int, float]
    ranks: int = 2


def column(figures: str, first: int = 1) -> dict[int, float]:
    """Return published figures by size in bytes, from a text that lists those for `first`, 2 `first`, 4 `first` …"""
    return {first << place: float(figure) for place, figure in enumerate(figures.split())}
