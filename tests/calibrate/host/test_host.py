"""Tests of a host's figures: measurement and conversion to settings."""

import pathlib

import pytest

from pysmpi.calibrate import Campaign
from pysmpi.calibrate.host import COLUMNS, Extent, host_model, measure, model_document, plan
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError
from pysmpi.simulation.settings.configuration import Configuration

TABLE = """figure,bytes,cores,amount,seconds
speed,,1,2e9,0.1
speed,,1,2e9,0.05
speed,,1,2e9,0.2
new memory,,1,1e6,1e-3
new huge memory,,1,1e7,1e-3
buffering,,1,1e9,0.1
bandwidth,131072,1,6e10,1
bandwidth,1048576,1,3e10,1
bandwidth,131072,2,5e10,1
bandwidth,1048576,2,1e10,1
"""


@pytest.fixture
def table(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a small table without a call of MPI."""
    file = tmp_path / "host.csv"
    file.write_text(TABLE)
    return file


def test_settings_are_those_of_all_cores_or_of_so_many(table: pathlib.Path) -> None:
    model = host_model(read_table(table, COLUMNS))
    assert model.speed == 2e10 and model.call is None
    assert model.spreads["speed"] == pytest.approx((4e10 - 1e10) / 2e10)
    assert model.settings()["smpi/memory-bandwidth"] == "131072:5e+10;1048576:1e+10"
    assert model.settings(busy=1)["smpi/memory-bandwidth"] == "131072:6e+10;1048576:3e+10"
    configuration = Configuration()
    configuration.update(model.settings(), "cfg")
    assert configuration["smpi/memory-bandwidth"] == [(131072.0, 5e10), (1048576.0, 1e10)]
    assert configuration["smpi/buffer-bandwidth"] == 1e10
    with pytest.raises(CalibrationError, match=r"not measured with 3 cores at once \(valid: 1, 2\)"):
        model.settings(busy=3)
    assert model_document(model, {"host": "here"}, 1)["settings"] == model.settings(1)


def test_every_figure_is_measured_and_completed(tmp_path: pathlib.Path) -> None:
    told: list[str] = []
    small = Extent(rounds=1, distances=(1 << 17,), cores=(1, 2))
    with Campaign(tmp_path / "c.csv", COLUMNS, {}) as campaign:
        measure(campaign, plan(small)[:2], told.append)
        before = list(campaign.rows)
        measure(campaign, plan(small), told.append)
        assert campaign.rows[:2] == before
        model = host_model(campaign.table())
    assert not told
    assert set(model.bandwidths) == {1, 2} and model.speed > 1e8 and model.call is not None and model.call < 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("speed,,1,2e9,0.1\nspeed,,1,2e9,0.05\nspeed,,1,2e9,0.2\n", ""),
            "host.csv: no measurement of 'speed' found",
        ),
        (("0.05", "0"), "host.csv:3: speed: amount and seconds must be above zero"),
        (("bandwidth,131072,1", "bandwidth,,1"), "host.csv:8: bandwidth: the column bytes is empty"),
        (("buffering", "bufering"), "host.csv:7: figure: unknown value 'bufering'; did you mean 'buffering'"),
        (("0.2", "-1"), "host.csv:4: seconds: -1 is not valid"),
    ],
)
def test_tables_that_do_not_do(table: pathlib.Path, change: tuple[str, str], message: str) -> None:
    table.write_text(TABLE.replace(*change))
    with pytest.raises(CalibrationError, match=message):
        host_model(read_table(table, COLUMNS))
