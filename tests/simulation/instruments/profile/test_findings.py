"""Tests that findings name planted problems, and that a healthy program has none."""

import itertools
import pathlib

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments import Finding, findings

PLANTED = pathlib.Path(__file__).with_name("planted.py")
PLATFORM = Cluster(hosts=8, speed="1Gf", bandwidth="1GBps", latency="10us")


def _line_of(comment: str) -> str:
    (number,) = (n for n, line in enumerate(PLANTED.read_text().splitlines(), 1) if line.endswith(f"# {comment}"))
    return f"{PLANTED}:{number}"


def _found_in(*planted: str, np: int = 8) -> list[Finding]:
    result = pysmpi.simulate(
        PLANTED, np=np, platform=PLATFORM, args=planted, cfg=["smpi/simulate-computation:no"], profile=True,
        network_report=True,
    )  # fmt: skip
    assert result.profile is not None
    return findings(result.profile, result.network)


def _assert_slow_rank(found: list[Finding]) -> None:
    (slow,) = (each for each in found if each.kind == "slow rank")
    assert slow.subject == "3"
    assert slow.seconds == pytest.approx(0.08)
    assert "1.5 times the median of 160 ms" in slow.text


def _assert_hot_link(found: list[Finding]) -> None:
    (hot,) = (each for each in found if each.kind == "hot link")
    assert hot.subject.endswith("_7_DOWN")
    assert "with 3 messages at once" in hot.text
    assert f"{_line_of('crosses')} " in hot.text
    assert "ranks 0 to 2" in hot.text


def _assert_late_sender(found: list[Finding]) -> None:
    late = next(each for each in found if each.kind == "late sender")
    assert late.subject == _line_of("late")
    assert late.seconds == pytest.approx(0.08, rel=0.02)
    assert late.text.startswith(_line_of("waits"))
    assert "rank 5 for rank 4" in late.text


CHECKS = {"slow": _assert_slow_rank, "link": _assert_hot_link, "late": _assert_late_sender}
KINDS = {"slow": "slow rank", "link": "hot link", "late": "late sender"}


@pytest.mark.parametrize("planted", list(itertools.chain(itertools.combinations(CHECKS, 1), [tuple(CHECKS)])))
def test_what_is_planted_is_found(planted: tuple[str, ...]) -> None:
    found = _found_in(*planted)
    for name, check in CHECKS.items():
        if name in planted:
            check(found)
        else:
            assert KINDS[name] not in {each.kind for each in found}


@pytest.mark.parametrize("np", [1, 2, 7, 8])
def test_a_healthy_run_has_no_findings(np: int) -> None:
    assert _found_in(np=np) == []


def test_a_narrow_link_is_found(tmp_path: pathlib.Path) -> None:
    from pysmpi.platform import read

    text = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">
    <zone id="z" routing="Full">
      <host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
      <link id="ab" bandwidth="1GBps" latency="1us"/><link id="bc" bandwidth="1GBps" latency="1us"/>
      <link id="ac" bandwidth="200MBps" latency="1us"/>
      <route src="a" dst="b"><link_ctn id="ab"/></route><route src="b" dst="c"><link_ctn id="bc"/></route>
      <route src="a" dst="c"><link_ctn id="ac"/></route>
    </zone></platform>"""
    path = tmp_path / "narrow.xml"
    path.write_text(text)
    result = pysmpi.simulate(
        PLANTED,
        np=3,
        platform=read(path),
        cfg=["smpi/simulate-computation:no"],
        profile=True,
        network_report=True,
    )
    assert result.profile is not None
    assert [each.subject for each in findings(result.profile, result.network) if each.kind == "hot link"] == ["ac"]


def test_many_slow_ranks_are_one_finding() -> None:
    def program():
        pysmpi.execute(0.2 if MPI.COMM_WORLD.rank % 3 == 0 else 0.1)

    platform = Cluster(hosts=30, speed="1Gf", bandwidth="1GBps", latency="10us")
    profile = pysmpi.simulate(program, np=30, platform=platform, profile=True).profile
    assert profile is not None
    (found,) = findings(profile)
    assert (found.kind, found.seconds) == ("load imbalance", pytest.approx(1.0, rel=0.01))
    assert found.text.startswith("10 of 30 ranks compute for 1.25 times the median of")
