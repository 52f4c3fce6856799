"""Disks of hosts: in platform files, in Python, and the choice of a file's disk."""

from pathlib import Path

import pytest

from pysmpi.platform import Disk, Host, PlatformError, Zone, read
from pysmpi.platform.machine import Platform

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="lab" routing="Full">
    <host id="a" speed="1Gf">
      {disks}
    </host>
    <host id="b" speed="1Gf"/>
  </zone>
</platform>
"""
ONE = '<disk id="d" read_bw="1Bps" write_bw="1Bps"'
DISKS = """<disk id="d" read_bw="200MBps" write_bw="50MBps"/>
      <disk id="s" read_bw="1GBps" write_bw="1kBps">
        <prop id="mount" value="/scratch/"/>
        <prop id="x" value="y"/>
      </disk>"""


def read_with(tmp_path: Path, disks: str) -> Platform:
    path = tmp_path / "platform.xml"
    path.write_text(PLATFORM.format(disks=disks))
    return read(path)


def test_what_a_file_says(tmp_path: Path) -> None:
    first, second = read_with(tmp_path, DISKS).disks
    assert (first.name, first.host, first.read_bandwidth, first.write_bandwidth, first.mount) == ("d", 0, 2e8, 5e7, "/")
    assert (second.index, second.mount, second.properties["x"]) == (1, "/scratch/", "y")


@pytest.mark.parametrize(
    ("path", "host", "expected"),
    [
        ("/scratch/a", "a", "s"),
        ("/scratch", "a", "s"),
        ("/scratches/a", "a", "d"),  # a folder whose name only begins like it
        ("/", "a", "d"),
        ("/scratch/a/b", "b", "s"),  # on the other host, as its mount point says
        ("/home/a", "b", None),  # what a disk without a mount point holds is its own host's
    ],
)
def test_which_disk_a_file_is_on(tmp_path: Path, path: str, host: str, expected: str | None) -> None:
    platform = read_with(tmp_path, DISKS)
    disk = platform.disk_of(path, platform.host(host).index)
    assert (disk.name if disk else None) == expected


@pytest.mark.parametrize(
    ("disks", "line", "message"),
    [
        ('<disk id="d" read_bw="1Bps"/>', 6, "write_bw"),
        ('<disk id="d" read_bw="0Bps" write_bw="1Bps"/>', 6, "read_bw '0Bps' of disk 'd' must be above 0"),
        (f"{ONE}/>\n{ONE}/>", 7, "two disks"),
        (f"{ONE}/>\n" + ONE.replace(' id="d"', ' id="e"') + "/>", 7, "both mounted"),
        (f'{ONE}><prop id="mount" value="x"/></disk>', 6, "give an absolute path such as /scratch"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, disks: str, line: int, message: str) -> None:
    with pytest.raises(PlatformError, match=message) as caught:
        read_with(tmp_path, disks)
    assert f"platform.xml:{line}:" in str(caught.value)


def test_described_in_python(tmp_path: Path) -> None:
    disk = Disk("s", "1GBps", 5e8, "/scratch", properties={"x": "y"})
    zone = Zone("lab", [Host("a", "1Gf", disks=[Disk("d"), disk]), Host("b", "1Gf")])
    path = tmp_path / "written.xml"
    zone.write(path)
    for platform in (zone.build(), read(path)):
        first, second = platform.disks
        assert (first.name, first.mount, first.write_bandwidth) == ("d", "/", 1e9)
        assert (second.read_bandwidth, second.write_bandwidth) == (1e9, 5e8)
        assert second.properties == {"mount": "/scratch", "x": "y"}
    with pytest.raises(PlatformError, match="read bandwidth 'fast' of Disk 'd'"):
        Disk("d", "fast")
