"""Tests of BLAS measurements: sizes, their order, and completion of a campaign."""

import pathlib
from collections import Counter

import numpy as np
import pytest

from pysmpi.calibrate import Campaign
from pysmpi.calibrate.blas import COLUMNS, KERNELS, Extent, measure
from pysmpi.calibrate.blas.measure import plan
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.blas import ROUTINES

SMALL = Extent(sizes=4, repetitions=2, smallest=2, largest=20)
TOLD = {"part": "blas", "host": "here", "options": "small"}


def test_every_routine_can_be_measured(tmp_path: pathlib.Path) -> None:
    """Each routine can be called with all its sizes, and takes time."""
    points = plan(list(KERNELS), SMALL)
    with Campaign(tmp_path / "c.csv", COLUMNS, TOLD) as campaign:
        measure(campaign, points, "wall")
        assert len(campaign.rows) == len(points) == 8 * len(KERNELS)
        assert all(row["seconds"] > 0 for row in campaign.rows)
        for row in campaign.rows:
            assert {size for size in "mnk" if row.get(size)} == set(ROUTINES[row["routine"]])


def test_the_rest_of_a_campaign_is_measured(tmp_path: pathlib.Path) -> None:
    points = plan(["daxpy", "dgemm"], SMALL)
    with Campaign(tmp_path / "c.csv", COLUMNS, TOLD) as campaign:
        measure(campaign, points[:5], "processor")
    with Campaign(tmp_path / "c.csv", COLUMNS, TOLD) as campaign:
        before = list(campaign.rows)
        measure(campaign, points, "processor")
        assert campaign.rows[:5] == before
        found = Counter(
            (row["routine"], *(row.get(size) for size in ROUTINES[row["routine"]])) for row in campaign.rows
        )
    assert found == Counter((point.routine, *dict(point.sizes).values()) for point in points)


def test_the_plan_is_the_same_and_in_random_order() -> None:
    """Equal arguments give equal plans; a routine's sizes do not depend on the other routines."""
    points = plan(["dgemm", "daxpy"], Extent())
    assert points == plan(["dgemm", "daxpy"], Extent())
    assert points != plan(["dgemm", "daxpy"], Extent(seed=1))
    assert [point.routine for point in points[:100]] != ["dgemm"] * 100
    alone = {point.sizes for point in plan(["daxpy"], Extent())}
    assert alone == {point.sizes for point in points if point.routine == "daxpy"}


@pytest.mark.parametrize(("distribution", "middle"), [("log-uniform", 128), ("uniform", 1024)])
def test_sizes_are_drawn_between_the_bounds(distribution: str, middle: int) -> None:
    extent = Extent(sizes=400, repetitions=1, smallest=8, largest=2048, distribution=distribution)
    points = plan(["dgemm"], extent)
    sizes = np.array([[size for _, size in point.sizes] for point in points])
    assert sizes.min() >= 8 and sizes.max() <= 2048
    assert np.median(sizes) == pytest.approx(middle, rel=0.2)
    for point in plan(["dtrsm"], extent):
        named = dict(point.sizes)
        assert named["k"] in (named["m"], named["n"])
    for point in plan(["dgetrf"], extent):
        assert dict(point.sizes)["m"] >= dict(point.sizes)["n"]


def test_memory_is_kept_to() -> None:
    extent = Extent(sizes=50, repetitions=1, largest=4096, memory=1 << 20)
    for point in plan(["dgemm"], extent):
        m, n, k = dict(point.sizes).values()
        assert 8 * (m * k + k * n + m * n) <= 1 << 20
    with pytest.raises(CalibrationError, match="dgemm: almost no sizes up to 2048 fit into 100 bytes"):
        plan(["dgemm"], Extent(memory=100))


def test_what_cannot_be_measured() -> None:
    with pytest.raises(CalibrationError, match="unknown routine 'dgemmm'; did you mean 'dgemm'"):
        plan(["dgemmm"], SMALL)
    with pytest.raises(CalibrationError, match="sizes from 8 to 8 are not valid"):
        Extent(smallest=8, largest=8)
    with pytest.raises(CalibrationError, match="each must be at least 1"):
        Extent(sizes=0)
