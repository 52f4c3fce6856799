"""Cost of counting requirements, and the search for formulas of them, beside Extra-P where it is installed."""

import itertools
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy
from rows import Context, Row
from sides import FAT_TREE, HERE, Outcome, ours

from pysmpi.formulas import Expression, Model, NormalForm, Series, Term, fit, write_extrap
from pysmpi.formulas.extrap_command import run_extrap
from pysmpi.formulas.growth.candidates import RISING

__all__ = ["rows"]

FORMS, NOISY = 200, 100
NAMES = ("p", "n")
POINTS = [(float(p), float(n)) for p, n in itertools.product((4, 8, 16, 32, 64), (256, 512, 1024, 2048, 4096))]
FAR = {"p": 6400.0, "n": 4096.0}
NOISE = 0.02
AS_EXACT = 1e-6


LINPACK = str(HERE.parent / "apps" / "hpl" / "hpl.py")


def rows(context: Context) -> Iterator[Row]:
    """Yield the cost of counting, and rows on formulas."""
    yield from _counting(context)
    yield from _formulas()


def _counting(context: Context) -> Iterator[Row]:
    plain, counted = _both("flat:1", 1, "requirements/sums.py")
    ratio = counted.told["seconds"] / plain.told["seconds"]
    yield Row("a + b on 10 numbers, counted over not counted", ratio, "x", None, most=1.3)
    ranks = context.ranks(1024)
    ranks -= ranks % 16
    if not ranks:
        return
    plain, counted = _both(FAT_TREE, ranks, LINPACK, "--n", 8000, "--p", 16, "--q", ranks // 16)
    name = f"Linpack N=8,000 on 16x{ranks // 16}, counted over not counted"
    yield Row(name, counted.seconds / plain.seconds, "x", None, most=1.3)
    yield Row(f"{name}, memory", (counted.peak - plain.peak) / 1e6, "MB", None, most=100)


def _both(platform: str, ranks: int, *words: str | int) -> tuple[Outcome, Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        counting = ["--requirements", str(Path(folder, "needs.json"))]
        return ours(platform, ranks, *words), ours(platform, ranks, *words, options=counting)


def _formulas() -> Iterator[Row]:
    """Yield how many drawn forms are not found exactly, and how far extrapolations go astray with noise."""
    forms = _drawn(FORMS)
    clear = [form.values(numpy.array(POINTS)).tolist() for form in forms]
    found, seconds = _fitted(clear)
    lost = sum(not model.exact or _error(model.form, form) > AS_EXACT for model, form in zip(found, forms, strict=True))
    share = f"{100 * (1 - lost / FORMS):.1f} % found"
    yield Row(f"{FORMS} forms of 1 to 3 terms, not found exactly", lost, "forms", None, most=FORMS // 20, note=share)
    yield Row("a form that is exact, slowest", seconds, "s", None, most=1)
    random = numpy.random.default_rng(2018)
    noisy = [(values * (1 + NOISE * random.standard_normal(len(POINTS)))).tolist() for values in clear[:NOISY]]
    found, seconds = _fitted(noisy)
    errors = [_error(model.form, form) for model, form in zip(found, forms, strict=False)]
    theirs = _by_extrap(noisy, forms)
    beside = f"Extra-P {100 * statistics.median(theirs):.3g} %" if theirs else "Extra-P is not installed"
    yield Row(
        f"{NOISY} forms with 2 % noise, median error at 100 times p", 100 * statistics.median(errors), "%", None,
        most=100 * statistics.median(theirs) if theirs else None, note=beside,
    )  # fmt: skip
    yield Row("a form with noise, slowest", seconds, "s", None, most=3)


def _drawn(count: int) -> list[NormalForm]:
    random = numpy.random.default_rng(24)
    forms = []
    for _ in range(count):
        chosen = random.choice(len(RISING), size=(random.integers(1, 4), 2))
        coefficients = 10 ** random.uniform(-1, 6, len(chosen))
        terms = [
            Term(float(f"{c:.4g}"), (RISING[i], RISING[j])) for c, (i, j) in zip(coefficients, chosen, strict=True)
        ]
        forms.append(NormalForm(NAMES, tuple(terms)))
    return forms


def _fitted(measured: Sequence[Sequence[float]]) -> tuple[list[Model], float]:
    """Return the models, and the processor time of the slowest one."""
    models, slowest = [], 0.0
    for values in measured:
        began = time.process_time()
        models.append(fit(NAMES, POINTS, values))
        slowest = max(slowest, time.process_time() - began)
    return models, slowest


def _by_extrap(measured: Sequence[Sequence[float]], forms: Sequence[NormalForm]) -> list[float]:
    """Return the errors of Extra-P's models, or an empty list if it is not installed."""
    if shutil.which("extrap") is None:
        return []
    series = [
        Series("main", f"form{number:03}", POINTS, [[value] for value in values])
        for number, values in enumerate(measured)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "measurements.json")
        write_extrap(path, NAMES, series)
        found = {metric: formula for _, metric, formula, _ in run_extrap(path)}
    return [
        abs(Expression.parse(found[each.metric], NAMES).evaluate(FAR) / form.value(FAR) - 1)
        for each, form in zip(series, forms, strict=False)
    ]


def _error(found: NormalForm, form: NormalForm) -> float:
    return abs(found.value(FAR) / form.value(FAR) - 1)
