"""Conversion of parameters, traits and arguments to Aspen source text, for both applications and machines."""

from collections.abc import Iterable

from pysmpi.aspen.syntax_tree import Expression, List, Param, Range, Trait
from pysmpi.formulas.expressions.text import expression_text

__all__ = ["arguments_text", "param_text", "traits_text"]


def param_text(param: Param) -> str:
    """Return the statement that defines a parameter, such as ``param n = 8 in 1 .. 20``."""
    limits = ""
    match param.limits:
        case Range(low, high):
            limits = f" in {expression_text(low)} .. {expression_text(high)}"
        case str(name):
            limits = f" in {name}"
    return f"param {param.name}{'[]' * param.dimensions} = {_value(param.value)}{limits}"


def traits_text(traits: tuple[Trait, ...]) -> str:
    """Return a space, "as" and the traits, such as " as dp, simd", or an empty string if there are no traits."""
    return f" as {', '.join(map(_trait, traits))}" if traits else ""


def _trait(trait: Trait) -> str:
    return f"{trait.name}{arguments_text(trait.arguments)}"


def arguments_text(arguments: Iterable[Expression]) -> str:
    """Return arguments in parentheses, such as "(n, 8)", or an empty string if there are no arguments."""
    text = ", ".join(map(expression_text, arguments))
    return f"({text})" if text else ""


def _value(value: Expression | List) -> str:
    return f"{{{', '.join(map(_value, value.items))}}}" if isinstance(value, List) else expression_text(value)
