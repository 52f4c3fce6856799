"""Position in the words of a text, and the errors about the word there."""

from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.aspen.tokens import Token, error_at
from pysmpi.errors import AspenError, nearest

__all__ = ["Cursor"]

_DEEPEST = 40  # nested blocks and parentheses


class Cursor:
    """Words of a text, taken from left to right.

    Args:
        tokens: all words; the last one is of the kind "end".
    """

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._open: list[tuple[str, int]] = []

    @property
    def token(self) -> Token:
        """Next word."""
        return self._tokens[self._next]

    def ahead(self, count: int = 1) -> Token:
        """Return the word `count` words after the next one."""
        return self._tokens[min(self._next + count, len(self._tokens) - 1)]

    @property
    def touches(self) -> bool:
        """Return whether nothing stands between the next word and the one before it."""
        return self._next > 0 and self._tokens[self._next - 1].end == self.token.begin

    def take(self) -> Token:
        """Return the next word and go past it."""
        token = self.token
        self._next += token.kind != "end"
        return token

    def at(self, *words: str) -> bool:
        """Return whether the next word is one of these names or signs."""
        return self.token.kind in ("name", "sign") and self.token.text in words

    def accept(self, *words: str) -> Token | None:
        """Take the next word if it is one of these, else return None."""
        return self.take() if self.at(*words) else None

    def expect(self, word: str) -> Token:
        """Take the next word, which must be this one.

        Raises:
            AspenError: another word stands there.
        """
        if not self.at(word):
            raise self.unexpected(f"{word!r}")
        return self.take()

    def name(self, meaning: str) -> Token:
        """Take a name.

        Raises:
            AspenError: another word stands there.
        """
        if self.token.kind != "name":
            raise self.unexpected(meaning)
        return self.take()

    def dotted(self, meaning: str) -> str:
        """Take a name that may consist of several ones with dots between them."""
        name = self.name(meaning).text
        while self.at(".") and self.ahead().kind == "name":
            self.take()
            name += f".{self.take().text}"
        return name

    @contextmanager
    def inside(self, noun: str, line: int) -> Iterator[None]:
        """Remember a block or bracket that is open, for errors at the end of the file."""
        if len(self._open) >= _DEEPEST:
            raise error_at(self.token.place, f"more than {_DEEPEST} nested blocks or parentheses")
        self._open.append((noun, line))
        yield
        self._open.pop()

    def go_back(self, position: tuple[int, int]) -> None:
        """Return to a position that `position` had."""
        self._next, opened = position
        del self._open[opened:]

    @property
    def position(self) -> tuple[int, int]:
        """Position to return to."""
        return self._next, len(self._open)

    def unexpected(self, expected: str, words: tuple[str, ...] = ()) -> AspenError:
        """Return an error about the next word.

        Args:
            expected: phrase for what may stand there.
            words: valid words, of which the nearest is named.
        """
        token = self.token
        if token.kind == "end":
            noun, line = self._open[-1] if self._open else ("", 0)
            opened = f" (the {noun} of line {line} is open)" if noun else ""
            expected = "'}'" if expected.endswith("'}'") else expected
            return error_at(token.place, f"expected {expected}, but the file ends{opened}")
        similar = nearest(token.text, words) if token.kind == "name" else None
        hint = f"; did you mean {similar!r}?" if similar else ""
        return error_at(token.place, f"expected {expected}, not {token}{hint}")
