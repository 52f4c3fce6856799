"""Words of an Aspen text, with the line of each."""

import re
from dataclasses import dataclass, field

from pysmpi.errors import AspenError

__all__ = ["NOWHERE", "Place", "Token", "error_at", "is_name", "tokens_of"]

_NAME = re.compile(r"(?:\d+(?![eE][+-]?\d+(?!\w)))?[A-Za-z_]\w*")
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)"
    rf"|(?P<name>{_NAME.pattern})"
    r"|(?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r'|(?P<string>"[^"\n]*")'
    r"|(?P<sign>\.\.|->|→|==|!=|<=|>=|&&|\|\||[-+*/^()\[\]{},.=<>])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_BARE_PATH = re.compile(r"""[ \t]+(?P<path>[^\s"'=\[\](){},;]+)""")
_SHOWN = 40  # longest word that an error repeats


@dataclass(frozen=True)
class Place:
    """File and line that an error names.

    Attributes:
        file: path as it was given, or a description of the text if it comes from no file.
        line: line, counted from 1; 0 if the text has no lines.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Place("<text>", 0)
"""Place of a tree that was not read from a text."""


@dataclass(frozen=True)
class Token:
    """Word of a text.

    Attributes:
        kind: "name", "number", "string", "path", "sign" or "end".
        text: characters of the word; a string is without its quotes.
        place: file and line.
        begin: position of the first character in the text.
        end: position after the last character.
    """

    kind: str
    text: str
    place: Place
    begin: int = field(compare=False)
    end: int = field(compare=False)

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        return repr(self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…")


def error_at(place: Place, problem: str) -> AspenError:
    """Return an error whose message begins with a place."""
    return AspenError(f"{place}: {problem}")


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a parameter."""
    return _NAME.fullmatch(text) is not None


def tokens_of(text: str, file: str) -> list[Token]:
    """Return all words of a text; the last one is of the kind "end".

    Raises:
        AspenError: a character cannot begin a word, or a comment or string has no end.
    """
    found: list[Token] = []
    offset, line = 0, 1
    place = Place(file, line)
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        assert match is not None
        kind, word = str(match.lastgroup), match[0]
        if place.line != line:
            place = Place(file, line)
        if word == "/" and text.startswith("/*", offset):
            raise error_at(place, "the comment that begins here has no end; write */")
        if kind == "other":
            reason = "the string that begins here has no end on its line" if word == '"' else "no word begins with"
            raise error_at(place, reason if word == '"' else f"{reason} {word!r}")
        if kind == "string":
            word = word[1:-1]
        if kind != "space":
            found.append(Token(kind, word, place, offset, match.end()))
        if kind == "space":
            line += word.count("\n")
        offset = match.end()
        if kind == "name" and word == "include" and (path := _BARE_PATH.match(text, offset)):
            found.append(Token("path", path["path"], place, path.start("path"), path.end()))
            offset = path.end()
    last = Place(file, max(1, len(text.splitlines())))
    return [*found, Token("end", "", last, len(text), len(text))]
