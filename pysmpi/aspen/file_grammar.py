"""Parser of whole files: applications, machines and mappings, in both dialects of Aspen."""

import difflib
from collections.abc import Callable

from pysmpi.aspen.application_grammar import control, data, import_, kernel
from pysmpi.aspen.aspen_dialect import ASPEN, Place, Token, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_grammar import TYPES, component, include, singular
from pysmpi.aspen.shared_grammar import enum, param
from pysmpi.aspen.syntax_tree import (
    Application,
    Component,
    Control,
    Data,
    Expression,
    File,
    Import,
    Item,
    Kernel,
    Mapping,
    Param,
)
from pysmpi.errors import did_you_mean, nearest
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.grammar import whole_expression

__all__ = ["parse", "parse_expression"]

_RULES: dict[str, Callable[[Cursor], Item]] = {
    "param": param,
    "enum": enum,
    "data": data,
    "import": import_,
    "kernel": kernel,
    "control": control,
}
_WORDS = (*_RULES, "include", "model")
_ALIKE = 0.75  # a word counts as misspelt if its similarity to a word of the grammar, by difflib, is at least this


def parse(text: str, file: str) -> File:
    """Return the syntax tree of a file's text.

    Args:
        text: contents of an application, a machine, a part of either, or a mapping.
        file: name of the file, for errors.

    Raises:
        AspenError: the text is not valid; the message begins with file and line.
    """
    cursor = Cursor(text, ASPEN, Place(file, 1))
    items: list[Item] = []
    while cursor.token.kind != "end":
        items.append(_item(cursor))
    _check_one_kind(items)
    return File(tuple(items))


def parse_expression(text: str, file: str) -> Expression:
    """Return the syntax tree of an expression.

    Args:
        text: an expression such as ``2^16``.
        file: description of the text's origin, for errors.

    Raises:
        AspenError: the text is not an expression.
    """
    return whole_expression(Cursor(text, ASPEN, Place(file, 1)))


def _item(cursor: Cursor) -> Item:
    token = cursor.token
    if token.kind == "name":
        if token.text == "model":
            return _model(cursor)
        if token.text in _RULES:
            return _RULES[token.text](cursor)
        if token.text == "include" and cursor.ahead().kind == "end":
            cursor.take()
            raise cursor.unexpected("a file, such as memory/ddr3.aspen")
        if token.text == "include" and cursor.ahead().kind in ("path", "string"):
            return include(cursor)
        if cursor.ahead().kind == "name" and cursor.ahead(2).text == "{":
            return _component(cursor)
        if cursor.ahead().kind == "name" and (hint := _hint(token)):
            raise error_at(token.place, f"no statement begins with {token}{hint}")
    raise cursor.unexpected("a statement of an application or a component of a machine", _WORDS)


def _component(cursor: Cursor) -> Component:
    token = cursor.token
    try:
        return component(cursor)
    except AspenError:
        if hint := _hint(token):
            raise error_at(token.place, f"no statement begins with {token}{hint}") from None
        raise


def _hint(token: Token) -> str:
    similar = _misspelt(token.text)
    return f"; did you mean {similar!r}?" if similar else ""


def _misspelt(word: str) -> str | None:
    """Return the keyword that the first word of a statement probably means, such as "kernel" for "kernal".

    Return None if the word is a keyword or a known type of components, or is similar to no keyword.
    """
    similar = nearest(word, _WORDS)
    if similar is None or similar == word or singular(word) in TYPES:
        return None
    return similar if difflib.SequenceMatcher(None, word.lower(), similar).ratio() >= _ALIKE else None


def _model(cursor: Cursor) -> Application | Mapping:
    word = cursor.take()
    name = cursor.name("the name of the model").text
    cursor.expect("{")
    items: list[Item] = []
    with cursor.inside("model", word.place):
        while not cursor.at("}"):
            if cursor.at("data", "kernel") and cursor.ahead().text == "{":
                return _mapping(cursor, word, name, items)
            if not cursor.at(*_RULES):
                raise cursor.unexpected("a statement or '}'", tuple(_RULES))
            items.append(_RULES[cursor.token.text](cursor))
        cursor.take()
    return Application(name, tuple(items), place=word.place)


def _mapping(cursor: Cursor, word: Token, name: str, items: list[Item]) -> Mapping:
    params = tuple(each for each in items if isinstance(each, Param))
    if len(params) < len(items):
        raise error_at(cursor.token.place, f"{cursor.token} begins a mapping, but follows statements of an application")
    mapped: dict[str, tuple[tuple[str, str], ...]] = {}
    while token := cursor.accept("data", "kernel"):
        if token.text in mapped:
            raise error_at(token.place, f"the mapping has {token} twice")
        mapped[token.text] = _pairs(cursor, token)
    cursor.expect("}")
    return Mapping(name, params, mapped.get("data"), mapped.get("kernel"), place=word.place)


def _pairs(cursor: Cursor, word: Token) -> tuple[tuple[str, str], ...]:
    cursor.expect("{")
    found = []
    with cursor.inside(word.text, word.place):
        while not cursor.at("}"):
            cursor.expect("map")
            name = cursor.dotted("the name of data" if word.text == "data" else "the name of a kernel")
            cursor.expect("to")
            found.append((name, cursor.dotted("the name of a component")))
        cursor.take()
    return tuple(found)


def _check_one_kind(items: list[Item]) -> None:
    """Check that a file is not both an application and a machine."""
    kinds = [
        (number, item)
        for number, item in enumerate(items)
        if isinstance(item, Component | Data | Import | Kernel | Control | Application)
    ]
    components = [(number, item) for number, item in kinds if isinstance(item, Component)]
    others = [(number, item) for number, item in kinds if not isinstance(item, Component)]
    if components and others:
        _, wrong = max(components[0], others[0], key=lambda each: each[0])
        if isinstance(wrong, Component):
            hint = did_you_mean(wrong.type, _WORDS)
            raise error_at(wrong.place, f"an application cannot have components such as {wrong.type!r}{hint}")
        noun = type(wrong).__name__.lower()
        raise error_at(wrong.place, f"a machine file cannot have a {noun}; write the application into another file")
    if not any(singular(each.type) in TYPES for _, each in components):
        for _, each in components:
            if similar := _misspelt(each.type):
                raise error_at(each.place, f"no statement begins with {each.type!r}; did you mean {similar!r}?")
