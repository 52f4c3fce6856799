"""Tests of the analysis of tables: effects, Pareto fronts, searches, and plots."""

import itertools
import math
import pathlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import Any

import pytest

from pysmpi.errors import StudyError
from pysmpi.platform import read
from pysmpi.study import Study, Table
from pysmpi.study.analysis import (
    Parts,
    Prices,
    interactions,
    main_effects,
    pareto_front,
    parts_of,
    plot_effects,
    plot_metric,
    plot_pareto,
    plot_tornado,
    slowest_within,
)
from pysmpi.study.analysis.order import number_of, sort_key

Figure = Callable[[float, float], float]


def table(figure: Figure, replicates: int = 1) -> Table:
    points = itertools.product((1, 10, 100), (1, 2), range(1, replicates + 1))
    rows = [
        {"point": number, "replicate": replicate, "platform.bandwidth": f"{bandwidth}Gbps", "platform.roots": roots,
         "status": "done", "error": None, "simulated_time": figure(bandwidth, roots) + replicate, "energy": 10.0,
         "link_energy": None}
        for number, (bandwidth, roots, replicate) in enumerate(points, 1)
    ]  # fmt: skip
    return Table(rows, ("platform.bandwidth", "platform.roots"))


def test_effects_that_add_up() -> None:
    effects = main_effects(table(lambda bandwidth, roots: 100 / bandwidth + 3 * roots), "simulated_time")
    assert [effect.factor for effect in effects] == ["platform.bandwidth", "platform.roots"]
    assert effects[0].levels == ("1Gbps", "10Gbps", "100Gbps")
    assert effects[1].means == pytest.approx([41.0, 44.0])
    assert effects[1].swing == pytest.approx(3.0)
    assert sum(effect.share for effect in effects) == pytest.approx(1.0)
    (together,) = interactions(table(lambda bandwidth, roots: 100 / bandwidth + 3 * roots), "simulated_time")
    assert together.share == pytest.approx(0.0, abs=1e-12)


def test_factors_that_only_matter_together() -> None:
    signs = {1: -1, 10: 0, 100: 1}
    both = table(lambda bandwidth, roots: 50 + signs[int(bandwidth)] * (1 if roots == 1 else -1))
    assert max(effect.share for effect in main_effects(both, "simulated_time")) == pytest.approx(0.0, abs=1e-12)
    (together,) = interactions(both, "simulated_time")
    assert together.share == pytest.approx(1.0)


def test_figures_that_are_not_there() -> None:
    some = table(lambda bandwidth, roots: 1.0)
    with pytest.raises(StudyError, match="did you mean 'simulated_time'"):
        main_effects(some, "simulated_tim")
    with pytest.raises(StudyError, match="no finished point has a value of the metric link_energy"):
        main_effects(some, "link_energy")
    with pytest.raises(StudyError, match="simulated_time of point 1 is nan, not a finite number"):
        main_effects(table(lambda bandwidth, roots: math.nan), "simulated_time")
    with pytest.raises(StudyError, match="of point 1 is inf, not a finite number"):
        pareto_front(table(lambda bandwidth, roots: math.inf), "simulated_time")
    with pytest.raises(StudyError, match="the study has no finished point"):
        main_effects(Table([row | {"status": "failed"} for row in some.rows]), "simulated_time")  # type: ignore[operator]


def test_a_figure_that_is_the_same_everywhere() -> None:
    some = table(lambda bandwidth, roots: -0.9 + 1e-17 * bandwidth * roots)
    assert len({row["simulated_time"] for row in some}) > 1
    assert {effect.share for effect in main_effects(some, "simulated_time")} == {0.0}
    assert interactions(some, "simulated_time")[0].share == 0.0


def test_machines_that_are_as_good_as_each_other() -> None:
    some = table(lambda bandwidth, roots: 1.0 if bandwidth == 10 else 2.0)
    assert [offer.is_best for offer in pareto_front(some, "simulated_time")] == [True, True, False, False, False, False]


def test_pareto_front() -> None:
    """No other offer beats one on the front, each remaining one is beaten, and replicates are averaged."""
    some = table(lambda bandwidth, roots: 100 / bandwidth / roots, replicates=2)
    costs = {int(str(row["point"])): float(str(row["platform.bandwidth"])[:-4]) * int(str(row["platform.roots"])) ** 2
             for row in some}  # fmt: skip
    offers = pareto_front(some, "simulated_time", costs)
    assert [offer.points for offer in offers] == [2] * 6
    for offer in offers:
        beaten = any(
            other.cost <= offer.cost
            and other.figure <= offer.figure
            and (other.cost, other.figure) != (offer.cost, offer.figure)
            for other in offers
        )
        assert offer.is_best is not beaten
    assert [offer.is_best for offer in pareto_front(some, "simulated_time", costs, larger_is_better=True)][:1] == [True]
    by_energy = pareto_front(some, "simulated_time")
    assert sum(offer.is_best for offer in by_energy) == 1


@pytest.mark.parametrize(
    ("platform", "parts"),
    [
        ("fattree:2/16,32/1,4/1,1", Parts(512, 512 + 32 * 4, 36)),
        ("flat:8", Parts(8, 8, 1)),
        ("torus:4,4,4", Parts(64, 192, 0)),
        ("hyperx:4,4/1,1/4", Parts(64, 64 + 48, 16)),
    ],
)
def test_parts(platform: str, parts: Parts) -> None:
    found = parts_of(read(platform))
    assert found == parts
    assert Prices(node=10, link=2, switch=5).of(found) == 10 * found.nodes + 2 * found.links + 5 * found.switches


def test_order() -> None:
    assert sorted(["10Gbps", "100Mbps", "1GBps", "x", 5], key=sort_key) == [5, "100Mbps", "1GBps", "10Gbps", "x"]
    assert number_of("24us") == pytest.approx(24e-6)
    assert number_of("5120MiBps") == pytest.approx(5120 * 2**20)
    assert number_of("ompi") is None
    assert sorted(["1m", "2h", "90s"], key=sort_key) == ["1m", "90s", "2h"]
    assert sorted(["1GiBps", "4MiBps", "64KiB", "2ZBps", "1PBps"], key=sort_key) == [
        "64KiB", "4MiBps", "1GiBps", "1PBps", "2ZBps"
    ]  # fmt: skip


class Formula:
    """Engine that computes a figure from the bandwidth in a platform's text."""

    width = 1

    def __init__(self, offset: float = 10.0) -> None:
        self.count = 0
        self._offset = offset

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, dict[str, Any]], None, None]:
        """Yield a time that falls as the bandwidth grows."""
        for key, task in tasks:
            self.count += 1
            bandwidth = float(task["platform"].partition("bw=")[2].partition("Gbps")[0])
            yield key, {"status": "done", "simulated_time": self._offset + 1 / bandwidth}

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("levels", "least", "most", "tries"),
    [
        ([f"{bandwidth}Gbps" for bandwidth in (1, 2, 4, 8, 16, 32, 64)], 2, 2, 4),
        ({"low": "0.1Gbps", "high": "1000Gbps", "scale": "log"}, 1.99, 2.05, 11),
        ({"low": "5Gbps", "high": "1000Gbps"}, 5, 5, 2),
    ],
)
def test_the_slowest_that_will_do(tmp_path: pathlib.Path, levels: Any, least: float, most: float, tries: int) -> None:
    (tmp_path / "program.py").write_text("")
    study = Study("program.py", "torus:2,2:bw={{bw}}", factors={"platform.bw": levels}, fixed={"ranks": 4},
                  folder=tmp_path)  # fmt: skip
    engine = Formula()
    found = slowest_within(study, "platform.bw", tmp_path / "results", engine=engine)
    assert least <= float(str(found.value).removesuffix("Gbps")) <= most
    assert found.figure <= 1.05 * found.best
    assert engine.count == len(found.tried) <= tries
    assert not (tmp_path / "results" / "results.parquet").exists()  # that is the study's own table
    with pytest.raises(StudyError, match=r"must have platform.lat as its only factor, but has platform.bw"):
        slowest_within(study, "platform.lat", tmp_path / "results", engine=engine)


def test_a_search_from_the_best_to_the_worst(tmp_path: pathlib.Path) -> None:
    (tmp_path / "program.py").write_text("")
    study = Study("program.py", "torus:2,2:bw={{bw}}Gbps", factors={"platform.bw": [64, 8, 1, 0.1]}, folder=tmp_path,
                  fixed={"ranks": 4})  # fmt: skip
    with pytest.raises(StudyError, match=r"is better with platform.bw = 8 \(10.125\) than with 0.1 \(20\)"):
        slowest_within(study, "platform.bw", tmp_path / "results", engine=Formula())
    upwards = replace(study, factors={"platform.bw": [1, 2, 1000]})
    found = slowest_within(upwards, "platform.bw", tmp_path / "below", within=0.04, engine=Formula(offset=-10.0))
    assert (found.value, found.best) == (1000, pytest.approx(-9.999))
    found = slowest_within(upwards, "platform.bw", tmp_path / "below", within=0.05, engine=Formula(offset=-10.0))
    assert found.value == 2


def test_nothing_to_draw(tmp_path: pathlib.Path) -> None:
    for draw in (plot_tornado, plot_effects, plot_pareto):
        with pytest.raises(StudyError, match="nothing to draw"):
            draw([], "simulated_time", tmp_path / "none.png")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures(tmp_path: pathlib.Path, ending: str) -> None:
    some = table(lambda bandwidth, roots: 100 / bandwidth / roots + 1, replicates=2)
    effects = main_effects(some, "simulated_time")
    plot_tornado(effects, "simulated_time", tmp_path / f"tornado.{ending}")
    plot_effects(effects, "simulated_time", tmp_path / f"effects.{ending}")
    plot_pareto(pareto_front(some, "simulated_time"), "simulated_time", tmp_path / f"pareto.{ending}", cost="energy")
    plot_metric(some, "simulated_time", tmp_path / f"lines.{ending}", along="platform.bandwidth", by="platform.roots")
    files = list(tmp_path.iterdir())
    assert len(files) == 4
    for file in files:
        assert file.stat().st_size > 3000
        if ending == "svg":
            assert "100Gbps" in file.read_text()
