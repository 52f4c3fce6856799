"""Hostile files end in an error, in little time and memory."""

import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform, builder, interpretation, profiles, read

Describe = Callable[[str], Platform]

EXAMPLE = Path(__file__).parents[2] / "platforms" / "two_clusters.xml"


def test_entity_bomb(tmp_path: Path) -> None:
    bomb = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">\n' for i in range(20))
    file = tmp_path / "bomb.xml"
    file.write_text(f'<!DOCTYPE platform [\n<!ENTITY e0 "x">\n{bomb}]>\n<platform version="4.1">&e20;</platform>')
    with pytest.raises(PlatformError, match=r"bomb\.xml:2: entity 'e0' is declared; platform files must not declare"):
        read(file)


def test_external_entities_are_not_read(tmp_path: Path) -> None:
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
        (CLUSTER.format("0-99999999999999999999", ""), "is too large; the limit is 2147483647"),
        (CLUSTER.format("0-" + "9" * 100_000, ""), "is too large"),
        (CLUSTER.format("0-2147483647", ""), "the platform has 2147483648 hosts"),
        (
            CLUSTER.format("0-2000000000", 'loopback_bw="1GBps"'),
            "6000000003 links; the limits are 2147483647 and 4294967294",
        ),
        (CLUSTER.format("0-3", 'topology="FAT_TREE" topo_parameters="1;4;2000000000;1"'), "16000000000 links"),
        (CLUSTER.format("0-3", 'topology="TORUS" topo_parameters="' + "9" * 5000 + '"'), "is not a number from 1"),
        (CLUSTER.format("0-3", 'topology="TORUS" topo_parameters="99999,99999,99999"'), "but the radical names 4"),
        (
            '<zone id="z" routing="Cluster"><cabinet id="c" prefix="n" suffix="" radical="0-2000000000" speed="1Gf" '
            'bw="1GBps" lat="0"/></zone>',
            "with cabinet 'c' the cabinets have 2000000001 hosts; the limit is 200000",
        ),
        ("".join(f'<zone id="z{i}" routing="Full">' for i in range(100_000)), "zone 'z64' is nested too deeply"),
        (
            '<zone id="z" routing="Floyd">' + "".join(f'<router id="r{i}"/>' for i in range(20_000)) + "</zone>",
            "has 20000 members; the limit is 4096, because Floyd stores all pairs",
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
        (
            '<zone id="w" routing="Cluster">'
            + "".join(
                f'<cabinet id="c{i}" prefix="n{i}-" suffix="" radical="0-99999" speed="1Gf" bw="1GBps" lat="0"/>'
                for i in range(100)
            )
            + "</zone>",
            "with cabinet 'c2' the cabinets have 300000 hosts",
        ),
        (
            '<zone id="w" routing="Full">'
            + CLUSTER.format("0-1000000000", "").replace('"n"', '"n1"')
            + CLUSTER.format("0-9", "").replace('"c"', '"d"')
            + "</zone>",
            "cluster 'c': its prefix ends or its suffix begins with a digit, and it has too many hosts to",
        ),
        (CLUSTER.format("0", f'core="{"9" * 100_000}"'), "is not a whole number from 1 to 999999999"),
        (CLUSTER.format("0", 'topology="FAT_TREE" topo_parameters="33;1;1;1"'), "number of levels, from 1 to 32"),
        (
            CLUSTER.format("0-3", 'topology="DRAGONFLY" topo_parameters="1,1;1,1;2000000000,9;1"'),
            "makes 2000000000 hosts",
        ),
        (
            f'<zone id="{"z" * 1_000_000}" routing="Full"/>',
            "the name of a zone has 1000000 characters; the limit is 255",
        ),
        (f'<zone id="z" routing="{"F" * 1_000_000}"/>', "unknown routing 'FFFF"),
        (f"<{'z' * 1_000_000}/>", "unknown element in <platform> 'zzzz"),
        (f'<zone id="z" {"r" * 1_000_000}=""/>', "unknown attribute of <zone> 'rrrr"),
        ("<zone " + " ".join(f'a{i}=""' for i in range(20_000)) + "/>", "unknown attribute of <zone> 'a0'"),
        (CLUSTER.format("0", "").replace("1Gf", "9" * 1_000_000 + "f"), "is out of range"),
        (
            CLUSTER.format("0", "").replace('prefix="n"', f'prefix="{"n" * 1_000_000}"'),
            "the prefix of a cluster has 1000000",
        ),
        (f'<zone id="z" routing="Full">{"x" * 1_000_000}</zone>', "stray text 'xxxx"),
        (
            '<zone id="z" routing="Full">'
            + '<host id="a" speed="1Gf"/><link id="l" bandwidth="1Bps"/>'
            + '<route src="a" dst="a">'
            + '<link_ctn id="l"/>' * 20_000
            + "</route>" * 2,
            "mismatched tag",
        ),
        (
            '<zone id="z" routing="Full">'
            + "".join(f'<host id="h{i}" speed="1Gf"/>' for i in range(20_000))
            + '<router id="h20000x"/><route src="h2OO00x" dst="h1"/>',
            "unknown host or router 'h2OO00x'",
        ),
    ],
)
def test_absurd_sizes(zones: str, message: str, describe: Describe) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PlatformError) as caught:
            describe(zones)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message in str(caught.value)
    assert "machine.xml:3: " in str(caught.value)
    assert len(str(caught.value)) < 3000
    assert peak < 50_000_000


def test_profiles_are_bounded(describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "MAX_EVENTS", 100)
    monkeypatch.setattr(builder, "MAX_PROFILE_EVENTS", 150)
    monkeypatch.setattr(interpretation, "MAX_PROFILE_EVENTS", 250)
    host = '<host id="{}" speed="1Gf" {}="{}"/>'
    lines = [f"{i} 1" for i in range(101)]
    (tmp_path / "much").write_text("\n".join(lines))
    (tmp_path / "less").write_text("\n".join(lines[:100]))
    (tmp_path / "one").write_text("0 1")
    trace = '<trace id="{}" periodicity="0">\n{}</trace>'
    for text, message in (
        (host.format("a", "speed_file", "much"), "much:101: the profile has more than 100 events"),
        (host.format("a", "speed_file", "less") + host.format("b", "speed_file", "less"), ":3: all profiles together"),
        (trace.format("t", "\n".join(lines)), "machine.xml:104: the profile has more than 100 events"),
        (
            "".join(trace.format(i, "\n".join(lines[:100])) for i in range(3)),
            "all profiles together have more than 250",
        ),
    ):
        with pytest.raises(PlatformError) as caught:
            describe(f'<zone id="z" routing="Full">{text}</zone>')
        assert message in str(caught.value)
    assert describe(f'<zone id="z" routing="Full">{host.format("a", "speed_file", "less")}</zone>').changes


def test_endless_line_of_a_profile(describe: Describe, tmp_path: Path) -> None:
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(4_000_000_000)  # takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(PlatformError, match="endless:1: the line is longer than 1000 characters"):
            describe('<zone id="z" routing="Full"><host id="a" speed="1Gf" speed_file="endless"/></zone>')
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_many_clusters_with_the_same_names(describe: Describe) -> None:
    clusters = [
        f'<cluster id="c{i}" prefix="n" suffix="" radical="{i * 1000}-{i * 1000 + 999}" speed="1Gf" bw="1GBps" '
        f'lat="1us" router_id="r{i}"/>'
        for i in range(10_000)
    ]
    world = '<zone id="w" routing="Full">{}</zone>'
    platform = describe(world.format("\n".join(clusters)))
    assert platform.host("n9999999").index == 9_999_999
    clusters[5000] = clusters[5000].replace('999"', '2999"')
    with pytest.raises(
        PlatformError, match=r"machine\.xml:5004: host 'n5001000' is described twice; first in line 5003"
    ):
        describe(world.format("\n".join(clusters)))


def test_encodings_that_are_not_text(tmp_path: Path) -> None:
    for encoding in ("utf-7", "cp932", "idna", "unicode_escape", "base64", "nonsense", "utf-16"):
        file = tmp_path / "machine.xml"
        file.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>\n<platform version="4.1"/>'.encode())
        with pytest.raises(PlatformError, match=r"machine\.xml:1: (unknown encoding|the text is not in utf-16)"):
            read(file)


LIMITED = """
import os, resource, sys
from pathlib import Path
from pysmpi.errors import PlatformError
from pysmpi.platform import read

if "asan" not in os.environ.get("LD_PRELOAD", ""):  # AddressSanitizer keeps a shadow of the whole address space
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
for file in sorted(Path(sys.argv[1]).glob("*.xml")):
    try:
        print(file.stem, len(read(file).hosts))
    except PlatformError as error:
        print(file.stem, "error")
"""


def test_within_limits(tmp_path: Path) -> None:
    cluster = CLUSTER.format("0-2000000000", "")
    zones = {
        "cluster": cluster,
        "tree": CLUSTER.format("0-1073741823", 'topology="FAT_TREE" topo_parameters="3;1024,1024,1024;1,1,1;1,1,1"'),
        "torus": CLUSTER.format("0-124999999", 'topology="TORUS" topo_parameters="500,500,500"'),
        "floyd": f'<zone id="z" routing="Floyd">{"".join(f"<router id={chr(34)}r{i}{chr(34)}/>" for i in range(2000))}'
        '<host id="a" speed="1Gf"/></zone>',
        "digits": f'<zone id="w" routing="Full">{cluster.replace("n", "n1")}{CLUSTER.format("0", "")}</zone>',
        "cabinet": '<zone id="z" routing="Cluster"><cabinet id="c" prefix="" suffix="" radical="0-19999" speed="1f" '
        'bw="1Bps" lat="0"/></zone>',
        "name": f'<zone id="z" routing="Full">{CLUSTER.format("0-1000000000", "")}<link id="l" bandwidth="1Bps"/>'
        f'<zoneRoute src="c" dst="c" gw_src="n0" gw_dst="n{"1" * 100_000}"/></zone>',
    }
    for name, text in zones.items():
        (tmp_path / f"{name}.xml").write_text(f'<platform version="4.1">{text}</platform>')
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "cabinet 20000",
        "cluster 2000000001",
        "digits error",
        "floyd 1",
        "name error",
        "torus 125000000",
        "tree 1073741824",
    ], done.stderr


def test_many_runs_in_a_radical(describe: Describe) -> None:
    runs = [str(number) for number in range(0, 200_000, 2)]
    platform = describe(CLUSTER.format(",".join(reversed(runs)), ""))
    assert platform.host("n199998").index == 0
    assert platform.hosts[-1].name == "n0"
    with pytest.raises(PlatformError, match="unknown host 'n7'"):
        platform.host("n7")


@settings(deadline=None)
@given(st.integers(0, EXAMPLE.stat().st_size - 2), st.binary(max_size=8), st.integers(0, 8))
def test_damaged_files(place: int, inserted: bytes, removed: int) -> None:
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
    cut = Path("cut.xml")
    cut.write_bytes(EXAMPLE.read_bytes()[:place])
    with pytest.raises(PlatformError, match=r"^cut\.xml:\d+: "):
        read(cut)
