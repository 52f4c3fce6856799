"""Formulas: what the parser accepts, values, and errors with file, line and column."""

import math

import pytest

from pysmpi.errors import ModelError
from pysmpi.formulas import Expression, Place


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3*4 - 6/4", 12.5),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("2**3**2", 512),
        ("8 - 2 - 1", 5),
        ("1e5*n*log2(n)*p**0.25", 1e5 * 64 * 6 * 2),
        ("sqrt(n) + cbrt(n)", 12),
        ("min(n, p, 3) + max(n, p)", 67),
        ("round(n / 3)", 21),
        ("(n + p)*2", 160),
        ("320·√n − 320·√n/√p", 1920),  # noqa: RUF001
        ("n÷2 × 3", 96),
        ("√√p", 2),
        (".5 + 1. + 1e-1", 1.6),
    ],
)
def test_values(text: str, value: float) -> None:
    assert Expression.parse(text).evaluate({"n": 64, "p": 16}) == pytest.approx(value, rel=1e-15)


def test_the_sides_of_a_square_are_whole() -> None:
    for side in (3, 1600, 94906265):
        assert Expression.parse("round(sqrt(n*ranks))").evaluate({"n": side, "ranks": side}) == side


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("lg2(n)", "f.toml:7:11", "unknown function 'lg2'; did you mean 'log2'?"),
        ("2*ranks", "f.toml:7:13", "unknown parameter 'ranks'"),
        ("n n", "f.toml:7:13", "expected an operator (+ - * / **), not 'n'"),
        ("n +", "f.toml:7:14", "expected a number, a name or '(', but the formula ends"),
        ("(n + 1", "f.toml:7:17", "expected ')', but the formula ends (the parenthesis at f.toml:7:11 is open)"),
        ("n^2", "f.toml:7:12", "unexpected character '^'; write ** for powers"),
        ("", "f.toml:7:11", "the formula is empty"),
        ("log2", "f.toml:7:11", "function 'log2' lacks its arguments"),
        ("log2(n, 2)", "f.toml:7:11", "log2 takes one argument, not 2"),
        ("min(n)", "f.toml:7:11", "min takes 2 or more arguments, not 1"),
        ("n.__class__", "f.toml:7:11", "unknown parameter 'n.__class__'"),
        ("n[0]", "f.toml:7:12", "unexpected character '['"),
        ("1 +\n  m", "f.toml:8:3", "unknown parameter 'm'"),
        ("1e999", "f.toml:7:11", "number '1e999' is too large"),
        ("(" * 5000 + "n", "f.toml:7:111", "more than 100 nested"),
        ("-" * 5000 + "n", "f.toml:7:111", "more than 100 nested"),
    ],
)
def test_errors(text: str, place: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        Expression.parse(text, ("p", "n"), Place("f.toml", 7, 11))
    assert str(caught.value).startswith(f"{place}: {message}")


def test_a_long_sum_is_not_nested() -> None:
    assert Expression.parse("+".join(["n"] * 20_000)).evaluate({"n": 1}) == 20_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/(n - 1)", "column 2: the formula has no value at n = 1: division by zero"),
        ("log2(n - 1)", "column 1: the formula has no value at n = 1: log2 of 0 is not a number"),
        ("(n - 3)**0.5", "column 8: the formula has no value at n = 1: -2 to the power of 0.5 is not a number"),
        ("1e300*n*1e300", "column 8: the formula has no value at n = 1: the value is too large"),
        ("10**400", "column 3: the formula has no value at any point: the value is too large"),
        ("m", "column 1: parameter 'm' has no value"),
    ],
)
def test_undefined_values(text: str, message: str) -> None:
    """A value is a finite number, or an error."""
    with pytest.raises(ModelError, match=r"^column") as caught:
        Expression.parse(text).evaluate({"n": 1})
    assert str(caught.value) == message


def test_parameters_are_in_the_order_of_use() -> None:
    assert Expression.parse("n*p + n*sqrt(size)").parameters == ["n", "p", "size"]
    assert math.isclose(Expression.parse("cfg.a*2").evaluate({"cfg.a": 4}), 8)
