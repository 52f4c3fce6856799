"""Parsers of the syntax that applications and machines share: parameters, enums, arguments, and traits after "as"."""

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.syntax_tree import Enum, Expression, List, Param, Range, Trait
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.grammar import expression

__all__ = ["arguments", "enum", "param", "traits"]

_MOST_DIMENSIONS = 2


def param(cursor: Cursor) -> Param:
    """Parse a parameter: ``param NAME = EXPRESSION in LOW .. HIGH``."""
    place = cursor.expect("param").place
    name = cursor.dotted("the name of a parameter")
    dimensions = 0
    while cursor.at("[") and dimensions < _MOST_DIMENSIONS:
        cursor.take()
        cursor.expect("]")
        dimensions += 1
    cursor.expect("=")
    value = _list(cursor) if cursor.at("{") else expression(cursor)
    depth = _depth(value)
    if depth != dimensions:
        kinds = ("a number", "a list", "a list of lists")
        brackets = f"; write {name}{'[]' * depth}" if depth <= _MOST_DIMENSIONS else ""
        given = kinds[depth] if depth < len(kinds) else "nested more deeply"
        raise error_at(value.place, f"parameter {name!r} is {kinds[dimensions]}, but its value is {given}{brackets}")
    limits: Range | str | None = None
    if cursor.accept("in"):
        low = expression(cursor)
        if cursor.accept(".."):
            limits = Range(low, expression(cursor), place=low.place)
        elif hasattr(low, "name") and not hasattr(low, "arguments"):
            limits = str(low.name)
        else:
            raise cursor.unexpected("'..'")
    return Param(name, dimensions, value, limits, place=place)


def _list(cursor: Cursor) -> List:
    place = cursor.expect("{").place
    items: list[Expression | List] = []
    with cursor.inside("list", place):
        while True:
            items.append(_list(cursor) if cursor.at("{") else expression(cursor))
            if not cursor.accept(","):
                break
        if not cursor.at("}"):
            raise cursor.unexpected("',' or '}'")
        cursor.take()
    return List(tuple(items), place=place)


def _depth(value: "Expression | List") -> int:
    if not isinstance(value, List):
        return 0
    depths = {_depth(item) for item in value.items}
    if len(depths) > 1:
        raise error_at(value.place, "a list has either numbers or lists, not both")
    return 1 + depths.pop()


def enum(cursor: Cursor) -> Enum:
    """Parse an enum, whose names stand for 0, 1, 2, …: ``enum NAME { NAME, … }``."""
    place = cursor.expect("enum").place
    name = cursor.name("the name of an enum").text
    opening = cursor.expect("{")
    values: list[str] = []
    with cursor.inside("enum", opening.place):
        while True:
            token = cursor.name("a name")
            if token.text in values:
                raise error_at(token.place, f"enum {name!r} has {token.text!r} twice")
            values.append(token.text)
            if not cursor.accept(","):
                break
        if not cursor.at("}"):
            raise cursor.unexpected("',' or '}'")
        cursor.take()
    return Enum(name, tuple(values), place=place)


def traits(cursor: Cursor) -> tuple[Trait, ...]:
    """Parse the word "as" and the traits that follow it, as in ``as dp, simd``.

    Return an empty tuple if the next word is not "as".
    """
    if not cursor.accept("as"):
        return ()
    found: list[Trait] = []
    while True:
        token = cursor.name("a trait")
        found.append(Trait(token.text, arguments(cursor), place=token.place))
        if not cursor.accept(","):
            return tuple(found)


def arguments(cursor: Cursor) -> tuple[Expression, ...]:
    """Parse expressions in parentheses, as in ``(n, 8)``.

    Return an empty tuple if the next sign is not an opening parenthesis.
    """
    opening = cursor.accept("(")
    if opening is None:
        return ()
    found: list[Expression] = []
    with cursor.inside("parenthesis", opening.place):
        if not cursor.at(")"):
            found.append(expression(cursor))
            while cursor.accept(","):
                found.append(expression(cursor))
        if not cursor.at(")"):
            raise cursor.unexpected("',' or ')'")
        cursor.take()
    return tuple(found)
