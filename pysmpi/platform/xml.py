"""A reader of SimGrid's platform files: XML after simgrid.dtd, versions 4.0 and 4.1.

The file is streamed through `pysmpi.platform.xml_text` and expat. DTDs and external entities are never read, and
entities must not be declared. Elements and attributes are checked against `pysmpi.platform.elements` and passed to
`pysmpi.platform.interpretation.Interpreter`. Every error begins with ``FILE:LINE:``.
"""

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO
from xml.parsers import expat

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform import files
from pysmpi.platform.builder import Builder
from pysmpi.platform.elements import ALIASES, ELEMENTS, OLD_ATTRIBUTES, OLD_KINDS, UNUSABLE
from pysmpi.platform.interpretation import Interpreter, OpenElement
from pysmpi.platform.machine import Platform
from pysmpi.platform.source_location import Place, error_at, with_context
from pysmpi.platform.xml_text import well_formed

__all__ = ["read"]

DOCUMENT_TYPE = re.compile(r"(\s*)<!DOCTYPE[^>\[]*>")
MAX_INCLUDE_DEPTH = 16
MAX_INCLUDES = 1000  # in total; two includes at each depth would make 2**16 files


@dataclasses.dataclass(frozen=True, slots=True)
class Inclusion:
    """An included file that is being read."""

    real_path: str
    depth: int
    """Number of elements that are open around the inclusion."""


class Reader:
    """A reader of one file and the files that it includes."""

    def __init__(self, path: str) -> None:
        self._path = self._main_path = path
        self._builder = Builder()
        self._interpreter = Interpreter(self._builder)
        self._open: list[OpenElement] = []
        self._inclusions: list[Inclusion] = []
        self._includes = 0
        self._parser = self._new_parser()

    def read(self, file: IO[bytes]) -> Platform:
        """Read the file to its end."""
        self._parse_to_end(well_formed(file, self._path))
        try:
            return self._interpreter.finish(self._path)
        except PlatformError as error:
            place = self._builder.place or self._here()
            raise error if error.place else error_at(place, str(error)) from None

    # Parsing

    def _new_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start_element
        parser.EndElementHandler = self._end_element
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped_entity
        return parser

    def _parse_to_end(self, chunks: Iterable[str]) -> None:
        try:
            for chunk in chunks:
                self._parser.Parse(chunk, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            inside = ""
            if self._open and self._open[-1].place.file == self._path and not self._open[-1].transparent:
                inside = f" inside <{self._open[-1].tag}> of line {self._open[-1].place.line}"
            raise error_at(
                Place(self._path, error.lineno), f"not well-formed XML{inside}: {expat.ErrorString(error.code)}"
            ) from None

    def _here(self) -> Place:
        return Place(self._path, self._parser.CurrentLineNumber)

    def _located(self, place: Place, act: Callable[..., None], *arguments: object) -> None:
        try:
            act(*arguments)
        except PlatformError as error:
            raise error if error.place else error_at(place, str(error)) from None

    def _start_element(self, tag: str, given: dict[str, str]) -> None:
        place = self._builder.place = self._here()
        depth = len(self._open) - self._inclusions[-1].depth if self._inclusions else -1
        if depth == 0 or (depth == 1 and tag == "platform"):
            # The contents of an included file belong to the element around it, with or without a <platform>.
            if depth == 1:
                self._located(place, lambda: self._interpreter.begin(_element(tag, given, place)))
            self._open.append(dataclasses.replace(self._open[-1], transparent=True, place=place))
            return
        self._located(place, self._begin, ALIASES.get(tag, tag), given, place)

    def _begin(self, tag: str, given: dict[str, str], place: Place) -> None:
        self._check_whether_allowed(tag)
        element = _element(tag, given, place)
        self._open.append(element)
        self._interpreter.begin(element)

    def _end_element(self, _: str) -> None:
        element = self._open.pop()
        if element.transparent:
            return
        self._builder.place = element.place
        outer = self._open[-1] if self._open else None
        if element.tag == "include":
            self._located(element.place, self._include, element)
        else:
            self._located(element.place, self._interpreter.end, element, outer)

    def _check_whether_allowed(self, tag: str) -> None:
        if tag in UNUSABLE:
            raise PlatformError(f"<{tag}> is not supported: {UNUSABLE[tag]}")
        valid = ELEMENTS[self._open[-1].tag].children if self._open else frozenset({"platform"})
        if tag not in valid:
            outer = f"<{self._open[-1].tag}>" if self._open else "a platform file"
            usable = sorted(valid & ELEMENTS.keys())
            if tag in ELEMENTS:
                raise PlatformError(f"<{tag}> is not allowed in {outer} (valid: {', '.join(usable) or 'nothing'})")
            raise PlatformError(unknown(f"element in {outer}", tag, usable))

    def _text(self, text: str) -> None:
        profile = self._open[-1].profile if self._open else None
        if profile is not None:
            profile.feed(text, self._parser.CurrentLineNumber)
        elif stray := text.strip():
            raise error_at(self._here(), f"stray text {stray[:40]!r}")

    def _entity(self, name: str, *_: object) -> None:
        raise error_at(self._here(), f"entity {name!r} is declared; platform files must not declare entities")

    def _skipped_entity(self, name: str, *_: object) -> None:
        raise error_at(self._here(), f"unknown entity {name!r}")

    # Other files

    def _include(self, element: OpenElement) -> None:
        path = files.find(element["file"], os.path.dirname(self._path))
        real_path = os.path.realpath(path)
        if real_path in (os.path.realpath(self._main_path), *(inclusion.real_path for inclusion in self._inclusions)):
            raise PlatformError(f"{path!r} includes itself")
        self._includes += 1
        if len(self._inclusions) == MAX_INCLUDE_DEPTH or self._includes > MAX_INCLUDES:
            raise PlatformError(
                f"too many includes; the limits are a depth of {MAX_INCLUDE_DEPTH} and {MAX_INCLUDES} in total"
            )
        outer = self._path, self._parser
        with files.open_regular(path) as file:
            self._path, self._parser = path, self._new_parser()
            self._inclusions.append(Inclusion(real_path, len(self._open)))
            try:
                self._parse_to_end(self._wrapped(well_formed(file, path)))
            except PlatformError as error:
                raise with_context(error, f"included in {element.place}") from None
            finally:
                self._inclusions.pop()
                self._path, self._parser = outer

    @staticmethod
    def _wrapped(text: Iterator[str]) -> Iterator[str]:
        """Yield the text of an included file inside an added root element, because the file may have several roots."""
        begin = next(text)
        document_type = DOCUMENT_TYPE.match(begin)
        yield "<include>" + (begin if document_type is None else document_type[1] + begin[document_type.end() :])
        yield from text
        yield "</include>"


def _element(tag: str, given: dict[str, str], place: Place) -> OpenElement:
    """Return the element with given and default attributes, or raise PlatformError if one is invalid or missing."""
    description = ELEMENTS[tag]
    for name in given:
        if name not in description.attributes:
            old = f"; {OLD_ATTRIBUTES[name]}" if name in OLD_ATTRIBUTES else ""
            raise PlatformError(unknown(f"attribute of <{tag}>", name, description.attributes) + old)
    for name, choices in description.choices.items():
        if (value := given.get(name)) is not None and value not in choices:
            old = f"; {OLD_KINDS[value]}" if value in OLD_KINDS else ""
            raise PlatformError(unknown(f"{name} of <{tag}>", value, choices) + old)
    attributes = description.defaults | given
    if len(attributes) == len(description.attributes):
        return OpenElement(tag, attributes, place)
    missing = next(name for name in description.attributes if name not in attributes)
    raise PlatformError(f"<{tag}> lacks the attribute {missing!r}")


def read(path: str | os.PathLike[str]) -> Platform:
    """Return the platform that a file describes.

    Raises:
        PlatformError: the file cannot be opened, or a line is not valid.
    """
    text = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return Reader(text).read(file)
    except OSError as error:
        raise PlatformError(f"{text}: cannot read the platform file: {error.strerror}") from None
