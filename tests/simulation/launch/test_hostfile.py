"""Hostfiles are read as smpirun 3.32 reads them; the expected hosts are those that it printed."""

from pathlib import Path

import pytest

from pysmpi.errors import PlacementError, PlatformWarning
from pysmpi.platform import Platform, Torus, read
from pysmpi.simulation.launch.hostfile import places_in, places_named
from pysmpi.simulation.launch.placement import by_hostfile

HOSTS = ("Node 1", "Node 2", "c", "d:1", "e#1", "Host 26:a b")
PLATFORM = f"""<platform version="4.1"><zone id="z" routing="Full">
{"".join(f'<host id="{name}" speed="1Gf" core="2"/>' for name in HOSTS)}
</zone></platform>"""


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    (tmp_path / "p.xml").write_text(PLATFORM)
    return read(tmp_path / "p.xml")


@pytest.mark.parametrize(
    ("text", "ranks", "expected"),
    [
        ("Node 1\nNode 2\nc\nc\n", 4, ["Node 1", "Node 2", "c", "c"]),
        ("Node 1:2\nNode 2:2\n", 4, ["Node 1", "Node 1", "Node 2", "Node 2"]),
        ("d:1:2\nc:2\n", 4, ["d:1", "d:1", "c", "c"]),
        ("c:0\nc:4\n", 4, ["c"] * 4),
        ("c:0\nNode 1\n", 2, ["Node 1", "Node 1"]),
        ("c:2 \n", 2, ["c", "c"]),
        ("\n\nc:2\n\nNode 2\n", 4, ["c", "c", "Node 2", "c"]),
        ("c\nNode 1\n", 5, ["c", "Node 1", "c", "Node 1", "c"]),
        ("Host 26:a b:2\n", 2, ["Host 26:a b", "Host 26:a b"]),
        # Not as smpirun, which reads neither comments nor slots, and takes the number of ranks from each colon:
        ("# hosts\n  Node 2 # two\nNode 1 slots=2#more\n", 3, ["Node 2", "Node 1", "Node 1"]),
        ("d:1\ne#1\nHost 26:a b\n", 3, ["d:1", "e#1", "Host 26:a b"]),
        ("c : 2\nd:1 slots = 2\n", 4, ["c", "c", "d:1", "d:1"]),
        ("c slots=1 max_slots=4\nd:1 slots=2 max-slots=2\n", 3, ["c", "d:1", "d:1"]),
    ],
)
@pytest.mark.filterwarnings("ignore::pysmpi.errors.PlatformWarning")
def test_places(text: str, ranks: int, expected: list[str], platform: Platform, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(text)
    assert [platform.hosts[host].name for host in by_hostfile(ranks, tmp_path / "hosts", platform)] == expected


def test_a_number_belongs_to_the_shorter_name_where_both_exist(tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(PLATFORM.replace('id="Node 2"', 'id="c:2"'))
    platform = read(tmp_path / "p.xml")
    assert [(platform.hosts[host].name, count) for host, count in places_named("c:2,c:2:1", platform)] == [
        ("c", 2),
        ("c:2", 1),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c\nNode 3\n", r"hosts:2: .*unknown host 'Node 3'; did you mean 'Node [12]'\?"),
        ("d\n", r"hosts:1: .*unknown host 'd'"),
        ("d:2\n", r"hosts:1: .*unknown host 'd'"),
        ("c:x\n", r"hosts:1: 'x' ranks on c: the number of ranks must be a whole number, 0 or more"),
        ("c:-1\n", r"hosts:1: '-1' ranks on c"),
        ("c slots=1.5\n", r"hosts:1: '1.5' ranks on c"),
        ("c 2\n", r"hosts:1: 'c 2' is not of the form 'host', 'host:n' or 'host slots=n'"),
        ("\n# none\n", r"hosts: the hostfile has no place for a rank"),
        ("c:0\n", r"hosts: the hostfile has no place for a rank"),
    ],
)
def test_mistakes(text: str, message: str, platform: Platform, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(text)
    with pytest.raises(PlacementError, match=message):
        places_in(tmp_path / "hosts", platform)


def test_a_hostfile_without_end() -> None:
    with pytest.raises(PlacementError, match="/dev/zero: not a hostfile: it has more than"):
        by_hostfile(2, "/dev/zero", Torus([2, 2]).build())


def test_too_few_places_are_told(platform: Platform, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("c\n")
    with pytest.warns(
        PlatformWarning, match=r"hosts: 3 ranks, but the hostfile has 1 place; ranks 1 and up begin again"
    ):
        by_hostfile(3, tmp_path / "hosts", platform)
