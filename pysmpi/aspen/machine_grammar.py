"""Parsers of a machine's components and of the statements inside them, in both dialects of Aspen."""

from collections.abc import Callable

from pysmpi.aspen.aspen_dialect import Token, error_at
from pysmpi.aspen.shared_grammar import param, traits
from pysmpi.aspen.syntax_tree import (
    Component,
    Conflict,
    Connect,
    Connected,
    Figure,
    Include,
    Linked,
    Member,
    Part,
    Property,
    Rate,
    Resource,
    TraitCost,
    Watts,
)
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.grammar import expression, quantity

__all__ = ["LINKS", "NETWORKS", "TYPES", "component", "include", "singular"]

TYPES = ("core", "memory", "cache", "link", "interconnect", "network", "node", "socket", "machine")
"""Types of components that matter when times are computed. A machine may have components of other types, too."""

NETWORKS = ("interconnect", "network")
"""Types of components that carry messages."""

LINKS = ("link", *NETWORKS)
"""Types of components that a socket may be linked with."""

_FIGURES = ("capacity", "latency", "bandwidth")
_PLURALS = {**{f"{each}s": each for each in TYPES}, "memories": "memory"}
_NOT_EXPECTED = "a member of the component or '}'"
_WORDS = ("property", "conflict", "static", "dynamic", "resource", "linked", "connected", "connect")
_FOLLOWING = {"linked": "'with'", "connected": "'with'", "static": "'power'", "dynamic": "'power'"}
_RESERVED = frozenset(
    (*_WORDS, "private", "shared", "with", "as", "of", "param")
)  # words that cannot be names or types of components


def singular(word: str) -> str:
    """Return the singular of a known type's plural, such as "node" for "nodes", and any other word unchanged."""
    return _PLURALS.get(word, word)


def include(cursor: Cursor) -> Include:
    """Parse an include: ``include memory/ddr3.aspen``, with or without quotes."""
    place = cursor.expect("include").place
    if cursor.token.kind not in ("path", "string"):
        raise cursor.unexpected("the path of a file")
    return Include(cursor.take().text, place=place)


def component(cursor: Cursor) -> Component:
    """Parse a component: ``TYPE NAME { MEMBERS }``."""
    word = cursor.name("a component")
    name = cursor.name("the name of a component").text
    cursor.expect("{")
    members: list[Member] = []
    with cursor.inside(word.text, word.place):
        while not cursor.at("}"):
            members.append(_member(cursor))
        cursor.take()
    return Component(word.text, name, tuple(members), place=word.place)


def _member(cursor: Cursor) -> Member:
    token, following = cursor.token, cursor.ahead()
    if cursor.at("["):
        return _counted(cursor)
    if token.kind != "name":
        raise cursor.unexpected(_NOT_EXPECTED, _WORDS)
    rule = _rule(cursor)
    if rule is not None:
        return rule(cursor)
    if token.text in _FOLLOWING:
        cursor.take()
        raise cursor.unexpected(_FOLLOWING[token.text])
    if token.text in _RESERVED:
        raise cursor.unexpected(_NOT_EXPECTED)
    if following.kind == "name":
        return _part(cursor)
    if following.text == "[":
        return _valued(cursor)
    cursor.take()
    raise cursor.unexpected("'[' or a name")


def _rule(cursor: Cursor) -> Callable[[Cursor], Member] | None:
    """Return the parser for the statement at the cursor, or None if it does not begin with a keyword."""
    first, second = cursor.token.text, cursor.ahead()
    named = second.kind == "name"
    rules: dict[str, tuple[bool, Callable[[Cursor], Member]]] = {
        "param": (named, param),
        "property": (named, _property),
        "conflict": (named and cursor.ahead(2).text == ",", _conflict),
        "static": (second.text == "power", _watts),
        "dynamic": (second.text == "power", _watts),
        "resource": (named and cursor.ahead(2).text in ("(", "["), _resource),
        "linked": (second.text == "with", _linked),
        "link": (second.text == "with", _linked),
        "connected": (second.text == "with", _connected),
        "connect": (named, _connect),
        "private": (named and cursor.ahead(2).kind == "name", _shared),
        "shared": (named and cursor.ahead(2).kind == "name", _shared),
    }
    fits, rule = rules.get(first, (False, _property))
    return rule if fits else None


def _property(cursor: Cursor) -> Property:
    place = cursor.take().place
    name = cursor.take().text
    return Property(name, quantity(cursor) if cursor.at("[") else None, place=place)


def _conflict(cursor: Cursor) -> Conflict:
    place = cursor.take().place
    first = cursor.name("a resource").text
    cursor.expect(",")
    return Conflict(first, cursor.name("a resource").text, place=place)


def _watts(cursor: Cursor) -> Watts:
    word = cursor.take()
    cursor.take()
    return Watts(word.text, quantity(cursor), place=word.place)


def _resource(cursor: Cursor) -> Resource:
    place = cursor.take().place
    name = cursor.take().text
    cursor.expect("(")
    parameter = cursor.name("the name of the amount").text
    cursor.expect(")")
    seconds = quantity(cursor)
    return Resource(name, parameter, seconds, _trait_costs(cursor, _cost_in_brackets), place=place)


def _trait_costs(cursor: Cursor, rule: Callable[[Cursor], TraitCost]) -> tuple[TraitCost, ...]:
    found = []
    if cursor.accept("with"):
        found.append(rule(cursor))
        while cursor.accept(","):
            found.append(rule(cursor))
    return tuple(found)


def _cost_in_brackets(cursor: Cursor) -> TraitCost:
    token = cursor.name("a trait")
    parameter = ""
    if cursor.accept("("):
        parameter = cursor.name("the name of the trait's argument").text
        cursor.expect(")")
    return TraitCost(token.text, parameter, quantity(cursor), place=token.place)


def _rate_in_parentheses(cursor: Cursor) -> TraitCost:
    token = cursor.name("a trait")
    opening = cursor.expect("(")
    with cursor.inside("parenthesis", opening.place):
        value = expression(cursor)
        cursor.expect(")")
    return TraitCost(token.text, "", value, place=token.place)


def _linked(cursor: Cursor) -> Linked:
    place = cursor.take().place
    cursor.take()
    return Linked(cursor.name("the name of a link").text, place=place)


def _connected(cursor: Cursor) -> Connected:
    place = cursor.take().place
    cursor.take()
    count = quantity(cursor)
    cursor.expect("of")
    name = cursor.name("the name of a network").text
    return Connected(count, name, traits(cursor), place=place)


def _connect(cursor: Cursor) -> Connect:
    place = cursor.take().place
    names = [cursor.take().text]
    while cursor.accept(","):
        names.append(cursor.name("the name of a component").text)
    return Connect(tuple(names), place=place)


def _shared(cursor: Cursor) -> Part:
    word = cursor.take()
    name, kind = _free(cursor, "the name of a component"), _free(cursor, "the type of a component")
    return Part(singular(kind.text), name.text, place=word.place)


def _counted(cursor: Cursor) -> Part:
    place = cursor.token.place
    count = quantity(cursor)
    if cursor.at("banks") and cursor.ahead().text == "of":
        cursor.take()
        cursor.take()
        names = [_free(cursor, "the name of a component"), _free(cursor, "the type of a component")]
        while singular(names[-1].text) not in TYPES and cursor.token.kind == "name" and _rule(cursor) is None:
            names.append(_free(cursor, "the type of a component"))
        return Part(singular(names[-1].text), names[-2].text, count, place=place)
    name = _free(cursor, "the name of a component")
    kind = _free(cursor, "the type of a component, such as nodes")
    return Part(_type(kind), name.text, count, traits(cursor), place=place)


def _type(token: Token) -> str:
    """Return the type of component that a plural such as "nodes" names; an unknown type loses its last letter s."""
    word = singular(token.text)
    is_plural = word not in TYPES and word.endswith("s") and not word.endswith("ss") and len(word) > 1
    return word[:-1] if is_plural and word[:-1] not in _RESERVED else word


def _part(cursor: Cursor) -> Part:
    first, second = cursor.take(), _free(cursor, "the name of a component")
    name, kind = second.text, first.text
    if singular(second.text) in TYPES and singular(first.text) not in TYPES:
        name, kind = kind, name
    return Part(singular(kind), name, None, traits(cursor), place=first.place)


def _valued(cursor: Cursor) -> Member:
    token = cursor.take()
    value = quantity(cursor)
    if cursor.at("with"):
        return Rate(token.text, value, _trait_costs(cursor, _rate_in_parentheses), place=token.place)
    if _is_part(cursor, token):
        name = _free(cursor, "the name of a component").text
        return Part(singular(token.text), name, value, traits(cursor), place=token.place)
    return Figure(token.text, value, place=token.place)


def _free(cursor: Cursor, meaning: str) -> Token:
    """Parse a name that is not a reserved word.

    Args:
        cursor: position of the name.
        meaning: what the name is, for errors, such as "the name of a component".
    """
    token = cursor.name(meaning)
    if token.text in _RESERVED:
        raise error_at(token.place, f"expected {meaning}, not the reserved word {token}")
    return token


def _is_part(cursor: Cursor, token: Token) -> bool:
    """Return whether ``WORD [e]`` and the name after it declare inner components, as ``nodes [4] blade`` does.

    If not, ``WORD [e]`` is a number of the component, such as its latency, and the name begins the next statement. The
    next statement may be a number, too (``latency [a] bandwidth [b]``), may begin with a keyword, or may declare an
    inner component of a known type (``clock [a] core pe``).

    Args:
        cursor: position after ``WORD [e]``.
        token: WORD.
    """
    if cursor.token.kind != "name" or cursor.ahead().text == "[" or token.text in _FIGURES:
        return False
    begins_part = singular(cursor.token.text) in TYPES and cursor.ahead().kind == "name"
    return _rule(cursor) is None and not (begins_part and singular(token.text) not in TYPES)
