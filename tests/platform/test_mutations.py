"""A description that uses every element, damaged in many ways: it is a platform, or an error with file and line."""

import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import PlatformError
from pysmpi.platform import read
from pysmpi.platform.elements import ALIASES, ELEMENTS

# A speed without unit is valid, with a warning.
pytestmark = pytest.mark.filterwarnings("ignore::pysmpi.errors.PlatformWarning")
EVERYTHING = Path(__file__).parent / "everything"
FILES = {file.name: file.read_bytes() for file in sorted(EVERYTHING.iterdir())}
LOCATED = re.compile(r"(machine\.xml|part\.xml|[ab]\.profile):\d+: .", re.DOTALL)

HOSTILE_VALUES = [
    "", " ", "0", "-1us", "-1", "nan", "NaNGf", "inf", "1e999Gf", "1e999s", "1e308YBps", "1e-999s", "0x10", "1_000Gf",
    "\N{ARABIC-INDIC DIGIT ONE}Gf", "1gf", "1", "99999999999999999999", "0-99999999999999999999", "3-1", "1,1", ";;;",
    "2;4294967296,1;1,1;1,1", ",", "..", "/dev/zero", "machine.xml", "a.profile", "a", "full", "l", "s", "9" * 5000,
    "\x7f", "Vivaldi", "WIFI", "TORUS", "NO", "nan nan nan",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _in_a_copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("mutations")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield
    shutil.rmtree(folder)


def is_platform(name: str, data: bytes) -> bool:
    """Return whether a file with these contents is a platform; if so, routes through it are computed too."""
    try:
        Path(name).write_bytes(data)
        platform = read("machine.xml")
    except PlatformError as error:
        assert LOCATED.match(str(error)), error
        assert len(str(error)) < 3000
        return False
    finally:
        Path(name).write_bytes(FILES[name])
    for source in platform.hosts[:3]:
        for destination in (*platform.hosts[:3], platform.hosts[-1]):
            try:
                route = platform.route(source, destination)
            except PlatformError as error:
                assert "no route from" in str(error)
            else:
                assert route.links or route.latency > 0
    return True


def test_all_elements_and_attributes_are_there() -> None:
    used: dict[str, set[str]] = {}
    for name in ("machine.xml", "part.xml"):
        text = re.sub(r"<\?.*?\?>|<!DOCTYPE.*?>", "", FILES[name].decode())
        for element in ElementTree.fromstring(f"<x>{text}</x>").iter():
            used.setdefault(ALIASES.get(element.tag, element.tag), set()).update(element.attrib)
    assert used.keys() - {"x"} == ELEMENTS.keys()
    for tag, element in ELEMENTS.items():
        assert used[tag] >= element.attributes.keys(), tag


def test_whole() -> None:
    assert is_platform("machine.xml", FILES["machine.xml"])


def test_cut_at_every_byte() -> None:
    end = FILES["machine.xml"].rindex(b">")
    for place in range(end):
        assert not is_platform("machine.xml", FILES["machine.xml"][:place]), place


@pytest.mark.parametrize("name", ["part.xml", "a.profile", "b.profile"])
def test_other_files_cut_at_every_byte(name: str) -> None:
    outcomes = {is_platform(name, FILES[name][:place]) for place in range(len(FILES[name]))}
    assert False in outcomes


def attributes() -> list[tuple[str, int, int]]:
    places: dict[tuple[bytes, bytes], tuple[str, int, int]] = {}
    for name in ("machine.xml", "part.xml"):
        for element in re.finditer(rb"<(\w+) [^>]*>", FILES[name]):
            for attribute in re.finditer(rb'(\w+)="([^"]*)"', element[0]):
                begin, end = (element.start() + place for place in attribute.span(2))
                places.setdefault((element[1], attribute[1]), (name, begin, end))
    return list(places.values())


@pytest.mark.parametrize("value", HOSTILE_VALUES, ids=lambda value: value[:20])
def test_hostile_values(value: str) -> None:
    for name, begin, end in attributes():
        is_platform(name, FILES[name][:begin] + value.encode() + FILES[name][end:])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_mutated_trees(data: st.DataObject) -> None:
    text = FILES["machine.xml"].decode()
    head, _, body = text.partition("<platform")
    root = ElementTree.fromstring("<platform" + body)
    parents = {child: parent for parent in root.iter() for child in parent}
    elements = list(parents)  # in the order of the description
    for _ in range(data.draw(st.integers(1, 4))):
        element = data.draw(st.sampled_from(elements))
        names = sorted(element.attrib) or [""]
        match data.draw(st.sampled_from(["value", "unset", "set", "remove", "twice", "move", "text"])):
            case "value":
                element.set(data.draw(st.sampled_from(names)) or "id", data.draw(st.sampled_from(HOSTILE_VALUES)))
            case "unset":
                element.attrib.pop(data.draw(st.sampled_from(names)), None)
            case "set":
                name = data.draw(st.sampled_from(["id", "power", "speed", "src", "z"]))
                element.set(name, data.draw(st.text("aé1&", max_size=3)))
            case "remove" if element in parents[element]:
                parents[element].remove(element)
            case "twice":
                parents[element].append(element)
            case "move":
                target = data.draw(st.sampled_from([root, *elements]))
                if target not in set(element.iter()):
                    target.insert(0, element)
            case "text":
                element.text = data.draw(st.sampled_from(["", "\n", "0 1\n", "0 1\n1 0 # x", "9 9\n1 1", "<>&"]))
    is_platform("machine.xml", head.encode() + ElementTree.tostring(root, encoding="utf-8"))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(FILES)), st.integers(0, 4000), st.one_of(st.binary(max_size=8), st.sampled_from([
        b"<", b">", b"</zone>", b"<zone>", b"&e;", b"&#0;", b"<![CDATA[", b"<!--", b"<?x", b'"', b"\x00", b"\xff\xfe",
    ])), st.integers(0, 40),
)  # fmt: skip
def test_damaged_bytes(name: str, place: int, inserted: bytes, removed: int) -> None:
    data = FILES[name]
    is_platform(name, data[:place] + inserted + data[place + removed :])
