"""Parsers of the steps in kernels and control flows: amounts of resources, calls, loops, parallel groups, choices."""

from collections.abc import Callable

from pysmpi.aspen.aspen_dialect import Token
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.shared_grammar import arguments, traits
from pysmpi.aspen.syntax_tree import (
    Atom,
    Call,
    Chain,
    Execute,
    Expression,
    Group,
    If,
    Loop,
    Need,
    Probability,
    Sample,
    Step,
    Steps,
    Superstep,
    Switch,
)
from pysmpi.errors import nearest
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.grammar import condition, quantity

__all__ = ["STEP_WORDS", "misspelt", "need", "step", "steps"]

STEP_WORDS = ("execute", "call", "iterate", "map", "par", "seq", "if", "probability", "switch", "sample")


def steps(cursor: Cursor, noun: str, opening: Token, until: tuple[str, ...] = ("}",)) -> Steps:
    """Parse the steps inside braces, up to the sign that ends them. The cursor stays at this sign.

    Args:
        cursor: position after the opening brace.
        noun: noun for the braces' contents in errors, such as "control flow".
        opening: first word of the statement that has the braces; errors name its line.
        until: signs that end the steps.
    """
    found: list[Step] = []
    with cursor.inside(noun, opening.place):
        while not cursor.at(*until):
            if not cursor.at("{") and cursor.token.kind != "name":
                raise misspelt(cursor, list(found), STEP_WORDS) or cursor.unexpected(
                    "a step or " + " or ".join(map(repr, until)), STEP_WORDS
                )
            found.append(step(cursor))
    return tuple(found)


def misspelt(cursor: Cursor, before: list[object], words: tuple[str, ...]) -> AspenError | None:
    """Return an error that suggests a keyword for a misspelt one, or None if no keyword seems to be misspelt.

    A misspelt keyword has been parsed as the call of a kernel without arguments. So each such call directly before the
    invalid word is compared with the keywords.

    Args:
        cursor: position of a word that is not valid.
        before: statements parsed before it.
        words: keywords that are valid at the cursor.
    """
    if cursor.token.kind == "end":
        return None
    calls = []
    while before and isinstance(before[-1], Call) and not before[-1].arguments:
        calls.append(before.pop())
    for call in reversed(calls):
        assert isinstance(call, Call)
        similar = nearest(call.name, words)
        if similar is not None:
            return AspenError(f"{call.place}: expected a step, not {call.name!r}; did you mean {similar!r}?")
    return None


def step(cursor: Cursor) -> Step:
    """Parse one step, or a chain of steps joined by arrows: ``A -> B``."""
    place = cursor.token.place
    atoms = [_atom(cursor)]
    while cursor.accept("->", "→"):
        atoms.append(_atom(cursor))
    return Chain(tuple(atoms), place=place) if len(atoms) > 1 else atoms[0]


def need(cursor: Cursor) -> Need:
    """Parse an amount of a resource: ``RESOURCE [AMOUNT] of size [BYTES] from DATA as TRAITS``.

    The words after the amount are optional.
    """
    token = cursor.name("a resource")
    amount = quantity(cursor)
    size = None
    if cursor.accept("of"):
        cursor.expect("size")
        size = quantity(cursor)
    direction = cursor.accept("to", "from")
    array = cursor.dotted("the name of data") if direction else ""
    return Need(token.text, amount, size, direction.text if direction else "", array, traits(cursor), place=token.place)


def _atom(cursor: Cursor) -> Atom:
    token = cursor.token
    if cursor.at("{"):
        return _superstep(cursor)
    if token.kind != "name" or token.text == "else":
        raise cursor.unexpected("a step", () if token.text == "else" else STEP_WORDS)
    rules: dict[str, Callable[[Cursor], Atom]] = {
        "execute": _execute,
        "iterate": _loop,
        "map": _loop,
        "par": _group,
        "seq": _group,
        "if": _if,
        "probability": _probability,
        "switch": _switch,
        "sample": _sample,
    }
    return rules.get(token.text, _call)(cursor)


def _superstep(cursor: Cursor) -> Superstep:
    opening = cursor.take()
    parts = [steps(cursor, "superstep", opening, (",", "}"))]
    while cursor.at(","):
        if not parts[-1]:
            raise cursor.unexpected("a step")
        cursor.take()
        parts.append(steps(cursor, "superstep", opening, (",", "}")))
    if not parts[-1]:
        raise cursor.unexpected("a step")
    cursor.take()
    return Superstep(tuple(parts), place=opening.place)


def _execute(cursor: Cursor) -> Execute:
    word = cursor.take()
    name = cursor.take().text if cursor.token.kind == "name" else ""
    parallelism = quantity(cursor) if cursor.at("[") else None
    label = _label(cursor)
    if not cursor.at("{"):
        raise cursor.unexpected("'{'" if parallelism or label else "'[' or '{'")
    cursor.take()
    needs = []
    with cursor.inside("block", word.place):
        while not cursor.at("}"):
            if cursor.token.kind != "name":
                raise cursor.unexpected("a resource or '}'")
            needs.append(need(cursor))
        if not needs:
            raise cursor.unexpected("a resource")
        cursor.take()
    return Execute(name, parallelism, label, tuple(needs), place=word.place)


def _call(cursor: Cursor) -> Call:
    place = cursor.token.place
    if cursor.at("call") and cursor.ahead().text != "(":
        cursor.take()
    name = cursor.dotted("the name of a kernel")
    return Call(name, arguments(cursor), place=place)


def _label(cursor: Cursor) -> str:
    return cursor.take().text if cursor.token.kind == "string" else ""


def _loop(cursor: Cursor) -> Loop:
    word = cursor.take()
    counter = cursor.dotted("a name") if cursor.token.kind == "name" else ""
    count = quantity(cursor)
    return Loop(word.text, counter, count, _label(cursor), _block(cursor, f"{word.text!r}", word), place=word.place)


def _group(cursor: Cursor) -> Group:
    word = cursor.take()
    return Group(word.text, _label(cursor), _block(cursor, f"{word.text!r}", word), place=word.place)


def _block(cursor: Cursor, noun: str, word: Token) -> Steps:
    cursor.expect("{")
    found = steps(cursor, noun, word)
    cursor.take()
    return found


def _if(cursor: Cursor) -> If:
    word = cursor.take()
    cursor.expect("(")
    with cursor.inside("'if'", word.place):
        tested = condition(cursor)
        cursor.expect(")")
        then = _block(cursor, "'if'", word)
        otherwise: Steps | None = None
        if tail := cursor.accept("else"):
            otherwise = (_if(cursor),) if cursor.at("if") else _block(cursor, "'else'", tail)
    return If(tested, then, otherwise, place=word.place)


def _probability(cursor: Cursor) -> Probability:
    word = cursor.take()
    cases, otherwise = _cases(cursor, word)
    return Probability(cases, otherwise, place=word.place)


def _switch(cursor: Cursor) -> Switch:
    word = cursor.take()
    cursor.expect("(")
    name = cursor.dotted("the name of a parameter")
    cursor.expect(")")
    cases, otherwise = _cases(cursor, word)
    return Switch(name, cases, otherwise, place=word.place)


def _cases(cursor: Cursor, word: Token) -> tuple[tuple[tuple[Expression, Steps], ...], Steps | None]:
    cursor.expect("{")
    cases = []
    otherwise = None
    with cursor.inside(f"{word.text!r}", word.place):
        while cursor.at("["):
            value = quantity(cursor)
            cases.append((value, _block(cursor, "case", word)))
        if tail := cursor.accept("else"):
            otherwise = _block(cursor, "'else'", tail)
        if not cursor.at("}"):
            raise cursor.unexpected("'}'" if otherwise is not None else "'[', 'else' or '}'")
        cursor.take()
    return tuple(cases), otherwise


def _sample(cursor: Cursor) -> Sample:
    word = cursor.take()
    name = cursor.dotted("a name")
    cursor.expect("from")
    distribution = cursor.name("the name of a distribution").text
    if not cursor.at("("):
        raise cursor.unexpected("'('")
    return Sample(name, distribution, arguments(cursor), place=word.place)
