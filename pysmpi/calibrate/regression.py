"""Regression of durations: sums of terms with coefficients of zero or more, with terms chosen by cross-validation.

Relative errors are minimised, so that a call of a microsecond counts as much as one of a second. The weights are the
inverse of the expected durations, found by rounds of iteratively reweighted least squares. The inverse of the measured
durations would favour short times. Coefficients are never negative (Lawson and Hanson's NNLS).

Some sizes take much longer than any sum of terms says: a dgemm with 9 rows computes 16, because its kernel works on
tiles of 8. Least squares would raise all other durations for their sake. So errors above 1.345 times the usual error
weigh less (P. J. Huber, "Robust Estimation of a Location Parameter", 1964).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CONFIDENCE", "Regression", "coefficients_of", "regress"]

Vector = npt.NDArray[np.float64]

CONFIDENCE = 0.95
_FOLDS = 10
_ROUNDS = 30
_SETTLED = 1e-12  # relative change of the coefficients at which the rounds end
_HUBER = 1.345  # multiple of the usual error (a standard deviation, by the median error) up to which errors fully count
_EXACT = 1e-6  # least value of the usual error
_LEAST = 1e-300
_LEAST_SHARE = 1e-9  # terms are dropped that contribute at most this part of each duration


@dataclass(frozen=True)
class Regression:
    """Sum of terms fitted to durations.

    Attributes:
        coefficients: coefficients in seconds by term, all above zero.
        intervals: confidence interval of each coefficient with probability CONFIDENCE, if the chosen terms are right.
        cross_validated_error: mean absolute log(prediction / measurement) of measurements left out of the fit.
        tried: terms and cross-validated error of each sum that was tried, from one term to all terms.
    """

    coefficients: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    cross_validated_error: float
    tried: tuple[tuple[tuple[str, ...], float], ...]

    def __call__(self, columns: Mapping[str, Vector]) -> Vector:
        """Return the expected durations, given each term's values."""
        return sum(
            (value * columns[term] for term, value in self.coefficients.items()),
            start=np.zeros(len(next(iter(columns.values())))),
        )


def regress(columns: Mapping[str, Vector], leading: str, seconds: Vector) -> Regression:
    """Choose some of the terms, and return their sum fitted to durations.

    At each step, the term is added that lowers the prediction error most (10-fold cross-validation). The result is the
    shortest sum whose error is within one standard error of the least error, by paired differences of the folds
    (Breiman et al., Classification and Regression Trees, 1984, section 3.4.3).

    Args:
        columns: value of each term at each measurement.
        leading: the term that is always used.
        seconds: measured durations, above zero.
    """
    folds = np.random.default_rng(0).permutation(len(seconds)) % min(_FOLDS, len(seconds))
    chosen = [leading]
    path = [(tuple(chosen), _errors(columns, chosen, seconds, folds))]
    left = [term for term in columns if term != leading]
    while left and len(chosen) + 1 < len(seconds) - 1:
        trials = [(_errors(columns, [*chosen, term], seconds, folds), term) for term in left]
        errors, best = min(trials, key=lambda trial: float(trial[0].mean()))
        chosen.append(best)
        left.remove(best)
        path.append((tuple(chosen), errors))
    least = min((errors for _, errors in path), key=lambda errors: float(errors.mean()))
    terms, errors = next(step for step in path if _no_worse(step[1], least))
    coefficients = coefficients_of([columns[term] for term in terms], seconds)
    share = {term: value * columns[term] / seconds for term, value in zip(terms, coefficients, strict=True)}
    found = {
        term: float(value)
        for term, value in zip(terms, coefficients, strict=True)
        if share[term].max() > _LEAST_SHARE  # less is rounding error
    }
    return Regression(
        found,
        _intervals(columns, found, seconds),
        float(errors.mean()),
        tuple((terms, float(errors.mean())) for terms, errors in path),
    )


def coefficients_of(columns: Sequence[Vector], seconds: Vector) -> Vector:
    """Return the coefficients, zero or more, that minimise Huber's measure of the relative errors."""
    from scipy.optimize import nnls

    matrix = np.column_stack(columns)
    expected = seconds
    counts = np.ones(len(seconds))
    found: Vector = np.zeros(matrix.shape[1])
    for _ in range(_ROUNDS):
        weighted = matrix * (counts / expected)[:, None]
        lengths = np.maximum(np.linalg.norm(weighted, axis=0), _LEAST)
        before, found = found, nnls(weighted / lengths, counts * seconds / expected)[0] / lengths
        if np.all(np.abs(found - before) <= _SETTLED * found):
            break
        expected = np.maximum(matrix @ found, 1e-3 * seconds)  # limits the weight where the sum is nearly zero
        errors = np.abs(np.log(seconds / expected))
        usual = max(1.4826 * float(np.median(errors)), _EXACT)
        counts = np.sqrt(np.minimum(1.0, _HUBER * usual / np.maximum(errors, _LEAST)))
    return found


def _errors(columns: Mapping[str, Vector], terms: Sequence[str], seconds: Vector, folds: Any) -> Vector:
    """Return the mean absolute log(prediction / measurement) of the measurements left out, for each fold."""
    chosen = [columns[term] for term in terms]
    means = []
    for fold in range(int(folds.max()) + 1):
        out = folds == fold
        found = coefficients_of([column[~out] for column in chosen], seconds[~out])
        predicted = sum(value * column[out] for value, column in zip(found, chosen, strict=True))
        means.append(np.mean(np.abs(np.log(np.maximum(predicted, 1e-6 * seconds[out]) / seconds[out]))))
    return np.array(means)


def _no_worse(errors: Vector, least: Vector) -> bool:
    differences = errors - least
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    return float(differences.mean()) <= deviation / math.sqrt(len(differences))


def _intervals(
    columns: Mapping[str, Vector], found: Mapping[str, float], seconds: Vector
) -> dict[str, tuple[float, float]]:
    """Return Student's confidence intervals from the spread of the relative errors."""
    from scipy.stats import t as student

    expected = sum(value * columns[term] for term, value in found.items())
    weighted = np.column_stack([columns[term] / expected for term in found])
    residuals = seconds / expected - 1
    freedom = max(1, len(seconds) - len(found))
    lengths = np.linalg.norm(weighted, axis=0)
    inverse = np.linalg.pinv((weighted / lengths).T @ (weighted / lengths))
    spreads = np.sqrt(np.sum(residuals**2) / freedom * np.diag(inverse)) / lengths
    reach = float(student.ppf((1 + CONFIDENCE) / 2, freedom))
    return {
        term: (max(0.0, value - reach * float(spread)), value + reach * float(spread))
        for (term, value), spread in zip(found.items(), spreads, strict=True)
    }
