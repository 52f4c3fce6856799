"""Hostile files end in an error, in little time and memory."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform, read

Describe = Callable[[str], Platform]

EXAMPLE = Path(__file__).parents[2] / "platforms" / "two_clusters.xml"


def test_entity_bomb(tmp_path: Path) -> None:
    """Entities may not even be declared, so they never grow."""
    bomb = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">\n' for i in range(20))
    file = tmp_path / "bomb.xml"
    file.write_text(f'<!DOCTYPE platform [\n<!ENTITY e0 "x">\n{bomb}]>\n<platform version="4.1">&e20;</platform>')
    with pytest.raises(PlatformError, match=r"bomb\.xml:2: entity 'e0' is declared; platform files must not declare"):
        read(file)


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    """Neither by an entity nor by the document type."""
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY e "secret">')
    file = tmp_path / "machine.xml"
    file.write_text(f'<!DOCTYPE platform SYSTEM "{secret}">\n<platform version="4.1">\n&e;</platform>')
    with pytest.raises(PlatformError, match=r"machine\.xml:3: unknown entity 'e'"):
        read(file)
    file.write_text(f'<!DOCTYPE platform [<!ENTITY e SYSTEM "{secret}">]>\n<platform version="4.1">&e;</platform>')
    with pytest.raises(PlatformError, match=r"machine\.xml:1: entity 'e' is declared"):
        read(file)


CLUSTER = '<cluster id="c" prefix="n" suffix="" radical="{}" speed="1Gf" bw="1GBps" lat="1us" {}/>'


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        (CLUSTER.format("0-99999999999999999999", ""), "is too large; numbers go up to 2147483647"),
        (CLUSTER.format("0-" + "9" * 100_000, ""), "is too large"),
        (CLUSTER.format("0-2147483647", ""), "the platform has 2147483648 hosts"),
        (CLUSTER.format("0-2000000000", 'loopback_bw="1GBps"'), "6000000003 links; at most 2147483647 and 4294967294"),
        (CLUSTER.format("0-3", 'topology="FAT_TREE" topo_parameters="1;4;2000000000;1"'), "16000000000 links"),
        (CLUSTER.format("0-3", 'topology="TORUS" topo_parameters="' + "9" * 5000 + '"'), "is not a number from 1"),
        (CLUSTER.format("0-3", 'topology="TORUS" topo_parameters="99999,99999,99999"'), "but the radical names 4"),
        (
            '<zone id="z" routing="Cluster"><cabinet id="c" prefix="n" suffix="" radical="0-2000000000" speed="1Gf" '
            'bw="1GBps" lat="0"/></zone>',
            "with cabinet 'c' the cabinets have 2000000001 hosts, each kept on its own; at most 200000",
        ),
        ("".join(f'<zone id="z{i}" routing="Full">' for i in range(100_000)), "zone 'z64' is nested too deeply"),
        (
            '<zone id="z" routing="Floyd">' + "".join(f'<router id="r{i}"/>' for i in range(20_000)) + "</zone>",
            "has 20000 members; as it keeps a table of all pairs, at most 4096 are possible",
        ),
        (
            '<zone id="w" routing="Full">'
            + CLUSTER.format("0-1000000000", "")
            + '<link id="l" bandwidth="1Bps"/><zoneRoute src="c" dst="d" gw_src="n0" gw_dst="n1"><link_ctn id="m"/>'
            + "</zoneRoute></zone>",
            "unknown zone 'd'",
        ),
        (
            '<zone id="w" routing="Full">'
            + CLUSTER.format("0-1000000000", "")
            + CLUSTER.format("0-9", "").replace('"c"', '"d"').replace('"n"', '"m"')
            + '<zoneRoute src="c" dst="d" gw_src="n0" gw_dst="m1"><link_ctn id="c_link_x"/></zoneRoute></zone>',
            "unknown link 'c_link_x'",
        ),
    ],
)
def test_absurd_sizes(zones: str, message: str, describe: Describe) -> None:
    """What cannot be numbered or kept is refused before anything of that size is made."""
    tracemalloc.start()
    try:
        with pytest.raises(PlatformError) as caught:
            describe(zones)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message in str(caught.value)
    assert "machine.xml:3: " in str(caught.value)
    assert peak < 50_000_000


def test_many_runs_in_a_radical(describe: Describe) -> None:
    """A hundred thousand of them are found in order and out of order."""
    runs = [str(number) for number in range(0, 200_000, 2)]
    platform = describe(CLUSTER.format(",".join(reversed(runs)), ""))
    assert platform.host("n199998").index == 0
    assert platform.hosts[-1].name == "n0"
    with pytest.raises(PlatformError, match="unknown host 'n7'"):
        platform.host("n7")


@settings(deadline=None)
@given(st.integers(0, EXAMPLE.stat().st_size - 2), st.binary(max_size=8), st.integers(0, 8))
def test_damaged_files(place: int, inserted: bytes, removed: int) -> None:
    """Whatever is done to a file, it is a platform or an error with a line."""
    text = EXAMPLE.read_bytes()
    damaged = Path("damaged.xml")
    damaged.write_bytes(text[:place] + inserted + text[place + removed :])
    try:
        platform = read(damaged)
    except PlatformError as error:
        assert str(error).startswith("damaged.xml:")
        assert str(error).split(":")[1].isdigit()
    else:
        assert len(platform.hosts) > 0


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@settings(deadline=None)
@given(st.integers(0, EXAMPLE.stat().st_size - 12))
def test_cut_files(place: int) -> None:
    """A file that ends too early is never taken for a whole one."""
    cut = Path("cut.xml")
    cut.write_bytes(EXAMPLE.read_bytes()[:place])
    with pytest.raises(PlatformError, match=r"^cut\.xml:\d+: "):
        read(cut)
