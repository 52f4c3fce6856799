"""Loops whose body uses the counter, and tables: values, arrays and elasticities."""

import pathlib

import pytest

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.sensitivity import elasticities
from pysmpi.aspen.sweep import sweep

HERE = pathlib.Path(__file__).parent
MACHINE = aspen.read_machine(str(HERE / "hand_machine.aspen"))
BLOCKS = """
param n = 100
param b = 10
param q = 1
param t[] = {1, 2, 4}
enum Mode { plain, doubled }
param mode = doubled in Mode
kernel rows(count) { execute [count] { flops [b^2] } }
control main { iterate k [n / b] { rows(n - (k + 1) * b) } }
control table { execute [n] { flops [t[q]] } }
control chosen { if (mode == doubled) { execute [n] { flops [2] } } else { execute [n] { flops [1] } } }
"""


@pytest.fixture
def blocks(tmp_path: pathlib.Path) -> aspen.Application:
    path = tmp_path / "blocks.aspen"
    path.write_text(BLOCKS)
    return aspen.read_application(str(path))


def test_rounds_with_a_counter(blocks: aspen.Application) -> None:
    """The last one of 3.5 rounds counts by half; rounding errors make no further round."""
    rows = [(row.kind, row.name, row.count) for row in blocks.cost(MACHINE, control="main").rows[:3]]
    assert rows == [("control", "main", 1), ("iterate", "k", 1), ("kernel", "rows", 1)]
    assert float(blocks.flops(control="main")) == 100 * sum(range(0, 100, 10))
    assert float(blocks.flops(control="main", n=35)) == 100 * (25 + 15 + 5)
    assert float(blocks.flops(control="main", n=0.3, b=0.1)) == pytest.approx(0.01 * (0.2 + 0.1))
    assert float(blocks.flops(control="main", n=40, b=16)) == 256 * (24 + 8)


def test_elasticities_with_a_counter(blocks: aspen.Application) -> None:
    """The sum is about n^2 b / 2; the last round, which vanishes, does not make it jump."""
    found = elasticities(blocks, MACHINE, control="main")
    assert found["n"] == pytest.approx(2 + 10 / 90, abs=1e-3) and "mode" not in found and "doubled" not in found
    assert "q" not in elasticities(blocks, MACHINE, control="table")


def test_sweeps_over_counters_and_tables(blocks: aspen.Application) -> None:
    found = sweep(blocks, MACHINE, {"n": [20, 40], "b": [10, 20]}, of=("flops", "runtime"), control="main")
    assert found.rows()[:2] == [[20, 10, 1000, pytest.approx(found.figures["runtime"][0])], [20, 20, 0, 0]]
    assert found.figures["flops"].tolist() == [1000, 0, 6000, 8000]
    found = sweep(blocks, MACHINE, {"q": [2, 0, 1], "n": [1, 3]}, of=("flops",), control="table")
    assert found.figures["flops"].tolist() == [4, 12, 1, 3, 2, 6]
    with pytest.raises(AspenError, match=r"blocks.aspen:10: 't' has no element 3 \(valid: 0 to 2\)"):
        sweep(blocks, MACHINE, {"q": [0, 3]}, of=("flops",), control="table")


def test_formulas_with_enums_and_tables(blocks: aspen.Application) -> None:
    assert blocks.flops(control="chosen").formula() == "2*n"
    with pytest.raises(AspenError, match=r"blocks.aspen:10: the element of 't' depends on q; set a value"):
        blocks.flops(control="table").formula()
    assert blocks.flops(control="table", q=2).formula() == "4*n"
