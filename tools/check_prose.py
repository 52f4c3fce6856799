"""Check the prose of sources and pages: how docstrings begin, turns of phrase, words in a sentence.

Usage: check_prose.py [FILE …] (default: every file that git knows). Prints one line for each finding and ends with
status 1 if there is one. docs/contributing.md says how to write instead.
"""

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST_SENTENCE = 40  # words; code, tables and lists apart

# Words that a docstring or a comment must not begin with: they continue another text, or name nothing.
OPENINGS = re.compile(
    r"(What|Whether|It|They|Those|These|Of|As|That|The same|Its|Their|Theirs|Where|Who|Whose|Whom|How|Why|So|"
    r"Such|Them|There)\b"
)
# Words that a comment of native code must not begin with; pronouns are allowed, because they may refer to the code
# above.
HEADLESS = re.compile(r"(What|Whether|Those|Of|As|The same|Whose|Whom|Who|Theirs)\b")
# Verbs in the third person, which a function's docstring must not begin with ("Return", not "Returns").
THIRD_PERSON = re.compile(
    r"(Adds|Allocates|Applies|Asks|Begins|Binds|Builds|Calculates|Calls|Changes|Checks|Closes|Collects|Compares|"
    r"Computes|Converts|Copies|Counts|Creates|Describes|Draws|Ends|Executes|Fills|Finds|Gathers|Gets|Gives|Goes|Has|"
    r"Holds|Is|Keeps|Lets|Lists|Loads|Looks|Makes|Measures|Notes|Opens|Parses|Prints|Puts|Raises|Reads|Registers|"
    r"Removes|Replaces|Reports|Resets|Returns|Runs|Says|Sends|Sets|Shows|Simulates|Starts|Stops|Takes|Tells|Turns|"
    r"Waits|Writes)\b"
)
TURNS = re.compile(
    r"\b(let(?:s|ting)? go of|anew|in vain|is no such|are no such|so long as there|as \w+ has it|as \w+ have it|"
    r"tells? of|told of|is to be had|cannot be had|can be had|that there is|that there are|what is there|"
    r"what there is|is none of)\b",
    re.IGNORECASE,
)
CODE = re.compile(r"``.*?``|`[^`]*`|https?://\S+|\[([^\]]*)\]\([^)]*\)", re.DOTALL)
SECTION = re.compile(r"^\s*(Args|Attributes|Raises|Returns|Yields|Usage|Example|Examples|Note|Source|Sources):", re.M)


class Finding(NamedTuple):
    """A sentence that should be written otherwise."""

    path: str
    line: int
    problem: str
    text: str


class Prose(NamedTuple):
    """A piece of prose: a docstring, a comment, a paragraph of a page."""

    line: int
    text: str
    forbidden: re.Pattern[str] | None = None  # openings
    is_function: bool = False  # must begin with an imperative verb, if with a verb


def check(path: str, pieces: Iterable[Prose]) -> Iterator[Finding]:
    """Yield the findings in pieces of prose of a file."""
    for piece in pieces:
        opening = piece.text.strip()
        if piece.forbidden and (match := piece.forbidden.match(opening)):
            yield Finding(path, piece.line, f"begins with {match[0]!r}: name the thing, or begin with a verb", opening)
        if piece.is_function and (match := THIRD_PERSON.match(opening)):
            yield Finding(path, piece.line, f"begins with {match[0]!r}: use the imperative", opening)
        plain = CODE.sub(lambda match: match[1] or "code", piece.text)
        for match in TURNS.finditer(plain):
            yield Finding(path, piece.line, f"says {match[0]!r}", plain[max(0, match.start() - 30) :])
        for sentence in sentences(plain):
            words = len(sentence.split())
            if words > LONGEST_SENTENCE:
                yield Finding(path, piece.line, f"{words} words in a sentence (most: {LONGEST_SENTENCE})", sentence)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; entries of lists and of sections such as Args are apart."""
    for block in re.split(r"\n\s*\n|\n\s*(?=[-*|] |\d+\. |\w+: )|:\n", SECTION.sub("", text)):
        yield from re.split(r"(?<=[.!?;:])\s+", block.replace("\n", " "))


def python_prose(source: str) -> Iterator[Prose]:
    """Yield docstrings and comments of Python code; only public docstrings are held to the rule on openings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                public = isinstance(node, ast.Module) or not node.name.startswith("_")
                is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                yield Prose(node.body[0].lineno, text, OPENINGS if public else None, public and is_function)
    comments = [
        (token.start[0], token.string.lstrip("#! "))
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#")
    ]
    yield from joined(comments)


def native_prose(source: str) -> Iterator[Prose]:
    """Yield the comments of C and C++ code that stand on lines of their own."""
    lines: list[tuple[int, str]] = []
    inside = False
    for number, line in enumerate(source.splitlines(), 1):
        text = line.strip()
        if inside or text.startswith("/*"):
            inside = "*/" not in text
            lines.append((number, text.removeprefix("/*").split("*/")[0].lstrip("* ")))
        elif text.startswith("//"):
            lines.append((number, text.lstrip("/ ")))
    yield from joined(lines, HEADLESS)


def joined(lines: Iterable[tuple[int, str]], forbidden: re.Pattern[str] | None = None) -> Iterator[Prose]:
    """Yield the comments on consecutive lines as one piece each."""
    first, last, texts = 0, -1, list[str]()
    for number, text in lines:
        if number != last + 1 and texts:
            yield Prose(first, "\n".join(texts), forbidden)
            texts = []
        first = number if not texts else first
        texts.append(text)
        last = number
    if texts:
        yield Prose(first, "\n".join(texts), forbidden)


def page_prose(source: str) -> Iterator[Prose]:
    """Yield the paragraphs of a Markdown page, without its code and its tables."""
    source = re.sub(r"^```.*?^```", lambda match: "\n" * match[0].count("\n"), source, flags=re.M | re.S)
    line = 1
    for block in re.split(r"(\n\s*\n)", source):
        if block.strip() and not block.lstrip().startswith(("|", "<", "#")):
            yield Prose(line, block)
        line += block.count("\n")


READERS = {".py": python_prose, ".cpp": native_prose, ".hpp": native_prose, ".h": native_prose, ".md": page_prose}


def main(arguments: list[str]) -> int:
    """Print the findings of the files named, or of all; return the exit status."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = 0
    for name in arguments or listed.splitlines():
        path = ROOT / name
        reader = READERS.get(path.suffix)
        if reader is None or not path.is_file():
            continue
        for finding in check(name, reader(path.read_text(encoding="utf-8"))):
            found += 1
            print(f"{finding.path}:{finding.line}: {finding.problem}: {' '.join(finding.text.split())[:90]}")
    print(f"{found} findings" if found else "no findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
