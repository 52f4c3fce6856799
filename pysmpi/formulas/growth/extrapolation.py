"""Search for models of measurements that no formula fits exactly, chosen by their error of extrapolation.

Models are used for extrapolation. So a model is fitted without the measurements at the largest values of a parameter,
and has to predict these. Its error is the largest one there, of the model itself and of models that were also chosen
without these measurements. Leaving out single points instead would favour formulas that are far off beyond the data.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy

from pysmpi.formulas.growth.candidates import plain_candidates
from pysmpi.formulas.growth.data_points import Measurements
from pysmpi.formulas.growth.exact import design
from pysmpi.formulas.growth.leave_one_out import solve
from pysmpi.formulas.growth.normal_form import Array, Growth, NormalForm, Term
from pysmpi.formulas.growth.shortlist import shortlist

__all__ = ["Foretold", "foretelling_form"]

_GAIN = 0.7  # a model with one more term must have at most this share of the error
_CANCELLING = 3  # largest sum of the terms' magnitudes, as a multiple of the model's value at the largest point
_MOST_TERMS = 4
_LEAST_PLACES = 4  # least number of values of a parameter for which a model is also chosen without the largest one

Products = Sequence[tuple[Growth, ...]]


@dataclass(frozen=True)
class Foretold:
    """Model with the error of its extrapolation to the largest values of the parameters.

    Attributes:
        form: model, fitted to all points.
        error: largest relative error: of this model at all points, of fits of its terms without the largest values of
            a parameter at these values, and of models that were chosen without these values.
        places: for each parameter, the values that were left out of a fit and predicted; empty if there are too few.
    """

    form: NormalForm
    error: float
    places: dict[str, list[float]]


def foretelling_form(measured: Measurements) -> Foretold:
    """Return the model with the least error of extrapolation to the largest values of the parameters.

    The choice of a model makes its own error look small: of many models, one predicts the largest values by chance.
    So models are also chosen without these values, and the error of what they predict there counts, too.
    """
    trial, products = _search(measured)
    error = max([trial.worst(products), *_errors_of_search(measured)])
    return Foretold(trial.form(products), error, trial.places())


def _search(measured: Measurements) -> "tuple[_Trial, Products]":
    """Search for the terms of a model with the least error of extrapolation.

    Each further term has to reduce the error to at most 0.7 of its value.

    Returns:
        The `_Trial` that computed the errors, and the terms without coefficients: a function of each parameter.
    """
    trial = _Trial(measured)
    best: dict[int, tuple[float, Products]] = {}
    for sets in itertools.product(*(shortlist(measured, column) for column in range(len(measured.parameters)))):
        for products in _subsets(list(itertools.product(*sets))):
            error = trial.error(products)
            if error < best.get(len(products), (numpy.inf, ()))[0] and not trial.cancels(products):
                best[len(products)] = (error, products)
    if not best:  # all extrapolated values are zero
        best = {1: (numpy.inf, [tuple(plain_candidates(measured.places(0))[0] for _ in measured.parameters)])}
    error, products = best[min(best)]
    for size in sorted(best):
        if best[size][0] < error * _GAIN ** (size - len(products)):
            error, products = best[size]
    return trial, products


def _errors_of_search(measured: Measurements) -> Iterator[float]:
    """Yield an error for each parameter: that of predicting the measurements at its largest value.

    The model that predicts them is chosen and fitted without these measurements; the largest relative error counts.
    """
    for column in range(len(measured.parameters)):
        places = measured.places(column)
        if len(places) < _LEAST_PLACES:
            continue
        known = measured.points[:, column] < places[-1]
        trial, products = _search(measured.only(known))
        predicted = trial.form(products).values(measured.points[~known])
        yield float(numpy.max(numpy.abs(predicted - measured.values[~known]) / measured.scales[~known]))


@dataclass(frozen=True)
class _Fold:
    """Division of the points at one value of a parameter into points to fit and points to predict.

    Attributes:
        column: index of the parameter.
        place: the value of the parameter.
        fitted: (points,) True for points at smaller values of the parameter.
        following: (points,) True for points at this value.
        larger: (points,) True for points at this or a larger value.
    """

    column: int
    place: float
    fitted: Array
    following: Array
    larger: Array


class _Trial:
    """Computation of the errors of different models of the same measurements.

    Args:
        measured: the measurements.
    """

    def __init__(self, measured: Measurements) -> None:
        self._measured = measured
        self._folds = list(_folds(measured))
        self._values = measured.values / measured.scales

    def places(self) -> dict[str, list[float]]:
        """Return, by the name of a parameter, its values that are left out of a fit and then predicted."""
        names = enumerate(self._measured.parameters)
        return {name: [fold.place for fold in self._folds if fold.column == column] for column, name in names}

    def form(self, products: Products) -> NormalForm:
        """Return the formula whose coefficients are fitted to all points.

        Args:
            products: terms without coefficients: each has a function of each parameter.
        """
        coefficients = self.coefficients(products)
        terms = (Term(float(c), product) for c, product in zip(coefficients, products, strict=True))
        return NormalForm(self._measured.parameters, tuple(terms))

    def coefficients(self, products: Products) -> Array:
        return solve(self._functions(products), self._values)

    def cancels(self, products: Products) -> bool:
        """Return whether the terms of a model nearly cancel each other at the point with the largest parameters.

        That is so if the sum of their magnitudes exceeds three times the value of the model there. Then predictions for
        larger parameters are unreliable.

        Args:
            products: terms without coefficients: each has a function of each parameter.
        """
        functions = self._functions(products)
        parts = functions * self.coefficients(products)
        points = self._measured.points
        row = int((points / points.max(axis=0)).prod(axis=1).argmax())
        return bool(numpy.abs(parts[row]).sum() > _CANCELLING * abs(parts[row].sum()))

    def error(self, products: Products) -> float:
        """Return the error of extrapolation by which models are compared.

        The model is fitted to the points below a value of a parameter and predicts the points at this value; the result
        is the root of the mean squared relative error of all these predictions.

        Args:
            products: terms without coefficients: each has a function of each parameter.
        """
        errors = self._errors(products)
        squares = [numpy.mean(each[fold.following] ** 2) for each, fold in zip(errors, self._folds, strict=False)]
        return float(numpy.sqrt(numpy.mean(squares or [numpy.mean(errors[0] ** 2)])))

    def worst(self, products: Products) -> float:
        """Return the largest relative error of a model: of its fit to all points, and of all its extrapolations.

        Args:
            products: terms without coefficients: each has a function of each parameter.
        """
        errors = self._errors(products)
        larger = [each[fold.larger].max() for each, fold in zip(errors, self._folds, strict=False)]
        return float(max([*larger, errors[-1].max()]))

    def _errors(self, products: Products) -> list[Array]:
        """Return the relative errors of a model at all points: one array for each fit without the largest values of a
        parameter, and a last one for the fit to all points. `products` are the model's terms without coefficients."""
        functions = self._functions(products)
        lengths = numpy.sqrt((functions**2).sum(axis=0))
        functions = functions / numpy.where(lengths > 0, lengths, 1)
        errors: list[Array] = []
        for fitted in [*(fold.fitted for fold in self._folds), numpy.ones(len(functions), dtype=bool)]:
            if fitted.sum() < len(products):
                errors.append(numpy.full(len(functions), numpy.inf))
                continue
            found = numpy.linalg.lstsq(functions[fitted], self._values[fitted], rcond=None)[0]
            errors.append(numpy.abs(functions @ found - self._values))
        return errors

    def _functions(self, products: Products) -> Array:
        result: Array = numpy.stack([self._column(product) for product in products], axis=1)
        return result

    def _column(self, product: tuple[Growth, ...]) -> Array:
        if product not in self._columns:
            self._columns[product] = design([product], self._measured)[:, 0] / self._measured.scales
        return self._columns[product]

    @cached_property
    def _columns(self) -> dict[tuple[Growth, ...], Array]:
        return {}


def _folds(measured: Measurements) -> Iterator[_Fold]:
    """Yield divisions of the points into points to fit and points to predict.

    For each parameter, points at its largest value are predicted from those at smaller values, and the same is done
    for its second largest value. At least two smaller values are needed.
    """
    for column in range(len(measured.parameters)):
        places = measured.places(column)
        x = measured.points[:, column]
        for place in places[max(2, len(places) - 2) :]:
            yield _Fold(column, float(place), x < place, x == place, x >= place)


def _subsets(products: list[tuple[Growth, ...]]) -> Iterator[Products]:
    for size in range(1, min(len(products), _MOST_TERMS) + 1):
        yield from itertools.combinations(products, size)
