"""Errors to expect of the simulated times of a run.

The ranks' time has parts of several kinds, such as measured code and MPI calls. For each kind, errors are known from
comparisons of simulations with real machines.
"""

from collections import Counter

from pysmpi.simulation.instruments.calibration_quality import errors_in_platform
from pysmpi.simulation.instruments.error_terms import SEEN, ErrorTerm, SeenErrors
from pysmpi.simulation.instruments.instrument import Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings.options import FABRIC

__all__ = ["error_terms"]

_SMALL = 0.05  # share of the ranks' time below which a part is left out
_SHORT, _LONG = 50e-6, 1e-3  # seconds below which measured intervals are short, and from which on they are long
_WITHOUT_MEASURES = ("neutral", "smpi")  # fabrics that describe no network


def error_terms(run: Run, result: Result) -> tuple[ErrorTerm, ...]:
    """Return the parts of the ranks' time, each with the errors that such times had in comparisons, the largest first.

    Parts below 5 % are left out. Time in MPI includes waiting for other ranks, so errors of their computation affect
    it, too.
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


def _with_calibration(seen: SeenErrors | None, what: str, calibrated: tuple[float, float] | None) -> SeenErrors | None:
    """Return the errors seen in comparisons with real machines, widened to include those of the run's own calibration.

    Args:
        seen: errors in comparisons, or None if there were none.
        what: name of the calibration in the text that describes the errors.
        calibrated: least and greatest relative error of the calibration, or None if unknown.
    """
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
