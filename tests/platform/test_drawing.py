"""Pictures of platforms. These tests check that files exist, are whole and repeat; people check the looks."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from pysmpi.errors import LaunchError
from pysmpi.platform import Platform, read
from pysmpi.platform.drawing import draw

ROOT = pathlib.Path(__file__).parents[2]
PARITY = ROOT / "tests" / "parity" / "platforms"


@pytest.mark.parametrize("name", ["flat", "backbone", "fattree", "torus", "dragonfly", "zones", "multicore"])
def test_every_kind_of_platform_can_be_drawn(name: str, tmp_path: pathlib.Path) -> None:
    draw(read(PARITY / f"{name}.xml"), tmp_path / "picture.svg")
    picture = ElementTree.parse(tmp_path / "picture.svg")
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) > 10
    assert [each.name for each in tmp_path.iterdir()] == ["picture.svg"]


def test_one_host_alone(describe: Callable[[str], Platform], tmp_path: pathlib.Path) -> None:
    draw(describe('<zone id="z" routing="None"><host id="h" speed="1Gf"/></zone>'), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_large_machine_is_drawn_in_part(tmp_path: pathlib.Path) -> None:
    platform = read(ROOT / "platforms" / "fattree.xml")
    for name in ("one.svg", "two.svg"):
        draw(platform, tmp_path / name, hosts=32)
    text = (tmp_path / "one.svg").read_text()
    assert "4,096 hosts (32 of them drawn)" in text
    assert text == (tmp_path / "two.svg").read_text()


def test_what_cannot_be_drawn(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    platform = read(PARITY / "flat.xml")
    with pytest.raises(LaunchError, match=r"picture\.svgg: unknown format of a picture 'svgg'; did you mean 'svg'"):
        draw(platform, tmp_path / "picture.svgg")
    with pytest.raises(LaunchError, match=r"picture: the name .* needs a suffix for its format \(valid: \.svg, \.png"):
        draw(platform, tmp_path / "picture")
    with pytest.raises(LaunchError, match=r"cannot write the picture: the folder .* does not exist"):
        draw(platform, tmp_path / "nowhere" / "picture.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    with pytest.raises(LaunchError, match=r"pip install 'pysmpi\[plot\]'"):
        draw(platform, tmp_path / "picture.svg")
