"""Checks before the first simulation of a study: power data (watts) for energy plugins, and prices for the analysis."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pysmpi.errors import PlatformError, PysmpiError, StudyError
from pysmpi.study.complaint import Complaint
from pysmpi.study.point_platform import machine_of
from pysmpi.study.points import Point
from pysmpi.study.study_description import Description

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["check_needs", "missing_price"]

_PLUGIN = "cfg.plugin"


def check_needs(study: Description, points: Sequence[Point]) -> None:
    """Check that each point's machine has the watts that its energy plugins need, and that all prices have values.

    Invalid machines are ignored here; the simulations of their points report the error.

    Raises:
        Complaint: watts or values are missing; `Complaint.keys` lead to the part of the description that needs them.
    """
    _check_prices(study, points)
    checks = _energy_checks()
    checked: set[tuple[str, str]] = set()
    for point in points:
        for plugin in re.split(r"[\s,]+", str(point.values.get(_PLUGIN, ""))):
            if plugin not in checks or (plugin, point.task.platform) in checked:
                continue
            checked.add((plugin, point.task.platform))
            _check_watts(study, point, plugin, checks[plugin])


def missing_price(study: Description, points: Sequence[Point]) -> Complaint | None:
    """Return a complaint about the first factor that changes the machine but has no price, or None.

    Only studies with prices are checked. This is a mere warning, because options of the analysis may give the price.
    """
    from pysmpi.study.analysis.prices import PriceList, prices_of

    if not study.prices:
        return None
    try:
        prices_of(points, study.platform_text, study.varied(), PriceList(study.prices), study.flat_derived)
    except PlatformError:
        return None  # the simulation of the point reports the invalid machine
    except StudyError as error:
        factor = next((name for name in study.varied() if str(error).startswith(f"{name} ")), None)
        table = "points" if study.points else "factors"
        return None if factor is None else Complaint([table, *factor.split(".", 1)], str(error))
    return None


def _check_prices(study: Description, points: Sequence[Point]) -> None:
    from pysmpi.study.analysis.prices import check_formulas

    for part, formula in study.prices.items():
        try:
            check_formulas({part: formula}, points)
        except StudyError as error:
            raise Complaint(["prices", part], str(error)) from None


def _energy_checks() -> Mapping[str, "Callable[[Platform], object]"]:
    from pysmpi.simulation.instruments.energy.hosts import host_powers
    from pysmpi.simulation.instruments.energy.links import link_powers

    return {"host_energy": host_powers, "link_energy": link_powers}


def _check_watts(study: Description, point: Point, plugin: str, check: "Callable[[Platform], object]") -> None:
    table = "fixed" if _PLUGIN in study.flat_fixed else "factors" if _PLUGIN in study.levels else "points"
    with ExitStack() as opened:
        try:
            machine = opened.enter_context(machine_of(point.task))
        except PysmpiError:
            return  # the machine is not valid, so that its point fails
        if study.platform_path is not None:
            machine.source = str(study.platform_path)
        try:
            check(machine)
        except PlatformError as error:
            raise Complaint([table, "cfg", "plugin"], f"plugin {plugin!r}, point {point.number}: {error}") from None
