"""docs/models.md: its tables say what the registries say."""

import pathlib
import re

import pytest

from pysmpi.simulation.settings.network_models import FLOW_MODELS, LINK_MODELS, MODELS
from pysmpi.simulation.settings.options import OPTIONS

ROOT = pathlib.Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "models.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]


def test_the_table_of_models() -> None:
    """Every model, with its kind and its own defaults."""
    rows = {row[0].partition(" ")[0]: row for row in ROWS if row[0].partition(" ")[0] in MODELS}
    assert rows.keys() == MODELS.keys()
    for name, row in rows.items():
        assert row[1] == ("a flow" if name in FLOW_MODELS else "packets" if name in LINK_MODELS else "a delay")
        for option, cell in zip(("latency-factor", "bandwidth-factor", "weight-S"), row[2:5], strict=True):
            default = MODELS[name].defaults.get(f"network/{option}")
            if default is not None:
                assert float(cell.replace(" s", "").partition(",")[0]) == float(default)


def test_the_tables_of_settings() -> None:
    for family in ("loggps/", "packets/"):
        shown = {row[0]: row[1] for row in ROWS if row[0].startswith(family)}
        assert shown == {name: option.default for name, option in OPTIONS.items() if name.startswith(family)}
    assert f"under network/model:LogGPS {MODELS['LogGPS'].not_modelled}\n" in PAGE


def test_factors_by_size() -> None:
    """The ranges that the table gives for SMPI's factors, and the other defaults that the page names."""
    (row,) = [row for row in ROWS if row[0] == "SMPI (default)"]
    for name, cell in (("smpi/lat-factor", row[2]), ("smpi/bw-factor", row[3])):
        factors = [step[1] for step in OPTIONS[name].parse(OPTIONS[name].default)]
        low, high = (float(number) for number in re.findall(r"[\d.]+\d", cell))
        assert (low, high) == pytest.approx((min(factors), max(factors)), rel=0.02)
    for name in ("smpi/async-small-thresh", "smpi/send-is-detached-thresh"):
        assert f"`{name}` ({OPTIONS[name].default})" in PAGE
    assert OPTIONS["smpi/IB-penalty-factors"].default in PAGE
