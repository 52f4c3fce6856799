"""Parts of a prediction, each with the errors that comparisons with real machines have shown for its kind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pysmpi.simulation.instruments.calibration_quality import errors_in_platform
from pysmpi.simulation.instruments.instrument import Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings.options import FABRIC

__all__ = ["SEEN", "ErrorTerm", "SeenErrors", "error_terms", "factors_of_real_time"]

_SMALL = 0.05  # share of the ranks' time below which a part is left out
_SHORT, _LONG = 50e-6, 1e-3  # seconds of measured intervals between two MPI calls
_WITHOUT_MEASURES = ("neutral", "smpi")  # fabrics that describe no network


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


# docs/predictions.md has the same table, with the sources. No figure is of what a model was fitted to.
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
        -0.79, 0.33, "ping-pongs and collectives on 2 to 64 ranks of five machines"
    ),
    "MPI with a rank a host": SeenErrors(-0.371, 0.316, "osu_bibw, three fabrics"),
    "MPI with a rank a host, no fabric named": None,
}


def error_terms(run: Run, result: Result) -> tuple[ErrorTerm, ...]:
    """Return the parts of the ranks' time that a prediction rests on, the largest first; parts below 5 % are left out.

    Time in MPI includes waiting for other ranks, which has their errors, too.
    """
    spent = result.time_spent
    if spent.total <= 0:
        return ()
    has_model = any(use.modelled for use in result.routines)
    parts = {
        _measured(spent.clock_seconds, spent.intervals): spent.measured,
        "sampled code": spent.sampled,
        "BLAS by a model" if has_model else "folded arrays by a model": spent.modelled,
        "computation declared by the program": spent.injected,
        "sleep": spent.asleep,
        _communication(run, result): spent.in_mpi,
    }
    of_model = None if result.blas_error is None else (-result.blas_error, result.blas_error)
    calibrated = {
        _communication(run, result): ("the platform's calibration", errors_in_platform(run.platform)),
        "BLAS by a model": ("the model's own fit, in the median", of_model),
    }
    terms = [
        ErrorTerm(kind, seconds / spent.total, _with_calibration(SEEN[kind], *calibrated.get(kind, ("", None))))
        for kind, seconds in parts.items()
    ]
    return tuple(sorted((each for each in terms if each.share >= _SMALL), key=lambda each: -each.share))


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


def _with_calibration(seen: SeenErrors | None, what: str, calibrated: tuple[float, float] | None) -> SeenErrors | None:
    """Return the errors seen, widened by those of `what`, the run's own calibration."""
    if calibrated is None:
        return seen
    low, high = calibrated
    own = f"{what}: {low:+.1%} to {high:+.1%}"
    if seen is None:
        return SeenErrors(low, high, own)
    return SeenErrors(min(low, seen.low), max(high, seen.high), f"{seen.compared}; {own}")


def _measured(seconds: float, intervals: int) -> str:
    mean = seconds / intervals if intervals else _LONG
    if mean < _SHORT:
        return "measured code, intervals below 50 us"
    return "measured code, intervals below 1 ms" if mean < _LONG else "measured code"


def _communication(run: Run, result: Result) -> str:
    if max(Counter(outcome.host for outcome in result.ranks).values(), default=1) > 1:
        return "MPI with several ranks a host"
    if run.configuration[FABRIC] in _WITHOUT_MEASURES:
        return "MPI with a rank a host, no fabric named"
    return "MPI with a rank a host"
