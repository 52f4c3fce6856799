"""Profiles of hosts and links: format, search for files, and connections."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform, read
from pysmpi.platform.elements import ELEMENTS
from pysmpi.platform.profiles import KINDS

Describe = Callable[[str], Platform]

ZONE = (
    '<zone id="z" routing="Full"><host id="a" speed="1Gf" {host}/><link id="l" bandwidth="1GBps" {link}/>\n'
    '<link id="s" bandwidth="1GBps" sharing_policy="SPLITDUPLEX" {split}/></zone>'
)


def zone(**attributes: str) -> str:
    return ZONE.format_map({"host": "", "link": "", "split": ""} | attributes)


@pytest.fixture
def profile_of(describe: Describe, tmp_path: Path) -> Callable[[str], tuple[list[float], list[float], float]]:
    def make(text: str) -> tuple[list[float], list[float], float]:
        (tmp_path / "p.profile").write_text(text)
        (changes,) = describe(zone(host='speed_file="p.profile"')).changes
        return list(changes.dates), list(changes.values), changes.loop_after

    return make


@pytest.mark.parametrize(
    ("text", "dates", "values", "loop_after"),
    [
        ("0 1", [0], [1], -1),
        ("# comment\n\n  0 0.5\n% another\n2.5\t1e-1  \n", [0, 2.5], [0.5, 0.1], -1),
        ("0 1\r\n1 .5\r\n", [0, 1], [1, 0.5], -1),
        ("1 1\n1 0.5\n", [1, 1], [1, 0.5], -1),
        ("1 1\n4 0.5\nLOOPAFTER 6\n", [1, 4], [1, 0.5], 6),
        ("LOOPAFTER 0\n1 1\n4 0.5\n", [1, 4], [1, 0.5], 0),
        ("PERIODICITY 10\n1 1\n4 0.5\n", [1, 4], [1, 0.5], 6),
        ("PERIODICITY 4\n1 1\n4 0.5\n", [1, 4], [1, 0.5], 0),
        ("DET 1 DET 2\n", [1], [2], -1),
    ],
)
def test_format(
    text: str,
    dates: list[float],
    values: list[float],
    loop_after: float,
    profile_of: Callable[[str], tuple[list[float], list[float], float]],
) -> None:
    assert profile_of(text) == (dates, values, loop_after)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the profile is empty"),
        ("# nothing\nLOOPAFTER 3\n", 1, "the profile is empty"),
        ("0 1\n2\n", 2, "'2' is not a date in seconds and a value, such as '10.5 0.5'"),
        ("0 1\n2 3 4\n", 2, "'2 3 4' is not a date in seconds and a value"),
        ("0 1\nx 3\n", 2, "date 'x' is not a number"),
        ("0 nan", 1, "value 'nan' is not a number"),
        ("0 1\n1 inf", 2, "value 'inf' is not a number"),
        ("0 1\n1 1e999", 2, "value '1e999' is not a number"),
        ("0 1\n1 0x10", 2, "value '0x10' is not a number"),
        ("0 1\n1 1_0", 2, "value '1_0' is not a number"),
        ("0 1Gf", 1, "value '1Gf' is not a number"),
        ("-1 1", 1, "date '-1' is negative; it must be 0 or more"),
        ("0 1\n1 -0.5", 2, "speed -0.5 is not valid; it must be 0 or more"),
        ("0 1\n2 1\n\n1 1", 4, "date 1 comes after date 2; dates must ascend"),
        ("STOCHASTIC\nDET 0 UNIF 1 2", 1, "stochastic profiles are not supported; list dates and values"),
        ("STOCHASTIC LOOP\nDET 0 UNIF 1 2", 1, "stochastic profiles are not supported"),
        ("0 1\nEXP 3 DET 2", 2, "stochastic profiles are not supported"),
        ("0 1\nLOOPAFTER", 2, "LOOPAFTER takes one number of seconds, such as 'LOOPAFTER 10'"),
        ("0 1\nLOOPAFTER -1", 2, "LOOPAFTER '-1' is negative"),
        ("0 1\nPERIODICITY 0", 2, "PERIODICITY '0' must be above 0"),
        ("0 1\n5 1\nPERIODICITY 3", 3, "the profile repeats after 3 s, but its last date is 5 s"),
        ("0 1\nLOOPAFTER 3\nPERIODICITY 3", 3, "a profile takes a periodicity or LOOPAFTER, not both"),
        ("0 1\nLOOPAFTER 0", 2, "the profile repeats after less than 1e-09 s"),
        ("0 1\n" + "1" * 5000, 2, "the line is longer than 1000 characters"),
    ],
)
def test_errors_in_profiles(text: str, line: int, message: str, describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text(text)
    with pytest.raises(PlatformError) as caught:
        describe(zone(host='speed_file="p.profile"'))
    place, _, rest = str(caught.value).partition(": ")
    assert place == f"{tmp_path}/p.profile:{line}"
    assert message in rest


def test_errors_name_the_platform_too(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("x")
    with pytest.raises(PlatformError, match=r"\(state_file of host 'a', .*machine\.xml:3\)$"):
        describe(zone(host='state_file="p.profile"'))


@pytest.mark.parametrize(
    ("where", "attribute", "what", "values"),
    [
        ("host", "speed_file", "speed", [2, 0, 0.5]),
        ("host", "availability_file", "speed", [2, 0, 0.5]),
        ("host", "state_file", "state", [1, 0, 1]),
        ("link", "latency_file", "latency", [2, 0, 0.5]),
        ("link", "state_file", "state", [1, 0, 1]),
    ],
)
def test_kinds(where: str, attribute: str, what: str, values: list[float], describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("0 2\n1 0\n2 .5")
    (changes,) = describe(zone(**{where: f'{attribute}="p.profile"'})).changes
    assert (changes.name, changes.what) == ("a" if where == "host" else "l", what)
    assert list(changes.values) == values


def test_state_below_zero_is_off(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("0 -1\n1 1")
    (changes,) = describe(zone(host='state_file="p.profile"')).changes
    assert list(changes.values) == [0, 1]


def test_bandwidth_of_zero(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("0 1e9\n3 0")
    with pytest.raises(PlatformError, match=r"p\.profile:2: bandwidth 0 is not valid; it must be above 0 \(to cut"):
        describe(zone(link='bandwidth_file="p.profile"'))


def test_files_beside_the_platform_go_first(
    describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    (elsewhere / "p.profile").write_text("1 1")
    (changes,) = describe(zone(host='speed_file="p.profile"')).changes
    assert list(changes.dates) == [1]
    (tmp_path / "p.profile").write_text("2 1")
    (changes,) = describe(zone(host='speed_file="p.profile"')).changes
    assert list(changes.dates) == [2]
    (changes,) = describe(zone(host=f'speed_file="{elsewhere}/p.profile"')).changes
    assert list(changes.dates) == [1]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("nowhere.profile", "there is no file 'nowhere.profile', neither in '{}' nor in the working directory"),
        ("/nowhere.profile", "there is no file '/nowhere.profile'"),
        (".", "is not a regular file"),
        ("/dev/zero", "'/dev/zero' is not a regular file"),
    ],
)
def test_files_that_cannot_be_read(file: str, message: str, describe: Describe, tmp_path: Path) -> None:
    with pytest.raises(PlatformError) as caught:
        describe(zone(host=f'speed_file="{file}"'))
    assert str(caught.value).startswith(f"{tmp_path}/machine.xml:3: ")
    assert message.format(tmp_path) in str(caught.value)


TRACE = '<trace id="t" periodicity="{}">\n{}\n</trace>\n'
CONNECT = '\n<trace_connect trace="{}" kind="{}" element="{}"/>'


@pytest.mark.parametrize(
    ("kind", "element", "what"),
    [
        ("HOST_AVAIL", "a", "state"),
        ("SPEED", "a", "speed"),
        ("LINK_AVAIL", "l", "state"),
        ("BANDWIDTH", "l", "bandwidth"),
        ("LATENCY", "s_UP", "latency"),
        ("BANDWIDTH", "s", "bandwidth"),
    ],
)
def test_connected_traces(kind: str, element: str, what: str, describe: Describe) -> None:
    trace = TRACE.format(10, "1 1\n3 1")
    for text in (
        trace + zone() + CONNECT.format("t", kind, element),
        trace + CONNECT.format("t", kind, element) + zone(),
        zone().replace("</zone>", trace + CONNECT.format("t", kind, element) + "</zone>"),
    ):
        (changes,) = describe(text).changes
        assert (changes.name, changes.what, list(changes.dates), changes.loop_after) == (element, what, [1, 3], 7)


def test_trace_is_connected_to_a_state_by_default(describe: Describe) -> None:
    (changes,) = describe(TRACE.format(0, "1 1") + zone() + '<trace_connect trace="t" element="a"/>').changes
    assert (changes.what, changes.loop_after) == ("state", -1)


def test_trace_connected_to_several(describe: Describe) -> None:
    cluster = '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" bb_bw="1GBps"/>'
    platform = describe(
        TRACE.format(0, "1 1")
        + cluster
        + CONNECT.format("t", "SPEED", "n1")
        + CONNECT.format("t", "SPEED", "n3")
        + CONNECT.format("t", "BANDWIDTH", "c_backbone")
        + CONNECT.format("t", "LATENCY", "c_link_3_UP")
    )
    assert [(changes.name, changes.what) for changes in platform.changes] == [
        ("n1", "speed"),
        ("n3", "speed"),
        ("c_backbone", "bandwidth"),
        ("c_link_3_UP", "latency"),
    ]


def test_cables_of_topologies_have_names(describe: Describe) -> None:
    cluster = (
        '<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" topology="FAT_TREE" '
        'topo_parameters="1;4;1;1"/>'
    )
    name = describe(cluster).links[3].name
    (changes,) = describe(TRACE.format(0, "1 1") + cluster + CONNECT.format("t", "BANDWIDTH", name)).changes
    assert changes.name == name


def test_trace_in_a_file(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("1 1\nLOOPAFTER 2")
    (changes,) = describe(
        '<trace id="t" periodicity="99" file="p.profile"/>' + zone() + CONNECT.format("t", "SPEED", "a")
    ).changes
    assert changes.loop_after == 2


def test_peers_have_profiles(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("1 1")
    platform = describe(
        '<zone id="z" routing="Vivaldi"><peer id="a" speed="1Gf" bw_in="1GBps" bw_out="1GBps" coordinates="1 2 3" '
        'speed_file="p.profile" state_file="p.profile"/></zone>'
    )
    assert [(changes.name, changes.what) for changes in platform.changes] == [("a", "speed"), ("a", "state")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (TRACE.format(0, "1 1\nx 2"), 5, "date 'x' is not a number"),
        (TRACE.format(0, ""), 3, "the profile is empty"),
        (TRACE.format(1, "5 1"), 4, "the profile repeats after 1 s, but its last date is 5 s"),
        (TRACE.format(1, "5 1\nLOOPAFTER 1"), 5, "a profile takes a periodicity or LOOPAFTER, not both"),
        (TRACE.format("1s", "5 1"), 3, "periodicity '1s' of trace 't' is not a number of seconds"),
        (TRACE.format("nan", "5 1"), 3, "periodicity 'nan' of trace 't' is not a number of seconds"),
        (TRACE.format(0, "5 1") + TRACE.format(0, "5 1"), 6, "trace 't' is described twice; first in line 3"),
        (
            zone() + CONNECT.format("t", "SPEED", "a"),
            5,
            "trace 't' is not defined above this trace_connect (valid: none)",
        ),
        (TRACE.format(0, "5 1") + zone() + CONNECT.format("u", "SPEED", "a"), 8, "trace 'u' is not defined above"),
        (TRACE.format(0, "5 1") + zone() + CONNECT.format("t", "SPEED", "b"), 8, "unknown host 'b'"),
        (TRACE.format(0, "5 1") + zone() + CONNECT.format("t", "LATENCY", "m"), 8, "unknown link 'm'"),
        (TRACE.format(0, "5 1") + zone() + CONNECT.format("t", "POWER", "a"), 8, "it is called SPEED in version 4"),
        (TRACE.format(0, "5 0") + zone() + CONNECT.format("t", "BANDWIDTH", "l"), 4, "bandwidth 0 is not valid"),
        (
            TRACE.format(0, "5 1") + zone() + 2 * CONNECT.format("t", "BANDWIDTH", "l"),
            9,
            "link 'l' has two profiles of its bandwidth",
        ),
        (
            TRACE.format(0, "5 1")
            + zone()
            + CONNECT.format("t", "LATENCY", "s")
            + CONNECT.format("t", "LATENCY", "s_UP"),
            9,
            "link 's_UP' has two profiles of its latency",
        ),
        (
            '<cluster id="c" prefix="n" suffix="" radical="0" speed="1Gf" bw="1Bps" lat="0" availability_file="f"/>',
            3,
            "clusters and cabinets have no profiles in version 4 of the format (SimGrid 3.13); connect a trace",
        ),
        (zone(host='availability="0.5"'), 3, "it was removed in version 4 of the format (SimGrid 3.13); use"),
        ('<zone id="z" routing="Full"><host id="a" power="1Gf"/></zone>', 3, "it is called 'speed' in version 4"),
    ],
)
def test_errors_in_platforms(text: str, line: int, message: str, describe: Describe) -> None:
    with pytest.raises(PlatformError) as caught:
        describe(text)
    place, _, rest = str(caught.value).partition(": ")
    assert place.endswith(f"machine.xml:{line}")
    assert message in rest


def test_two_files_that_mean_the_same(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("1 1")
    with pytest.raises(PlatformError, match="an availability_file and a speed_file, which mean the same"):
        describe(zone(host='speed_file="p.profile" availability_file="p.profile"'))


def test_profile_shared_by_many(describe: Describe, tmp_path: Path) -> None:
    (tmp_path / "p.profile").write_text("1 1")
    hosts = "".join(f'<host id="h{i}" speed="1Gf" speed_file="p.profile"/>' for i in range(1000))
    platform = describe(f'<zone id="z" routing="Full">{hosts}</zone>')
    assert len(platform.changes) == 1000
    assert platform.changes[0].dates is platform.changes[-1].dates


def test_reading_from_another_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "machine.xml").write_text(
        f'<platform version="4.1">{zone(host="speed_file=$p.profile$")}</platform>'.replace("$", '"')
    )
    (tmp_path / "m" / "p.profile").write_text("?")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlatformError, match=r"^m/p\.profile:1: .* \(speed_file of host 'a', m/machine\.xml:1\)$"):
        read("m/machine.xml")


DOCUMENTATION = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text()


def test_documented_profile(profile_of: Callable[[str], tuple[list[float], list[float], float]]) -> None:
    example = DOCUMENTATION.split("```text\n")[1].split("```")[0]
    assert profile_of(example) == ([0, 2.5], [1, 0.4], 10)


def test_documented_elements() -> None:
    for name in (*ELEMENTS, *KINDS):
        assert f"`{name}`" in DOCUMENTATION, name
