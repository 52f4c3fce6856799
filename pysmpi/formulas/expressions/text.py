"""Conversion of syntax trees of expressions and conditions to text, with no more parentheses than needed."""

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
    """Return a number as text with all digits, so that parsing the text gives the same number: "3", "0.1", "1e20"."""
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
        """Return the text of the base of a power, such as "n" or "(n + 1)"."""
        return self.text(node, Strength.PRIMARY)

    def name(self, node: Name | Index) -> str:
        """Return the text of a parameter, such as "n", or of an element of a list, such as "sizes[2]"."""
        return node.name if isinstance(node, Name) else node.name + "".join(f"[{self.text(i)}]" for i in node.indices)

    def text(self, node: Expression, least: Strength = Strength.SUM) -> str:
        """Return an expression as text.

        Args:
            node: the expression.
            least: precedence that an operator beside it requires. If the outermost operation of the expression has a
                lower one, the text gets parentheses.
        """
        strength, text = self.parts(node)
        return f"({text})" if strength < least else text

    def parts(self, node: Expression) -> tuple[Strength, str]:
        """Return the precedence of an expression's outermost operation, and its text without parentheses around it."""
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
