"""pysmpi platform: check, info, route, draw."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main

ROOT = pathlib.Path(__file__).parents[2]
FAT_TREE = str(ROOT / "platforms" / "fattree.xml")
ZONES = str(ROOT / "tests" / "parity" / "platforms" / "zones.xml")


def test_check_tells_of_each_file(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    assert main(["platform", "check", ZONES, FAT_TREE]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{ZONES}: 36 hosts, 73 links; every host reaches every other",
        f"{FAT_TREE}: 4,096 hosts, 28,672 links; every host reaches every other (of 256 hosts, spread evenly)",
    ]
    bad = tmp_path / "bad.xml"
    bad.write_text('<platform version="4.1">\n<zone id="z" routing="Ful"/>\n</platform>')
    option = tmp_path / "option.xml"
    option.write_text(
        '<platform version="4.1">\n<config><prop id="network/modle" value="CM02"/></config>\n'
        '<zone id="z" routing="None"><host id="h" speed="1Gf"/></zone></platform>'
    )
    assert main(["platform", "check", str(bad), str(option), ZONES]) == 1
    printed = capsys.readouterr()
    assert f"{bad}:2: " in printed.err
    assert "did you mean 'network/model'" in printed.err
    assert printed.out.startswith(ZONES)


def test_check_finds_hosts_that_cannot_reach_each_other(
    capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "apart.xml"
    file.write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="l" bandwidth="1GBps"/></zone></platform>'
    )
    assert main(["platform", "check", str(file)]) == 1
    printed = capsys.readouterr()
    assert "2 pairs of hosts cannot reach each other, such as 'a' to 'b'" in printed.err
    assert "note: no route crosses 1 link: l" in printed.out


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each platform that comes with pysmpi; JSON has everything about it."""
    assert main(["platform", "list"]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "hosts", "cores", "peak", "fabric", "memory", "watts", "price", "about"]
    fat_tree = next(row for row in rows if row.startswith("fattree "))
    assert fat_tree.split()[:5] == ["fattree", "4,096", "4,096", "122.88", "Tflop/s"]
    assert main(["platform", "list", "--json"]) == 0
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert entries["fattree"]["hosts"] == 4096
    assert entries["four_boards"]["properties"]["wattage_per_state"] == "5.2:5.2:15.5"


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["platform", "info", FAT_TREE]) == 0
    lines = {line.split("  ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines["hosts"].endswith("4,096")
    assert lines["peak"].endswith("122.88 Tflop/s")
    assert "2 to 6 links between 256 hosts" in lines["route"]
    assert lines["bisection"].endswith("25.6 TB/s")


@pytest.mark.parametrize(
    ("platform", "hosts", "switches"),
    [
        ("torus:25,25,25/25", 390_625, 15_625),
        ("fattree:4/25,25,25,25/1,25,25,25/1,1,1,1", 390_625, 62_500),
        ("fattree:4/33,33,33,33/1,33,33,33/1,1,1,1", 1_185_921, 143_748),
        ("dragonfly:25,1/25,1/75,1/25/1", 1_171_875, 46_875),
        ("flat:8", 8, 1),
    ],
)
def test_info_as_json(capsys: pytest.CaptureFixture[str], platform: str, hosts: int, switches: int) -> None:
    assert main(["platform", "info", platform, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["hosts"], found["switches"]) == (hosts, switches)
    assert found["links"] > 0 and found["seconds"] > 0


def test_route(capsys: pytest.CaptureFixture[str]) -> None:
    """Each link with latency and bandwidth, then the sum and the narrowest."""
    assert main(["platform", "route", "e1", "l2", ZONES]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "link            latency  bandwidth",
        "east_link_1_UP     5 us  1.25 GB/s",
        "metro_UP         300 us   500 MB/s",
        "L2                20 us   250 MB/s",
        "3 links          325 us   250 MB/s",
    ]
    assert main(["platform", "route", "e1", "l22", ZONES]) == 2
    assert "unknown host 'l22'; did you mean 'l2'?" in capsys.readouterr().err


def test_draw(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture has the name that is asked for, or the platform's in the working directory."""
    monkeypatch.chdir(tmp_path)
    assert main(["platform", "draw", ZONES]) == 0
    assert main(["platform", "draw", ZONES, "-o", "zones.png", "--hosts", "8"]) == 0
    assert capsys.readouterr().out == "zones.svg\nzones.png\n"
    assert (tmp_path / "zones.svg").stat().st_size > 1000
    assert (tmp_path / "zones.png").stat().st_size > 1000


def test_an_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["platform", "chek", ZONES]) == 2
    assert "did you mean 'check'" in capsys.readouterr().err


def test_the_platform_comes_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["platform", "route", ZONES, "e1", "l2"]) == 2
    assert "give the platform last: route A B FILE" in capsys.readouterr().err
