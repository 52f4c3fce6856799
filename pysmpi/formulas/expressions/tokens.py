"""Splitting of a text into tokens (names, numbers, signs), each with its file, line and column."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pysmpi.formulas.expressions.dialect import Dialect

__all__ = ["NOWHERE", "NUMBER", "Place", "Token", "tokens_of"]

NUMBER = r"(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
"""Regular expression of a number such as ``12``, ``0.5`` or ``1e-3``. In the range ``1..4`` it matches 1 and 4."""

_SHOWN = 40  # characters of a token that an error shows at most


@dataclass(frozen=True)
class Place:
    """File, line and column of a token. As text it begins error messages: "models.toml:3:7", or "column 7".

    Attributes:
        file: path as it was given, or a description of the text; "" for a text that comes from no file.
        line: line, counted from 1; 0 if errors do not name it.
        column: column in the line, counted from 1; 0 if errors do not name it.
    """

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        if not self.file:
            return f"column {self.column}"
        return self.file + "".join(f":{number}" for number in (self.line, self.column) if number)

    def after(self, text: str, offset: int) -> "Place":
        """Return the file, line and column of the character at index `offset` in a text that begins at this place."""
        if not self.file:
            return replace(self, column=offset + 1)
        begin = text.rfind("\n", 0, offset) + 1
        column = offset - begin + (self.column if begin == 0 else 1)
        return Place(self.file, self.line + text.count("\n", 0, offset), column)


NOWHERE = Place("<text>", 0)
"""Place of the nodes of a syntax tree that a program has constructed, without parsing a text."""


@dataclass(frozen=True)
class Token:
    """Token of a text: a name, a number, a sign and so on.

    Attributes:
        kind: "name", "number", "string", "path", "sign" or "end".
        text: characters of the token; a string is without its quotes.
        place: file, line and column of the first character.
        begin: index of the first character in the text.
        end: index after the last character.
    """

    kind: str
    text: str
    place: Place
    begin: int = field(compare=False)
    end: int = field(compare=False)

    def __str__(self) -> str:
        return repr(self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…")


def tokens_of(text: str, dialect: "Dialect", origin: Place) -> list[Token]:
    """Return all tokens of a text; the last one is of the kind "end".

    Args:
        text: the text.
        dialect: rules by which tokens are written.
        origin: file, line and column of the text's first character.

    Raises:
        PysmpiError: a character cannot begin a token. The error has the class `Dialect.error`.
    """
    found: list[Token] = []
    offset, place = 0, origin
    while offset < len(text):
        match = dialect.words.match(text, offset)
        assert match is not None and match.lastgroup is not None
        kind, word = match.lastgroup, match[match.lastgroup]
        if origin.column:
            place = origin.after(text, offset)
        if kind == "other":
            raise dialect.error(f"{place}: {dialect.mistakes.get(word, f'unexpected character {word!r}')}")
        if kind != "space":
            found.append(Token(kind, word, place, match.start(), match.end()))
        elif not origin.column and (lines := word.count("\n")):
            place = replace(place, line=place.line + lines)
        offset = match.end()
    last = origin.after(text, len(text)) if origin.column else replace(origin, line=max(1, len(text.splitlines())))
    return [*found, Token("end", "", last, len(text), len(text))]
