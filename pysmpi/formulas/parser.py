"""Parser of formulas by recursive descent, from text to the nodes of `pysmpi.formulas.expression`."""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from pysmpi.errors import ModelError, unknown
from pysmpi.formulas.expression import FUNCTIONS, Call, Chain, Negation, Node, Number, Origin, Parameter, Power

__all__ = ["is_name", "parse"]

_DEEPEST = 100  # nested parentheses, signs and powers
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    rf"|(?P<name>{_NAME.pattern})"
    "|(?P<sign>\\*\\*|[-+*/(),√]|[\N{MINUS SIGN}\N{MULTIPLICATION SIGN}·÷])"
    r"|(?P<end>$)|(?P<other>.))",
    re.DOTALL,
)
_ALIASES = {"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": "*", "·": "*", "÷": "/"}


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


def is_name(text: str) -> bool:
    """Return whether a formula can use the text as the name of a parameter."""
    return _NAME.fullmatch(text) is not None and text not in FUNCTIONS


def parse(text: str, parameters: Collection[str] | None, origin: Origin) -> Node:
    """Return the outermost node of a formula; see `Expression.parse`."""
    return _Parser(text, parameters, origin).formula()


class _Parser:
    def __init__(self, text: str, parameters: Collection[str] | None, origin: Origin) -> None:
        self._text, self._parameters, self._origin = text, parameters, origin
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    def formula(self) -> Node:
        if self._token.kind == "end":
            raise self._error(self._token, "the formula is empty; write a number or an expression such as 1e5*n")
        node = self._sum()
        if self._token.kind != "end":
            raise self._unexpected("an operator (+ - * / **)")
        return node

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        offset = 0
        while not tokens or tokens[-1].kind != "end":
            match = _TOKEN.match(self._text, offset)
            assert match is not None and match.lastgroup is not None
            kind = match.lastgroup
            token = _Token(kind, _ALIASES.get(match[kind], match[kind]), match.start(kind))
            if kind == "other":
                hint = "; write ** for powers" if token.text == "^" else ""
                raise self._error(token, f"unexpected character {token.text!r}{hint}")
            tokens.append(token)
            offset = match.end()
        return tokens

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _sum(self) -> Node:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._chain(("*", "/"), self._signed)

    def _chain(self, signs: tuple[str, str], operand: Callable[[], Node]) -> Node:
        first = operand()
        rest = []
        while self._token.kind == "sign" and self._token.text in signs:
            sign = self._take()
            rest.append((sign.text, operand(), sign.offset))
        return Chain(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        if self._token.kind == "sign" and self._token.text in ("+", "-"):
            sign = self._take()
            operand = self._nested(sign)
            return Negation(operand) if sign.text == "-" else operand
        return self._power()

    def _nested(self, token: _Token) -> Node:
        self._enter(token)
        node = self._signed()
        self._depth -= 1
        return node

    def _power(self) -> Node:
        base = self._atom()
        if self._token.text == "**":
            sign = self._take()
            return Power(base, self._nested(sign), sign.offset)
        return base

    def _atom(self) -> Node:
        token = self._token
        if token.kind == "number":
            self._take()
            value = float(token.text)
            if value == float("inf"):
                raise self._error(token, f"number {token.text} is too large")
            return Number(value)
        if token.kind == "name":
            self._take()
            return self._call(token) if self._token.text == "(" else self._parameter(token)
        if token.text == "√":
            self._take()
            self._enter(token)
            operand = self._atom()
            self._depth -= 1
            return Call("sqrt", (operand,), token.offset)
        if token.text == "(":
            self._take()
            self._enter(token)
            node = self._sum()
            self._depth -= 1
            self._close(token)
            return node
        raise self._unexpected("a number, a parameter or a function")

    def _call(self, name: _Token) -> Node:
        if name.text not in FUNCTIONS:
            raise self._error(name, unknown("function", name.text, FUNCTIONS))
        opening = self._take()
        self._enter(opening)
        arguments = [self._sum()]
        while self._token.text == ",":
            self._take()
            arguments.append(self._sum())
        self._depth -= 1
        self._close(opening)
        _, least, most = FUNCTIONS[name.text]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            wanted = f"{least} or more arguments" if most is None else "one argument"
            raise self._error(name, f"{name.text} takes {wanted}, not {len(arguments)}")
        return Call(name.text, tuple(arguments), name.offset)

    def _parameter(self, token: _Token) -> Node:
        if token.text in FUNCTIONS:
            raise self._error(token, f"function {token.text!r} lacks its arguments; write {token.text}(…)")
        if self._parameters is not None and token.text not in self._parameters:
            raise self._error(token, unknown("parameter", token.text, self._parameters))
        return Parameter(token.text, token.offset)

    def _enter(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(token, f"more than {_DEEPEST} nested parentheses, signs or powers")

    def _close(self, opening: _Token) -> None:
        if self._token.text != ")":
            place = self._origin.at(self._text, opening.offset)
            raise self._unexpected(f"')' for the '(' at {place}")
        self._take()

    def _take(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _unexpected(self, expected: str) -> ModelError:
        found = "the end of the formula" if self._token.kind == "end" else repr(self._token.text)
        return self._error(self._token, f"unexpected {found}; expected {expected}")

    def _error(self, token: _Token, message: str) -> ModelError:
        return ModelError(f"{self._origin.at(self._text, token.offset)}: {message}")
