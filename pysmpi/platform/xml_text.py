"""The text of a platform file, made well-formed where SimGrid's scanner accepts more than XML allows.

Published platform files begin with a blank line or a comment before ``<?xml …?>``, write ``<?XML …?>``, have ``--`` or
bytes of another encoding inside comments, or leave out the blank between two attributes. SimGrid 3.32 reads all of
them. The functions below decode a file and remove these peculiarities; line numbers stay as they are.
"""

import codecs
import itertools
import re
from collections.abc import Iterator
from typing import IO

from pysmpi.errors import unknown
from pysmpi.platform.source_location import Place, error_at

__all__ = ["well_formed"]

CHUNK = 65536
ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")
LONGEST_TAG = 1 << 22
"""Characters after which a tag without an end is passed on, so that the parser reports it."""

PROLOG = re.compile(
    r"(?:\s|<!--.*?-->)*(?:<\?xml\s[^>]*?(?:encoding\s*=\s*[\"']([^\"'>]*)[\"'][^>]*?)?\?>)?",
    re.DOTALL | re.IGNORECASE,
)
TAG = re.compile(r"<(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+>")
UNDECODED = re.compile("[\ud800-\udfff]")
WELL_SPACED = re.compile(r"<[^\"'<>]*+(?:(?:\"[^\"]*+\"|'[^']*+')(?:[\s/?][^\"'<>]*+)?+)*+>")
VALUE = re.compile(r"(=\s*(?:\"[^\"]*\"|'[^']*'))([^\s/>?\"'])?")


def well_formed(file: IO[bytes], path: str) -> Iterator[str]:
    """Yield the text of a platform file without its XML declaration and its comments; their line ends remain.

    Raises:
        PlatformError: the encoding is unknown, or the text outside comments is not in it; the message names `path`.
    """
    head = file.read(CHUNK)
    encoding = _encoding(head, path)
    errors = "strict" if encoding == "utf-16" else "surrogateescape"
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)(errors)
    line = 1
    try:
        mended = _mended(head, iter(lambda: file.read(CHUNK), b""), decoder)
        begin = next(mended)
        while not begin.strip() and (more := next(mended, "")):
            begin += more
        if prolog := PROLOG.match(begin):
            begin = "\n" * prolog[0].count("\n") + begin[prolog.end() :]
        for text in itertools.chain([begin], mended):
            if (bad := UNDECODED.search(text)) is not None:
                line += text.count("\n", 0, bad.start())
                text.encode(encoding, "surrogateescape").decode(encoding)  # raises with the reason
            yield text
            line += text.count("\n")
    except UnicodeError as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else error
        raise error_at(Place(path, line), f"the text is not in {encoding}: {reason}") from None


def _encoding(head: bytes, path: str) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    prolog = PROLOG.match(head.removeprefix(codecs.BOM_UTF8).decode("iso-8859-1"))
    encoding = ((prolog and prolog[1]) or "utf-8").lower()
    if encoding not in ENCODINGS:
        raise error_at(Place(path, 1), unknown("encoding", encoding, ENCODINGS))
    return encoding


def _mended(head: bytes, chunks: Iterator[bytes], decoder: codecs.IncrementalDecoder) -> Iterator[str]:
    """Yield the text with comments replaced by their line ends and a blank between any two attributes."""
    text, last = decoder.decode(head), False
    while True:
        ready, text = _mend(text, last)
        yield ready
        if last:
            return
        chunk = next(chunks, b"")
        last = not chunk
        text += decoder.decode(chunk, last)


def _mend(text: str, last: bool) -> tuple[str, str]:
    """Return the mended text up to its last complete tag or comment, and the incomplete rest."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("<", at)) >= 0:
        parts.append(text[at:begin])
        if text.startswith("<!--", begin):
            end = text.find("-->", begin + 4)
            if end < 0:
                # The comment goes on: its line ends are passed on now, and the rest is a shorter comment.
                if last:
                    return "".join(parts) + text[begin:], ""
                tail = text[max(begin + 4, len(text) - 2) :]
                return "".join(parts) + "\n" * text.count("\n", begin), "<!--" + tail.replace("\n", " ")
            parts.append("\n" * text.count("\n", begin, end))
            at = end + 3
            continue
        if text.startswith("<![CDATA[", begin) and (end := text.find("]]>", begin)) >= 0:
            parts.append(text[begin : end + 3])
            at = end + 3
            continue
        tag = TAG.match(text, begin)
        if tag is None:
            if last or len(text) - begin > LONGEST_TAG:
                return "".join(parts) + text[begin:], ""
            return "".join(parts), text[begin:]
        well_spaced = WELL_SPACED.fullmatch(tag[0])
        parts.append(tag[0] if well_spaced else VALUE.sub(lambda value: f"{value[1]} {value[2] or ''}", tag[0]))
        at = tag.end()
    return "".join(parts) + text[at:], ""
