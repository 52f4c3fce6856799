"""Growth of counts with one parameter: exact functions are found, and small deviations are not followed."""

import math

import pytest

from pysmpi.formulas.growth.one_parameter import fit_growth


@pytest.mark.parametrize(
    "function",
    [
        lambda n: 6 * n,
        lambda n: 3 * n**2 + 7,
        lambda n: 5 * math.sqrt(n),
        lambda n: n * math.log2(n),
        lambda n: 12 * (n - 2),
        lambda n: 6 * n**2 - 3 * n,
        lambda n: 4 * (n - 2) ** 2,
        lambda n: n**2 + 12 * n + 315,
        lambda n: n**2 * math.log2(n) + 3 * n**2,
        lambda n: 42,
        lambda n: 0,
    ],
)
def test_exact_functions_are_found(function) -> None:  # type: ignore[no-untyped-def]
    sizes = [64, 128, 192, 256]
    found = fit_growth(sizes, [function(n) for n in sizes])
    assert found.value(32768) == pytest.approx(function(32768), rel=1e-9)
    assert found.error == 0.0


def test_small_deviations_are_not_followed() -> None:
    """A term that grows fast explains deviations of a few percent, and would be all of the figure at large sizes."""
    found = fit_growth([256, 320, 384, 512], [659.0, 667.0, 661.0, 675.0])
    assert found.value(10**7) < 2 * 675


def test_error_of_measurements_without_a_function() -> None:
    assert fit_growth([1, 2, 3, 4], [1.0, 90.0, 2.0, 70.0]).error > 0.25
