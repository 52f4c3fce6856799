"""Peculiarities of published platform files, which SimGrid's scanner accepts and XML forbids."""

import io
from pathlib import Path

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform.xml import read
from pysmpi.platform.xml_text import CHUNK, well_formed

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <!-- a comment
       of two lines -->
  <zone id="z" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed='1Gf'/>
    <link id="l" bandwidth="1GBps" latency="1us"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
"""

PECULIAR = {
    "blank line first": "\n" + PLATFORM,
    "blanks first": "  \t" + PLATFORM,
    "byte order mark and blanks": "\ufeff \n" + PLATFORM,
    "comment first": "<!-- made by a script -->\n" + PLATFORM,
    "comments and blank lines first": "\n<!-- a -- b -->\n\n<!-- c -->" + PLATFORM,
    "capitals in the declaration": PLATFORM.replace("<?xml", "<?XML"),
    "no declaration": PLATFORM.partition("\n")[2],
    "dashes in a comment": PLATFORM.replace("a comment", "a -- comment --- "),
    "a comment that ends in three dashes": PLATFORM.replace(" of two lines -->", " of two lines --->"),
    "elements in a comment": PLATFORM.replace("a comment", '<host id="a" speed="1Gf"> \' " <![CDATA['),
    "no blank between attributes": PLATFORM.replace('id="a" ', 'id="a"').replace(
        "id=\"b\" speed='1Gf'", "speed='1Gf'id=\"b\""
    ),
    "long comment first": f"<!-- {'x -- ' * CHUNK}-->{PLATFORM}",
    "long comment": PLATFORM.replace("a comment", "x -- " * CHUNK),
}


@pytest.mark.parametrize("text", PECULIAR.values(), ids=PECULIAR)
def test_peculiar_texts_are_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "machine.xml"
    file.write_text(text)
    assert [host.name for host in read(file).hosts] == ["a", "b"]


@pytest.mark.parametrize("byte", [b"\xe9", b"\xff\xfe", b"\x80"])
def test_bytes_of_another_encoding_in_comments(byte: bytes, tmp_path: Path) -> None:
    file = tmp_path / "machine.xml"
    file.write_bytes(PLATFORM.encode().replace(b"a comment", b"caf" + byte))
    assert len(read(file).hosts) == 2
    file.write_bytes(PLATFORM.encode().replace(b'"a"', b'"caf' + byte + b'"'))
    with pytest.raises(PlatformError, match=r"machine\.xml:7: the text is not in utf-8: "):
        read(file)


def test_peculiar_included_files(tmp_path: Path) -> None:
    inner = PLATFORM[PLATFORM.index("  <zone") : PLATFORM.index("</platform")]
    (tmp_path / "inner.xml").write_bytes(
        b"\n<!-- \xe9 -- -->\n<?xml version='1.0'?>\n" + inner.replace('id="a" ', 'id="a"').encode()
    )
    (tmp_path / "outer.xml").write_text('\n<platform version="4.1"><include file="inner.xml"/></platform>')
    assert len(read(tmp_path / "outer.xml").hosts) == 2


def test_lines_of_errors_stay(tmp_path: Path) -> None:
    for text in PECULIAR.values():
        file = tmp_path / "machine.xml"
        wrong = text.replace("1GBps", "fast")
        file.write_text(wrong)
        line = wrong[: wrong.index("fast")].count("\n") + 1
        with pytest.raises(PlatformError, match=rf"machine\.xml:{line}: "):
            read(file)


def test_an_open_comment_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "machine.xml"
    for end in ("<!--", "<!-->", "<!--->", "<!-- ", "<!-- --"):
        file.write_text(PLATFORM.replace("</platform>", end))
        with pytest.raises(PlatformError, match=r"machine\.xml:\d+: not well-formed XML"):
            read(file)


@pytest.mark.parametrize("size", range(1, 40))
def test_any_division_into_chunks_gives_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        '<platform version="4.1"><!-- a\n--->\n<![CDATA[ <!-- ]]><a b="c>"d=\'<!--\'/><!----><!-- -\n- --></platform>\n'
    )
    whole = "".join(well_formed(io.BytesIO(text.encode()), "f"))
    assert whole == '<platform version="4.1">\n\n<![CDATA[ <!-- ]]><a b="c>" d=\'<!--\' />\n</platform>\n'
    monkeypatch.setattr("pysmpi.platform.xml_text.CHUNK", size)
    assert "".join(well_formed(io.BytesIO(text.encode()), "f")) == whole
