"""Cursor over the tokens of a text, for parsers; its errors name the line and column of a token."""

from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.errors import PysmpiError, nearest
from pysmpi.formulas.expressions.dialect import Dialect, Operator
from pysmpi.formulas.expressions.tokens import Place, Token, tokens_of

__all__ = ["Cursor"]


class Cursor:
    """Cursor that moves over the tokens of a text from left to right.

    Args:
        text: the text.
        dialect: rules by which the text is split into tokens; all errors have its class `error`.
        origin: file, line and column of the text's first character.

    Raises:
        PysmpiError: the text has a character with which no token begins.
    """

    def __init__(self, text: str, dialect: Dialect, origin: Place) -> None:
        self.dialect = dialect
        self._tokens = tokens_of(text, dialect, origin)
        self._next = 0
        self._open: list[tuple[str, Place]] = []

    @property
    def token(self) -> Token:
        """Next token, which `take` will return."""
        return self._tokens[self._next]

    @property
    def operator(self) -> Operator | None:
        """Operator that the next token stands for, or None if the next token is not an operator."""
        token = self.token
        return self.dialect.operators.get(token.text) if token.kind in ("name", "sign") else None

    def ahead(self, count: int = 1) -> Token:
        """Return the token that is `count` tokens after the next one."""
        return self._tokens[min(self._next + count, len(self._tokens) - 1)]

    @property
    def touches(self) -> bool:
        """True if there is no space between the next token and the one before it."""
        return self._next > 0 and self._tokens[self._next - 1].end == self.token.begin

    def take(self) -> Token:
        """Return the next token, and move the cursor past it."""
        token = self.token
        self._next += token.kind != "end"
        return token

    def at(self, *words: str) -> bool:
        """Return whether the next token is one of the names or signs `words`."""
        return self.token.kind in ("name", "sign") and self.token.text in words

    def accept(self, *words: str) -> Token | None:
        """Return the next token and move past it if it is one of the names or signs `words`; else return None."""
        return self.take() if self.at(*words) else None

    def expect(self, word: str) -> Token:
        """Return the next token, which must be the name or sign `word`, and move the cursor past it.

        Raises:
            PysmpiError: the next token is a different one.
        """
        if not self.at(word):
            raise self.unexpected(f"{word!r}")
        return self.take()

    def name(self, meaning: str) -> Token:
        """Return the next token, which must be a name, and move the cursor past it.

        Args:
            meaning: what errors call the name, such as "the name of a kernel".

        Raises:
            PysmpiError: the next token is not a name.
        """
        if self.token.kind != "name":
            raise self.unexpected(meaning)
        return self.take()

    def dotted(self, meaning: str) -> str:
        """Return a name that may have dots, such as ``fft.n``, and move the cursor past it.

        Args:
            meaning: what errors call the name, such as "the name of a kernel".

        Raises:
            PysmpiError: the next token is not a name.
        """
        name = self.name(meaning).text
        while self.at(".") and self.ahead().kind == "name":
            self.take()
            name += f".{self.take().text}"
        return name

    @contextmanager
    def inside(self, noun: str, place: Place) -> Iterator[None]:
        """Note in this context that a block or bracket is open, so that errors can name it.

        Args:
            noun: noun for the block or bracket, such as "parenthesis".
            place: file, line and column where it begins.

        Raises:
            PysmpiError: too many blocks or brackets are open.
        """
        if len(self._open) >= self.dialect.deepest:
            raise self.error(place, f"more than {self.dialect.deepest} nested blocks or parentheses, signs or powers")
        self._open.append((noun, place))
        yield
        self._open.pop()

    def go_back(self, position: tuple[int, int]) -> None:
        """Move the cursor back to a position that the property `position` had before."""
        self._next, opened = position
        del self._open[opened:]

    @property
    def position(self) -> tuple[int, int]:
        """Current position, to which `go_back` can return: index of the next token, and number of open brackets."""
        return self._next, len(self._open)

    def error(self, place: Place, problem: str) -> PysmpiError:
        """Return an error in the dialect's class, whose message is "PLACE: PROBLEM", such as "study.toml:3:7: …"."""
        return self.dialect.error(f"{place}: {problem}")

    def unexpected(self, expected: str, words: tuple[str, ...] = ()) -> PysmpiError:
        """Return an error that says that the next token is not valid.

        Args:
            expected: phrase that says what would be valid, such as "a name".
            words: valid words; the error names the one most similar to the token.
        """
        token = self.token
        opened = ""
        if self._open and (token.kind == "end" or token.place.column):
            noun, place = self._open[-1]
            opened = f" (the {noun} {f'at {place}' if place.column else f'of line {place.line}'} is open)"
        if token.kind == "end":
            expected = "'}'" if expected.endswith("'}'") else expected
            return self.error(token.place, f"expected {expected}, but the {self.dialect.whole} ends{opened}")
        similar = nearest(token.text, words) if token.kind == "name" else None
        hint = f"; did you mean {similar!r}?" if similar else ""
        return self.error(token.place, f"expected {expected}, not {token}{opened}{hint}")
