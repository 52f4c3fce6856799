"""Texts of expressions and conditions from their syntax trees, with no more parentheses than needed."""

from pysmpi.formulas.expressions.dialect import Strength
from pysmpi.formulas.expressions.tree import (
    Comparison,
    Condition,
    Expression,
    Function,
    Index,
    Junction,
    Name,
    Negation,
    Number,
    Power,
    Product,
    Sum,
)

__all__ = ["Notation", "condition_text", "expression_text", "number_text"]


def number_text(value: float) -> str:
    """Return a number with all digits, as an expression that has this value."""
    if value == int(value) and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value)).replace("e+", "e")


class Notation:
    """Notation of expressions in formulas; subclasses override its methods for other languages, such as Python."""

    power = "^"

    def number(self, value: float) -> str:
        """Return the text of a number."""
        return number_text(value)

    def base(self, node: Expression) -> str:
        """Return the text of the base of a power."""
        return self.text(node, Strength.PRIMARY)

    def name(self, node: Name | Index) -> str:
        """Return the text of a parameter, or of an element of a list."""
        return node.name if isinstance(node, Name) else node.name + "".join(f"[{self.text(i)}]" for i in node.indices)

    def text(self, node: Expression, least: Strength = Strength.SUM) -> str:
        """Return an expression as text.

        Args:
            node: the expression.
            least: precedence of the operation around it; if its own is lower, it gets parentheses.
        """
        strength, text = self.parts(node)
        return f"({text})" if strength < least else text

    def parts(self, node: Expression) -> tuple[Strength, str]:
        """Return the precedence of the outermost operation, and the text without parentheses around it."""
        match node:
            case Number(value):
                return (Strength.PRIMARY if value >= 0 else Strength.SIGNED), self.number(value)
            case Name() | Index():
                return Strength.PRIMARY, self.name(node)
            case Function(name, arguments):
                return Strength.PRIMARY, f"{name}({', '.join(map(self.text, arguments))})"
            case Negation(operand):
                return Strength.SIGNED, f"-{self.text(operand, Strength.SIGNED)}"
            case Power(base, exponent):
                return Strength.SIGNED, f"{self.base(base)}{self.power}{self.text(exponent, Strength.SIGNED)}"
            case Sum(first, rest) | Product(first, rest):
                strength = Strength.SUM if isinstance(node, Sum) else Strength.PRODUCT
                inner = Strength(strength + 1)
                parts = "".join(f" {sign} {self.text(each, inner)}" for sign, each in rest)
                return strength, self.text(first, inner) + parts

    def condition(self, node: Condition) -> str:
        """Return a condition as text."""
        match node:
            case Comparison(left, sign, right):
                return f"{self.text(left)} {sign} {self.text(right)}"
            case Junction(word, parts):
                texts = ((each, self.condition(each)) for each in parts)
                return f" {word} ".join(f"({text})" if isinstance(each, Junction) else text for each, text in texts)


expression_text = Notation().text
condition_text = Notation().condition
