"""Parsers of the definitions in an application: data, imports, kernels and control flows."""

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.shared_grammar import param, traits
from pysmpi.aspen.step_grammar import STEP_WORDS, misspelt, need, step, steps
from pysmpi.aspen.syntax_tree import (
    Argument,
    Control,
    Data,
    Exposes,
    Expression,
    Import,
    Kernel,
    Param,
    Requires,
    Statement,
)
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.grammar import expression, quantity

__all__ = ["control", "data", "import_", "kernel"]

_KERNEL_WORDS = ("param", "data", "import", "exposes", "requires", *STEP_WORDS)


def data(cursor: Cursor) -> Data:
    """Parse data: ``data NAME [BYTES]`` or ``data NAME as Array(n, width)``."""
    place = cursor.expect("data").place
    name = cursor.dotted("the name of data")
    if cursor.at("["):
        return Data(name, quantity(cursor), place=place)
    if not cursor.at("as"):
        raise cursor.unexpected("'[' or 'as'")
    found = traits(cursor)
    for trait in found:
        if not trait.arguments:
            raise error_at(trait.place, f"{trait.name!r} has no arguments; write {trait.name}(count, bytes)")
    return Data(name, None, found, place=place)


def import_(cursor: Cursor) -> Import:
    """Parse an import: ``import NAME from "FILE" with NAME = EXPRESSION, …``."""
    place = cursor.expect("import").place
    name = cursor.name("a name for the imported model").text
    cursor.expect("from")
    if cursor.token.kind != "string":
        raise cursor.unexpected('a file in quotes, such as "fft3d.aspen"')
    path = cursor.take().text
    values: list[tuple[str, Expression]] = []
    if cursor.accept("with"):
        while True:
            replaced = cursor.dotted("the name of a parameter")
            cursor.expect("=")
            values.append((replaced, expression(cursor)))
            if not cursor.accept(","):
                break
    return Import(name, path, tuple(values), place=place)


def control(cursor: Cursor) -> Control:
    """Parse a control flow: ``control NAME { STEPS }``."""
    word = cursor.expect("control")
    name = cursor.name("the name of a control flow").text
    cursor.expect("{")
    body = steps(cursor, "control flow", word)
    cursor.take()
    return Control(name, body, place=word.place)


def kernel(cursor: Cursor) -> Kernel:
    """Parse a kernel: ``kernel NAME(ARGUMENTS) { STATEMENTS }``."""
    word = cursor.expect("kernel")
    name = cursor.dotted("the name of a kernel")
    found = _arguments(cursor, name) if cursor.at("(") else ()
    cursor.expect("{")
    body: list[Statement] = []
    with cursor.inside("kernel", word.place):
        while not cursor.at("}"):
            if cursor.token.kind != "name" and not cursor.at("{"):
                raise misspelt(cursor, list(body), _KERNEL_WORDS) or cursor.unexpected("a step or '}'", _KERNEL_WORDS)
            body.append(_statement(cursor))
        cursor.take()
    _check_clauses(name, body)
    return Kernel(name, found, tuple(body), place=word.place)


def _arguments(cursor: Cursor, kernel_name: str) -> tuple[Argument, ...]:
    opening = cursor.take()
    found: list[Argument] = []
    with cursor.inside("parenthesis", opening.place):
        while not cursor.at(")"):
            token = cursor.token
            kind = ""
            if cursor.at("param", "data") and cursor.ahead().kind == "name":
                kind = cursor.take().text
            name = cursor.dotted("the name of an argument")
            if any(name == other.name for other in found):
                raise error_at(token.place, f"kernel {kernel_name!r} has the argument {name!r} twice")
            found.append(Argument(name, kind, place=token.place))
            if cursor.accept(","):
                if cursor.at(")"):
                    raise cursor.unexpected("an argument")
            elif not cursor.at(")"):
                raise cursor.unexpected("',' or ')'")
        cursor.take()
    return tuple(found)


def _statement(cursor: Cursor) -> Statement:
    place = cursor.token.place
    if cursor.at("param"):
        return param(cursor)
    if cursor.at("data"):
        return data(cursor)
    if cursor.at("import"):
        return import_(cursor)
    if cursor.accept("exposes"):
        cursor.expect("parallelism")
        parallelism = quantity(cursor)
        return Exposes(parallelism, traits(cursor), place=place)
    if cursor.accept("requires"):
        return Requires(need(cursor), place=place)
    return step(cursor)


def _check_clauses(name: str, body: list[Statement]) -> None:
    known: dict[str, int] = {}
    for each in body:
        if isinstance(each, Param):
            if each.name in known:
                raise error_at(
                    each.place, f"kernel {name!r} defines {each.name!r} twice (first in line {known[each.name]})"
                )
            known[each.name] = each.place.line
    exposed = [each for each in body if isinstance(each, Exposes)]
    if len(exposed) > 1:
        raise error_at(
            exposed[1].place,
            f"kernel {name!r} exposes parallelism twice (first in line {exposed[0].place.line})",
        )
