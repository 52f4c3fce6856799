"""Fit of polynomials and noise to a table of times.

Calls are repeated with the same sizes. The spread of these times determines the noise. Their mean is one observation
for the fit of the expected duration, so that repetitions do not narrow the confidence intervals.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from pysmpi.calibrate.blas.kernels import KERNELS
from pysmpi.calibrate.regression import Regression, regress
from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.blas.model import FORMAT
from pysmpi.simulation.compute.blas.routines import ROUTINES

__all__ = ["RoutineFit", "fit_routine", "fit_table", "model_document"]

Vector = npt.NDArray[np.float64]

_LEAST_SIZES = 4  # distinct sizes; with fewer, no error can be estimated
# Expected absolute difference of two durations with the same sizes, divided by the standard deviation of their noise.
# The difference is abs(abs(Z1) - abs(Z2)) for half-normal and abs(Z1 - Z2) for normal noise; Z1 and Z2 are standard
# normal.
_DISTANCE = {
    "half-normal": 2 * (math.sqrt(2) - 1) * math.sqrt(2 / math.pi) / math.sqrt(1 - 2 / math.pi),
    "normal": 2 / math.sqrt(math.pi),
}
_HALF_NORMAL_SKEWNESS = math.sqrt(2) * (4 - math.pi) / (math.pi - 2) ** 1.5
_OUTLYING = 8.0  # distance of outliers from the median, in standard deviations (from the median absolute deviation)
_FINEST = 0.02  # relative distance from the median up to which a time is never an outlier


@dataclass(frozen=True)
class Observation:
    """Measured times of calls with the same sizes: regular times, which are used for the fit, and outliers."""

    sizes: dict[str, int]
    seconds: Vector
    outlying: Vector


@dataclass(frozen=True)
class RoutineFit:
    """Fitted duration of a routine, with the quality of the fit.

    Attributes:
        name: name of the routine.
        observations: the measurements.
        expected: polynomial of the expected duration.
        distribution: noise distribution, "half-normal" or "normal", or None if each size was measured only once.
        deviation: polynomial of the noise's standard deviation, seconds by term.
        skewness: skewness of the noise, which selects the distribution, or None if no size was measured three times.
    """

    name: str
    observations: tuple[Observation, ...]
    expected: Regression
    distribution: str | None
    deviation: dict[str, float]
    skewness: float | None

    @cached_property
    def means(self) -> Vector:
        """Mean of the regular times of each observation, in seconds."""
        return _means(self.observations)

    @cached_property
    def predicted(self) -> Vector:
        """Expected duration of each observation by the polynomial, in seconds."""
        return self.expected(_columns(self.name, self.observations))

    @property
    def errors(self) -> Vector:
        """Relative errors (expected / mean - 1) of the durations, one per observation."""
        return self.predicted / self.means - 1

    @property
    def r_squared(self) -> float:
        """Part of the variance of the mean durations that the polynomial explains (1 for a perfect fit)."""
        spread = float(np.sum((self.means - self.means.mean()) ** 2))
        return 1 - float(np.sum((self.predicted - self.means) ** 2)) / spread if spread > 0 else 1.0

    @property
    def range(self) -> dict[str, tuple[int, int]]:
        """Least and greatest measured size, by name of the size."""
        found = {name: [each.sizes[name] for each in self.observations] for name in ROUTINES[self.name]}
        return {name: (min(values), max(values)) for name, values in found.items()}

    @property
    def outliers(self) -> int:
        """Number of outliers: measured times far above other times of the same sizes. The fit ignores them."""
        return sum(len(each.outlying) for each in self.observations)

    @property
    def outliers_time(self) -> float:
        """Excess of the outliers' times over the mean of the regular times, as a part of the total time (0 to 1)."""
        excess = sum(float(np.sum(each.outlying - each.seconds.mean())) for each in self.observations)
        return excess / sum(float(each.seconds.sum() + each.outlying.sum()) for each in self.observations)

    @cached_property
    def one_coefficient(self) -> dict[str, float]:
        """Coefficient and relative errors of the model "coefficient × leading term", for comparison with `expected`.

        The coefficient is fitted by ordinary least squares with an intercept that is then dropped (T. Cornebize,
        "Capacity Planning of Supercomputers", 2017).
        """
        operations = _columns(self.name, self.observations)[KERNELS[self.name].leading]
        centred = operations - operations.mean()
        slope = float(np.sum(centred * (self.means - self.means.mean())) / max(np.sum(centred**2), 1e-300))
        errors = np.abs(slope * operations / self.means - 1)
        return {
            "coefficient": slope,
            "median_relative_error": float(np.median(errors)),
            "largest_relative_error": float(errors.max()),
        }

    def entry(self) -> dict[str, Any]:
        """Return the routine's entry for a model file: coefficients, noise, and quality of the fit."""
        found: dict[str, Any] = {"seconds": dict(self.expected.coefficients)}
        if self.distribution is not None:
            found["noise"] = {"distribution": self.distribution, "deviation": dict(self.deviation)}
        found["fit"] = {
            "measurements": sum(len(each.seconds) + len(each.outlying) for each in self.observations),
            "r_squared": self.r_squared,
            "largest_relative_error": float(np.abs(self.errors).max()),
            "range": {name: list(bounds) for name, bounds in self.range.items()},
            "sizes": len(self.observations),
            "median_relative_error": float(np.median(np.abs(self.errors))),
            "cross_validated_error": self.expected.cross_validated_error,
            "outliers": self.outliers,
            "outliers_time": self.outliers_time,
            "intervals": {term: list(bounds) for term, bounds in self.expected.intervals.items()},
            "one_coefficient": self.one_coefficient,
        }
        return found


def fit_table(table: Table) -> list[RoutineFit]:
    """Fit each routine in a table of measurements, in table order.

    Raises:
        CalibrationError: if the table is empty, lacks a size, or has too few distinct sizes of a routine; the message
            starts with file:line.
    """
    found: dict[str, dict[tuple[int, ...], list[float]]] = defaultdict(lambda: defaultdict(list))
    first: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        name = row["routine"]
        first.setdefault(name, index)
        for size in ROUTINES[name]:
            if row.get(size) is None:
                raise CalibrationError(f"{table.place(index)}: {name} has the sizes {', '.join(ROUTINES[name])}; "
                                       f"{size} is missing")  # fmt: skip
        if row["seconds"] <= 0:
            raise CalibrationError(
                f"{table.place(index)}: seconds = {row['seconds']:g} is not valid; times must be above 0"
            )
        found[name][tuple(row[size] for size in ROUTINES[name])].append(row["seconds"])
    if not found:
        raise CalibrationError(f"{table.source}: the table has no measurements")
    fits = []
    for name, by_sizes in found.items():
        if name not in KERNELS:
            raise CalibrationError(f"{table.place(first[name])}: {name} is not supported "
                                   f"(valid: {', '.join(KERNELS)})")  # fmt: skip
        try:
            fits.append(fit_routine(name, by_sizes))
        except CalibrationError as error:
            raise CalibrationError(f"{table.place(first[name])}: {error}") from None
    return fits


def fit_routine(name: str, by_sizes: Mapping[tuple[int, ...], Sequence[float]]) -> RoutineFit:
    """Fit one routine.

    Args:
        name: name of the routine, such as dgemm.
        by_sizes: seconds of the calls with each combination of sizes; ROUTINES gives the order of the sizes.

    Raises:
        CalibrationError: if there are too few distinct sizes.
    """
    observations = _observations(ROUTINES[name], by_sizes)
    columns = _columns(name, observations)
    different = len(np.unique(columns[KERNELS[name].leading]))
    if different < _LEAST_SIZES:
        sizes = "; ".join(str(sizes).strip("(,)") for sizes in sorted(by_sizes)[:_LEAST_SIZES])
        raise CalibrationError(
            f"{name}: a fit needs at least {_LEAST_SIZES} different sizes, but there "
            f"{'is' if different == 1 else 'are'} {different} ({', '.join(ROUTINES[name])}: {sizes})"
        )
    expected = regress(columns, KERNELS[name].leading, _means(observations))
    skewness = _skewness(observations)
    distribution = None
    deviation: dict[str, float] = {}
    if any(len(each.seconds) > 1 for each in observations):
        likely = skewness is None or skewness > _HALF_NORMAL_SKEWNESS / 2
        distribution = "half-normal" if likely else "normal"
        deviation = _deviation(observations, columns, expected, distribution)
        if not deviation:
            distribution = None
    return RoutineFit(name, observations, expected, distribution, deviation, skewness)


def _observations(names: Sequence[str], by_sizes: Mapping[tuple[int, ...], Sequence[float]]) -> tuple[Observation, ...]:
    """Return one observation per combination of sizes, with outliers separated from regular times.

    Outliers come from occasional interrupts of the operating system, which can stretch a call of one microsecond to a
    hundred. A single outlier would dominate the mean of its observation. A time is an outlier if its relative distance
    from the median of its observation exceeds a limit, which follows from the distances in all observations.
    """
    times = {sizes: np.array(seconds, float) for sizes, seconds in sorted(by_sizes.items())}
    apart = {sizes: each / np.median(each) - 1 for sizes, each in times.items() if len(each) > 2}
    usual = 1.4826 * float(np.median(np.abs(np.concatenate(list(apart.values()))))) if apart else 0.0
    limit = max(_OUTLYING * usual, _FINEST)
    found = []
    for sizes, each in times.items():
        far = apart[sizes] > limit if sizes in apart else np.zeros(len(each), bool)
        found.append(Observation(dict(zip(names, sizes, strict=True)), each[~far], each[far]))
    return tuple(found)


def model_document(
    fits: Sequence[RoutineFit], provenance: Mapping[str, str], speed: float | None = None
) -> dict[str, Any]:
    """Return the content of a model file, as read by `pysmpi.simulation.compute.blas.model`.

    Args:
        fits: fits of the routines.
        provenance: provenance of the measurements.
        speed: speed of a core in flop/s, or None for the speed of dgemm at large sizes.

    Raises:
        CalibrationError: if neither `speed` nor a fit of dgemm is given.
    """
    if speed is None:
        dgemm = next((each for each in fits if each.name == "dgemm"), None)
        if dgemm is None:
            raise CalibrationError("the speed of a core is unknown, because dgemm was not measured; give --speed")
        speed = _speed(dgemm)
    others = {key: value for key, value in provenance.items() if key not in {"machine", "library", "date"}}
    return {
        "format": FORMAT,
        "machine": provenance.get("machine") or "unknown",
        "library": provenance.get("library") or "unknown",
        "date": provenance.get("date") or "unknown",
        "provenance": others,
        "speed": speed,
        "routines": {each.name: each.entry() for each in fits},
    }


def _speed(dgemm: RoutineFit) -> float:
    """Return dgemm's flop/s at large sizes, or its highest measured flop/s if operations do not dominate the time."""
    products = _columns(dgemm.name, dgemm.observations)["m*n*k"]
    coefficient = dgemm.expected.coefficients.get("m*n*k", 0.0)
    if coefficient * products.max() > dgemm.predicted[products.argmax()] / 2:
        return 2 / coefficient
    return float((2 * products / dgemm.means).max())


def _means(observations: Sequence[Observation]) -> Vector:
    return np.array([each.seconds.mean() for each in observations])


def _columns(name: str, observations: Sequence[Observation]) -> dict[str, Vector]:
    """Return the value of each candidate term in each observation.

    Candidates are the divisors of the routine's leading term; those of ``m*n*k`` are ``m*n*k``, ``m*n``, …, ``1``.
    """
    leading = KERNELS[name].leading
    powers = {factor.partition("^")[0]: int(factor.partition("^")[2] or 1) for factor in leading.split("*")}
    found = {}
    for exponents in product(*(range(power, -1, -1) for power in powers.values())):
        factors = [
            size if each == 1 else f"{size}^{each}" for size, each in zip(powers, exponents, strict=True) if each
        ]
        values = np.ones(len(observations))
        for size, each in zip(powers, exponents, strict=True):
            values *= np.array([float(one.sizes[size]) for one in observations]) ** each
        found["*".join(factors) or "1"] = values
    return found


def _deviation(
    observations: Sequence[Observation], columns: Mapping[str, Vector], expected: Regression, distribution: str
) -> dict[str, float]:
    """Return the polynomial of the noise's standard deviation, from the mean difference of two times of the same sizes.

    Unlike distances from the polynomial, these differences contain no error of the fit. They are proportional to the
    standard deviation, so its terms can be fitted to them.
    """
    from scipy.optimize import nnls

    kept = [index for index, each in enumerate(observations) if len(each.seconds) > 1]
    distances = np.array([_mean_distance(observations[index].seconds) for index in kept]) / _DISTANCE[distribution]
    terms = [term for term in columns if term in expected.coefficients or term == "1"]
    durations = _means([observations[index] for index in kept])
    # The weights are the inverse durations, not the inverse distances, because a distance may be close to zero.
    weighted = np.column_stack([columns[term][kept] / durations for term in terms])
    lengths = np.linalg.norm(weighted, axis=0)
    found = nnls(weighted / lengths, distances / durations)[0] / lengths
    return {term: float(value) for term, value in zip(terms, found, strict=True) if value > 0}


def _mean_distance(seconds: Vector) -> float:
    """Return the mean difference of all pairs of times (Gini's mean difference)."""
    ordered = np.sort(seconds)
    count = len(ordered)
    return float(2 * np.sum((2 * np.arange(count) - count + 1) * ordered) / (count * (count - 1)))


def _skewness(observations: Sequence[Observation]) -> float | None:
    """Return the skewness of the measured times, or None if no size was measured three times.

    Each time is compared with the mean for its combination of sizes. The skewness is the third moment divided by the
    cube of the standard deviation; both are averaged over all combinations.
    """
    thirds, squares = [], []
    for each in observations:
        count = len(each.seconds)
        if count > 2:
            apart = (each.seconds - each.seconds.mean()) / each.seconds.mean()
            thirds.append(count / ((count - 1) * (count - 2)) * float(np.sum(apart**3)))
            squares.append(float(np.sum(apart**2)) / (count - 1))
    if not squares or sum(squares) <= 0:
        return None
    return float(np.mean(thirds) / np.mean(squares) ** 1.5)
