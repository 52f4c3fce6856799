"""Parts of a prediction, each with the errors that comparisons with real machines have shown for its kind."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SEEN", "ErrorTerm", "SeenErrors", "factors_of_real_time"]


@dataclass(frozen=True, slots=True)
class SeenErrors:
    """Errors of simulated times of one kind, found in comparisons with real machines.

    Attributes:
        low: least relative error; -0.1 is a time that is 10 % too short.
        high: greatest relative error.
        compared: programs and machines that were compared.
    """

    low: float
    high: float
    compared: str


@dataclass(frozen=True, slots=True)
class ErrorTerm:
    """Part of the ranks' time, with the errors seen for times of its kind.

    Attributes:
        kind: origin of the time, a key of `SEEN`.
        share: part of the ranks' time, 0 to 1.
        seen: errors of such times, or None if none were compared with a real machine.
    """

    kind: str
    share: float
    seen: SeenErrors | None

    def __str__(self) -> str:
        errors = "no comparison with a real machine"
        if self.seen is not None:
            errors = f"{self.seen.low:+.1%} to {self.seen.high:+.1%} ({self.seen.compared})"
        return f"{self.share:.1%} {self.kind}: {errors}"


# Errors of predictions against real machines. docs/predictions.md has the same table, with the sources. No error is for
# a measurement to which a model was fitted.
SEEN: dict[str, SeenErrors | None] = {
    "measured code, intervals below 50 us": SeenErrors(
        -0.367, 2.033, "Jacobi and heat equation on 16 to 4,096 ranks, one machine"
    ),
    "measured code, intervals below 1 ms": SeenErrors(
        -0.466, -0.02, "a stencil on two machines, and many small objects"
    ),
    "measured code": SeenErrors(-0.252, 0.06, "a stencil on two ranks of two machines"),
    "sampled code": None,
    "BLAS by a model": SeenErrors(-0.09, 0.081, "Linpack on 1 to 1,024 ranks of five machines"),
    "folded arrays by a model": SeenErrors(-0.14, -0.07, "Jacobi and a matrix product, against the same with data"),
    "computation declared by the program": None,
    "sleep": None,
    "MPI with several ranks a host": SeenErrors(
        -0.927,
        0.33,
        "ping-pongs and collectives on 2 to 64 ranks of five machines; 90 % of the osu_allreduces on full nodes of "
        "AWS, Google Cloud and Dane, but not of Azure",
    ),
    "MPI with a rank a host": SeenErrors(
        -0.497, 0.493, "osu_bibw, three fabrics; 90 % of 619 collectives on three large machines"
    ),
    "MPI with a rank a host, no fabric named": None,
}


def factors_of_real_time(terms: Sequence[ErrorTerm]) -> tuple[float, float, float]:
    """Return the least and the greatest real time for a simulated time of 1, and the share of the time they hold for.

    Each part is taken to err as its kind did in the comparisons, all parts in the same direction. Parts that were never
    compared with a real machine do not count. Without any comparison, the share is 0.
    """
    compared = [(term.share, term.seen) for term in terms if term.seen is not None]
    share = sum(part for part, _ in compared)
    if share == 0:
        return 1.0, 1.0, 0.0
    least = sum(part / (1 + seen.high) for part, seen in compared)
    greatest = sum(part / (1 + seen.low) for part, seen in compared)
    return least / share, greatest / share, share / sum(term.share for term in terms)
