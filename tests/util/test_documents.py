"""Tests of TOML documents: the line of a key."""

import pathlib

import pytest

from pysmpi.errors import LaunchError
from pysmpi.util.documents import Document

TEXT = """\
top = 1
[table]
key = 2  # a comment
inner.deep = 3
[[things]]
name = "a"
[[things]]
name = "b"
"quoted" = 4
[after]
key = 5
"""


@pytest.mark.parametrize(
    ("keys", "number", "line"),
    [
        (["top"], None, 1),
        (["table", "key"], None, 3),
        (["table", "inner", "deep"], None, 4),
        (["table", "other"], None, 2),
        (["things", "name"], 1, 6),
        (["things", "name"], 2, 8),
        (["things", "quoted"], 2, 9),
        (["things", "quoted"], 1, 5),
        (["after", "key"], None, 11),
        (["table", "key"], 1, 3),
    ],
)
def test_lines(keys: list[str], number: int | None, line: int) -> None:
    """The line is that of the key in the right table, or of the nearest table."""
    document = Document.parse(TEXT, pathlib.Path("file.toml"), LaunchError)
    assert document.place(keys, number) == f"file.toml:{line}"


def test_nowhere() -> None:
    assert Document.parse(TEXT, pathlib.Path("file.toml"), LaunchError).place(["nothing"]) == "file.toml"


def test_not_toml(tmp_path: pathlib.Path) -> None:
    with pytest.raises(LaunchError, match=r"file.toml:2: not valid TOML"):
        Document.parse("a = 1\nb =\n", pathlib.Path("file.toml"), LaunchError)
    (tmp_path / "bytes.toml").write_bytes(b"a = 1\n\xff")
    with pytest.raises(LaunchError, match=r"bytes.toml:2: not a text file in UTF-8"):
        Document.read(tmp_path / "bytes.toml", LaunchError)
