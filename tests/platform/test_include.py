"""Files that include others."""

from pathlib import Path

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import read

CLUSTER = '<cluster id="{0}" prefix="{0}" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>'
DOCUMENT = (
    '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
    '<platform version="4.1">\n{}\n</platform>\n'
)
LINK = '<link id="l" bandwidth="1GBps" latency="1us"/>'
ROUTE = '<zoneRoute src="c" dst="d" gw_src="cc_router" gw_dst="dd_router"><link_ctn id="l"/></zoneRoute>'


def write(folder: Path, **files: str) -> Path:
    """Write the files (a_b for a/b.xml) and return the path of the main one."""
    for name, text in files.items():
        path = folder / f"{name.replace('_', '/')}.xml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder / "main.xml"


@pytest.mark.parametrize(
    "inner",
    [
        CLUSTER.format("c") + "\n" + CLUSTER.format("d"),
        f"<!-- two of them -->\n{CLUSTER.format('c')}{CLUSTER.format('d')}",
        f'<?xml version="1.0" encoding="UTF-8"?>{CLUSTER.format("c")}{CLUSTER.format("d")}',
        DOCUMENT.format(CLUSTER.format("c") + "\n" + CLUSTER.format("d")),
    ],
    ids=["parts", "comment", "declaration", "document"],
)
def test_forms(inner: str, tmp_path: Path) -> None:
    outer = DOCUMENT.format(f'<zone id="w" routing="Full">\n<include file="inner.xml"/>{LINK}{ROUTE}</zone>')
    platform = read(write(tmp_path, main=outer, inner=inner))
    assert len(platform.hosts) == 8
    assert [link.name for link in platform.route("c0", "d3").links] == ["c_link_0_UP", "l", "d_link_3_DOWN"]
    assert [zone.parent for zone in platform.zones] == [None, "w", "w"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    declared = encoding.removesuffix("-sig")
    inner = f'<?xml version="1.0" encoding="{declared}"?>\n' + CLUSTER.format("é")
    main = write(tmp_path, main=DOCUMENT.format('<include file="inner.xml"/>'))
    (tmp_path / "inner.xml").write_bytes(inner.encode(encoding))
    assert read(main).hosts[0].name == "é0"


def test_whole_platform_by_include(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=DOCUMENT.format('<include file="parts/options.xml"/><include file="parts/machine.xml"/>'),
        parts_options='<config><prop id="network/model" value="CM02"/></config>',
        parts_machine=DOCUMENT.format('<zone id="z" routing="Full"><include file="hosts.xml"/></zone>'),
        parts_hosts='<host id="a" speed="1Gf" speed_file="a.profile"/>',
    )
    (tmp_path / "parts" / "a.profile").write_text("1 1")
    platform = read(main)
    assert [host.name for host in platform.hosts] == ["a"]
    assert dict(platform.config) == {"network/model": "CM02"}
    assert len(platform.changes) == 1


@pytest.mark.parametrize(
    ("files", "place", "message"),
    [
        ({}, "main.xml:4", "there is no file 'inner.xml', neither in '{}' nor in the working directory"),
        (
            {"inner": '\n<include file="inner.xml"/>'},
            "inner.xml:2",
            "inner.xml' includes itself (included in {}/main.xml:4)",
        ),
        ({"inner": '<include file="main.xml"/>'}, "inner.xml:1", "main.xml' includes itself"),
        (
            {"inner": '<include file="third.xml"/>', "third": '\n\n<include file="inner.xml"/>'},
            "third.xml:3",
            "inner.xml' includes itself (included in {0}/inner.xml:1) (included in {0}/main.xml:4)",
        ),
        ({"inner": '<include file="./././inner.xml"/>'}, "inner.xml:1", "includes itself"),
        ({"inner": "\n\n<zome/>"}, "inner.xml:3", "unknown element in <platform> 'zome'; did you mean 'zone'?"),
        ({"inner": '<?xml version="1.0"?>\n<!DOCTYPE platform>\n<zome/>'}, "inner.xml:3", "unknown element"),
        ({"inner": '\n<host id="a" speed="1Gf"/>'}, "inner.xml:2", "<host> is not allowed in <platform>"),
        ({"inner": "\n<zone id='z' routing='Full'>\n"}, "inner.xml:3", "not well-formed XML inside <zone> of line 2"),
        ({"inner": "\n</platform>\n"}, "inner.xml:2", "not well-formed XML: mismatched tag"),
        ({"inner": "</include><include>"}, "inner.xml:1", "not well-formed XML: junk after document element"),
        ({"inner": '<platform version="3"></platform>'}, "inner.xml:1", "version '3' of the platform format"),
        ({"inner": '<platform version="4.1"><platform version="4.1"/></platform>'}, "inner.xml:1", "<platform> is not"),
        ({"inner": '<!DOCTYPE p [<!ENTITY e "x">]>&e;'}, "inner.xml:1", "not well-formed XML"),
        (
            {"inner": '<?xml version="1.0" encoding="cp1252"?>'},
            "inner.xml:1",
            "unknown encoding 'cp1252' (valid: utf-8",
        ),
        ({"inner": "hello"}, "inner.xml:1", "stray text 'hello'"),
        (
            {"inner": CLUSTER.format("c") + "\n" + CLUSTER.format("c")},
            "inner.xml:2",
            "is described twice; first in line 1",
        ),
        (
            {
                "inner": f'<zone id="w" routing="Full">\n{CLUSTER.format("c")}\n<include file="third.xml"/></zone>',
                "third": "\n\n\n" + CLUSTER.format("c"),
            },
            "third.xml:4",
            "is described twice; first in {0}/inner.xml:2 (included in {0}/inner.xml:3) (included in {0}/main.xml:4)",
        ),
    ],
)
def test_errors(files: dict[str, str], place: str, message: str, tmp_path: Path) -> None:
    main = write(tmp_path, main=DOCUMENT.format('<include file="inner.xml"/>'), **files)
    with pytest.raises(PlatformError) as caught:
        read(main)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path}/{place}: ")
    assert message.format(tmp_path) in text


def test_includes_that_multiply(tmp_path: Path) -> None:
    """Sixteen files that each include the next one ten times would be read 10^15 times."""
    files = {f"f{i}": f'<include file="f{i + 1}.xml"/>\n' * 10 for i in range(15)}
    main = write(tmp_path, main=DOCUMENT.format('<include file="f0.xml"/>'), f15="", **files)
    with pytest.raises(
        PlatformError, match=r"f\d+\.xml:\d+: too many includes; the limits are a depth of 16 and 1000 in total"
    ):
        read(main)


def test_deep_includes(tmp_path: Path) -> None:
    files = {f"f{i}": f'<include file="f{i + 1}.xml"/>' for i in range(20)}
    main = write(tmp_path, main=DOCUMENT.format('<include file="f0.xml"/>'), **files)
    with pytest.raises(PlatformError, match=r"f15\.xml:1: too many includes; the limits are a depth of 16"):
        read(main)
    (tmp_path / "f15.xml").write_text(CLUSTER.format("c"))
    assert len(read(main).hosts) == 4


def test_broken_text(tmp_path: Path) -> None:
    main = write(tmp_path, main=DOCUMENT.format('<include file="inner.xml"/>'))
    (tmp_path / "inner.xml").write_bytes(CLUSTER.format("c").encode() + b"\n\n<!-- \xff -->\n\xff")
    with pytest.raises(PlatformError, match=r"inner\.xml:4: the text is not in utf-8: invalid start byte"):
        read(main)
