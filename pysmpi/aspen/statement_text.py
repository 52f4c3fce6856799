"""Text of parameters, traits and arguments, which both applications and machines have."""

from collections.abc import Iterable

from pysmpi.aspen.syntax_tree import Expression, List, Param, Range, Trait
from pysmpi.formulas.expressions.text import expression_text

__all__ = ["arguments_text", "param_text", "traits_text"]


def param_text(param: Param) -> str:
    """Return the statement that defines a parameter."""
    limits = ""
    match param.limits:
        case Range(low, high):
            limits = f" in {expression_text(low)} .. {expression_text(high)}"
        case str(name):
            limits = f" in {name}"
    return f"param {param.name}{'[]' * param.dimensions} = {_value(param.value)}{limits}"


def traits_text(traits: tuple[Trait, ...]) -> str:
    """Return the word "as" and traits, after a space, or an empty text without traits."""
    return f" as {', '.join(map(_trait, traits))}" if traits else ""


def _trait(trait: Trait) -> str:
    return f"{trait.name}{arguments_text(trait.arguments)}"


def arguments_text(arguments: Iterable[Expression]) -> str:
    """Return arguments in parentheses, or an empty text without arguments."""
    text = ", ".join(map(expression_text, arguments))
    return f"({text})" if text else ""


def _value(value: Expression | List) -> str:
    return f"{{{', '.join(map(_value, value.items))}}}" if isinstance(value, List) else expression_text(value)
