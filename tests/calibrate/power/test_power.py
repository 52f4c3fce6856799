"""Tests of power measurements with counters and with a wattmeter's table."""

import pathlib

import pytest

from pysmpi.calibrate import Campaign
from pysmpi.calibrate.power import COLUMNS, Counters, Extent, measure, model_document, power_model
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError


@pytest.fixture
def zones(tmp_path: pathlib.Path) -> pathlib.Path:
    """Create counters of two packages, the first with subzones for cores and memory, as Linux shows them."""
    root = tmp_path / "powercap"
    for zone, name in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "core"), ("intel-rapl:0:1", "dram"),
                       ("intel-rapl:1", "package-1")):  # fmt: skip
        folder = root / zone
        folder.mkdir(parents=True)
        (folder / "name").write_text(f"{name}\n")
        (folder / "energy_uj").write_text("1000000\n")
        (folder / "max_energy_range_uj").write_text("262143000000\n")
    return root


def test_packages_and_memory_count_and_cores_do_not_twice(zones: pathlib.Path) -> None:
    counters = Counters.find(zones)
    assert [zone.name for zone in counters.zones] == ["intel-rapl:0", "intel-rapl:0:1", "intel-rapl:1"]
    before = counters.read()
    assert before == (1.0, 1.0, 1.0)
    (zones / "intel-rapl:0" / "energy_uj").write_text("5000000")
    (zones / "intel-rapl:1" / "energy_uj").write_text("500000")
    assert counters.between(before, counters.read()) == pytest.approx(4.0 + 262142.5)


def test_where_there_are_none_or_they_may_not_be_read(zones: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CalibrationError, match=r"no energy counters \(RAPL\) found under .*--from CSV"):
        Counters.find(zones / "none")
    read = pathlib.Path.read_text

    def refused(path: pathlib.Path, *arguments: str) -> str:
        if path.name == "energy_uj":
            raise PermissionError
        return read(path, *arguments)

    monkeypatch.setattr(pathlib.Path, "read_text", refused)
    with pytest.raises(CalibrationError, match=r"no permission to read .*energy_uj: run as root"):
        Counters.find(zones)


def test_a_campaign_by_counters(zones: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Each load is measured with busy processes, as often as requested; complete loads are not measured again."""
    extent = Extent(repetitions=2, seconds=0.01, cores=(0, 1))
    with Campaign(tmp_path / "c.csv", COLUMNS, {}) as campaign:
        measure(campaign, extent, Counters.find(zones))
        assert [row["cores"] for row in campaign.rows] == [0, 0, 1, 1]
        measure(campaign, extent, Counters.find(zones))
        assert len(campaign.rows) == 4


def table_of(tmp_path: pathlib.Path, *rows: str) -> pathlib.Path:
    file = tmp_path / "watts.csv"
    file.write_text("\n".join(["time,cores,watts", *rows]) + "\n")
    return file


def test_a_line_through_the_cores_at_work(tmp_path: pathlib.Path) -> None:
    """Taurus's first node (idle 94.75 W, 120.75 W with one of 12 cores at work, 214.75 W with all), and one between."""
    between = 120.75 + 5 / 11 * 94
    rows = ["1,0,94.75", "2,1,120.75", f"3,6,{between}", "4,12,214.75", "5,12,300", "6,12,214.75"]
    model = power_model(read_table(table_of(tmp_path, *rows), COLUMNS))
    assert model.wattage_per_state == "94.75:112.205:214.75"  # a twelfth of the way up is one core
    assert (model(0), model(1), model(6), model(12)) == pytest.approx((94.75, 120.75, between, 214.75))
    assert model_document(model, {})["fit"]["largest_relative_error"] < 1e-9


def test_more_cores_than_a_processor_counts(tmp_path: pathlib.Path) -> None:
    model = power_model(read_table(table_of(tmp_path, "1,0,5", "2,1,8", f"3,{10**23},9"), COLUMNS))
    assert model.wattage_per_state == "5:8:9"


def test_one_core(tmp_path: pathlib.Path) -> None:
    model = power_model(read_table(table_of(tmp_path, "1,0,5", "2,1,8"), COLUMNS))
    assert model.wattage_per_state == "5:8:8" and model(1) == 8


@pytest.mark.parametrize(
    ("rows", "cores", "message"),
    [
        (["1,1,5", "1,2,9"], None, "watts.csv: the idle host was not measured; a row with 0 cores is needed"),
        (["1,0,5"], None, "watts.csv: no measurement with 1 of 1 cores busy"),
        (
            ["1,0,5", "1,2,8"],
            None,
            r"with 1 of 2 cores busy; measurements with 0, 1 and all cores busy are needed \(found: 0, 2\)",
        ),
        (["1,0,5", "1,1,8"], 4, "with 4 of 4 cores busy"),
        (["1,0,5", "1,8,8"], 4, "watts.csv:3: cores = 8 exceeds the host's 4"),
        (["1,0,0"], None, "watts.csv:2: watts = 0 is not valid; it must be above 0"),
        (["1,0,-3"], None, "watts.csv:2: watts: -3 is not valid"),
    ],
)
def test_tables_that_do_not_do(tmp_path: pathlib.Path, rows: list[str], cores: int | None, message: str) -> None:
    with pytest.raises(CalibrationError, match=message):
        power_model(read_table(table_of(tmp_path, *rows), COLUMNS), cores)
