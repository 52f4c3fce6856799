"""Tests of detours: their detection, their measurement and their model."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from pysmpi.calibrate import Campaign
from pysmpi.calibrate.noise import COLUMNS, Extent, detours_in, draw, measure, model_document, noise_fit, report_text
from pysmpi.calibrate.noise.model import MOST_LENGTHS
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.noise_model import load_noise

HEADER = "core,quanta,usual,threshold,detours\n"


@pytest.mark.parametrize("jitter", [0.0, 2e-8])
def test_detours_of_known_times_are_found(jitter: float) -> None:
    random = np.random.default_rng(1)
    times = 1e-5 + jitter * random.standard_normal(100_000)
    where = random.choice(times.size, 500, replace=False)
    lengths = random.exponential(5e-5, 500) + 2e-6
    times[where] += lengths
    found = detours_in(times)
    assert found.quanta == times.size
    assert found.usual == pytest.approx(1e-5, rel=1e-3)
    assert len(found.lengths) == 500
    assert sorted(found.lengths) == pytest.approx(sorted(lengths), abs=8 * jitter + 1e-12)
    assert found.computed == pytest.approx(1.0, rel=1e-3)


def test_equal_times_hold_no_detour() -> None:
    assert detours_in(np.full(10, 1e-5)).lengths == ()
    assert detours_in(np.array([3e-6])) == (1, 3e-6, 5e-7, ())


def test_all_cores_are_measured_and_not_again(tmp_path: Path) -> None:
    cores = tuple(sorted(os.sched_getaffinity(0))[:2])
    extent = Extent(stretches=2, seconds=0.02, cores=cores)
    with Campaign(tmp_path / "noise.csv", COLUMNS, {}) as campaign:
        measure(campaign, extent)
        rows = list(campaign.rows)
        measure(campaign, extent)
    assert campaign.rows == rows
    assert [row["core"] for row in rows] == [*cores] * 2
    for row in rows:
        assert row["quanta"] * row["usual"] > 0.001


def test_an_interrupted_second_is_completed(tmp_path: Path) -> None:
    cores = tuple(sorted(os.sched_getaffinity(0))[:2])
    if len(cores) < 2:
        pytest.skip("one core")
    with Campaign(tmp_path / "noise.csv", COLUMNS, {}) as campaign:
        campaign.add({"core": cores[0], "quanta": 10, "usual": 1e-5, "threshold": 1e-6, "detours": ""})
        measure(campaign, Extent(stretches=1, seconds=0.01, cores=cores))
        assert [row["core"] for row in campaign.rows] == [*cores]


def test_model_has_the_mean_rate_and_all_lengths(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"# machine: a machine\n# date: 2026-01-01\n{HEADER}0,100000,1e-5,1e-6,2e-6 1e-3\n"
                     "1,100000,1e-5,1e-6,\n1,200000,1e-5,1e-6,3e-6\n")  # fmt: skip
    fit = noise_fit(read_table(table, COLUMNS))
    assert fit.rate == pytest.approx(3 / 4)
    assert fit.lengths == (2e-6, 3e-6, 1e-3)
    assert fit.lost == pytest.approx(0.001005 / 4)
    document = model_document(fit, read_table(table, COLUMNS).provenance)
    assert document["machine"] == "a machine" and document["lengths"] == [2e-6, 3e-6, 1e-3]
    text = report_text(fit, document)
    assert "0.75 detours a second, which take 0.025 % of the computation" in text
    draw(fit, tmp_path / "noise.png")
    assert (tmp_path / "noise.png").stat().st_size > 1000


def test_many_lengths_are_thinned_and_keep_their_sum(tmp_path: Path) -> None:
    lengths = np.random.default_rng(0).exponential(1e-5, (7, MOST_LENGTHS // 2)) + 1e-6
    table = tmp_path / "t.csv"
    table.write_text(HEADER + "".join(f"0,1000000,1e-5,1e-6,{' '.join(f'{x:.4g}' for x in row)}\n" for row in lengths))
    fit = noise_fit(read_table(table, COLUMNS))
    document = model_document(fit, {"machine": "m", "date": "d"})
    assert len(document["lengths"]) == MOST_LENGTHS
    assert np.mean(document["lengths"]) == pytest.approx(lengths.mean(), rel=1e-3)
    (tmp_path / "noise.json").write_text(json.dumps(document))
    assert load_noise(tmp_path / "noise.json").rate == fit.rate


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1000,1e-5,1e-6,", r"t\.csv: no detour in 0\.01 s of computation; measure for longer"),
        ("0,1000,1e-5,1e-6,2e-6 x", r"t\.csv:2: detours: .*'x'; give seconds separated by spaces"),
        ("0,1000,1e-5,1e-6,-1", r"t\.csv:2: times must be above 0"),
        ("0,1000,0,1e-6,1", r"t\.csv:2: times must be above 0"),
        ("0,0,1e-5,1e-6,1", r"t\.csv:2: quanta"),
    ],
)
def test_bad_tables(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(f"{HEADER}{row}\n")
    with pytest.raises(CalibrationError, match=message):
        noise_fit(read_table(tmp_path / "t.csv", COLUMNS))
