"""Measurements to which a model is fitted: points (a value of each parameter), and the measured value at each point."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy

from pysmpi.errors import ModelError
from pysmpi.formulas.growth.normal_form import Array

__all__ = ["Lines", "Measurements"]

_LEAST = 1e-6  # least divisor of relative errors, as a part of the largest value


@dataclass(frozen=True)
class Lines:
    """Measurements along one parameter, for several fixed combinations of the other parameters.

    Attributes:
        places: (m,) values of the parameter, ascending.
        values: (m, lines) measured values, with a column (line) for each combination of the other parameters.
    """

    places: Array
    values: Array


@dataclass(frozen=True)
class Measurements:
    """Measurements of one quantity at several points, where a point is a value of each parameter.

    Attributes:
        parameters: names of the parameters.
        points: (points, parameters) values of the parameters, positive; all points differ, in ascending order.
        values: (points,) measured values.
    """

    parameters: tuple[str, ...]
    points: Array
    values: Array

    @classmethod
    def of(
        cls, parameters: Sequence[str], points: Sequence[Sequence[float]], values: Sequence[float]
    ) -> "Measurements":
        """Return measurements from lists; values at the same point are replaced by their mean.

        Args:
            parameters: names of the parameters.
            points: values of the parameters for each measurement.
            values: measured value of each measurement.

        Raises:
            ModelError: there are no points, or a number is not finite, or a coordinate is not positive.
        """
        names = tuple(parameters)
        by_point: dict[tuple[float, ...], list[float]] = {}
        for point, value in zip(points, values, strict=True):
            coordinates = tuple(float(each) for each in point)
            if len(coordinates) != len(names):
                raise ModelError(f"point {list(point)} has {len(coordinates)} coordinates for {len(names)} parameters")
            if not all(0 < each < float("inf") for each in coordinates):
                raise ModelError(f"point {list(point)} has a coordinate that is not a positive number")
            if not abs(value) < float("inf"):
                raise ModelError(f"value {value} at point {list(point)} is not a finite number")
            by_point.setdefault(coordinates, []).append(float(value))
        if not by_point:
            raise ModelError("no points are given; a model needs measurements")
        ordered = sorted(by_point)
        means = [sum(by_point[point]) / len(by_point[point]) for point in ordered]
        return cls(names, numpy.array(ordered).reshape(len(ordered), len(names)), numpy.array(means))

    @cached_property
    def scales(self) -> Array:
        """(points,) positive numbers by which errors are divided to get relative errors.

        They are the magnitudes of the values, but at least 1e-6 of the largest one.
        """
        sizes: Array = numpy.abs(self.values)
        floor = _LEAST * sizes.max()
        return numpy.maximum(sizes, floor if floor > 0 else 1.0)

    def only(self, kept: Array) -> "Measurements":
        """Return the measurements at some points.

        Args:
            kept: (points,) True for these points.
        """
        return Measurements(self.parameters, self.points[kept], self.values[kept])

    def places(self, column: int) -> Array:
        """Return the different measured values of one parameter, ascending.

        Args:
            column: index of the parameter.
        """
        return numpy.unique(self.points[:, column])

    def lines(self, column: int) -> Lines:
        """Return measurements along one parameter, for several fixed combinations of the other parameters.

        Only combinations that were measured at the same values of the parameter are returned. Of several such sets, the
        one with the most values of the parameter is chosen, then the one with the most combinations.

        Args:
            column: index of the parameter.
        """
        others = numpy.delete(self.points, column, axis=1)
        by_line: dict[tuple[float, ...], dict[float, float]] = {}
        for rest, point, value in zip(others, self.points, self.values, strict=True):
            by_line.setdefault(tuple(rest), {})[float(point[column])] = float(value)
        by_places: dict[tuple[float, ...], list[list[float]]] = {}
        for line in by_line.values():
            by_places.setdefault(tuple(line), []).append(list(line.values()))
        best = max(by_places, key=lambda places: (len(places), len(by_places[places])))
        return Lines(numpy.array(best), numpy.array(by_places[best]).T)
