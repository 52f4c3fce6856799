"""Steps and parallelism of programs."""

from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, estimate
from pysmpi.util.shipped import shipped

SWEEP = """\
import numpy as np
n = 32
u = np.zeros((n + 2, n + 2))
for _ in range({sweeps}):
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
"""


@pytest.mark.parametrize("sweeps", [1, 3])
def test_gauss_seidel_is_a_wavefront(tmp_path: Path, sweeps: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(SWEEP.format(sweeps=sweeps))
    found = estimate(program, nodes=[64])
    row = found.rows[0]
    assert row.parallelism == 32**2 / (2 * 32 - 1)
    assert row.usual.efficiency["depth"] == pytest.approx(16.25 / 64, rel=1e-3)
    assert found.stops()[1] == {"efficiency": 0.5, "nodes": None, "why": "parallelism", "place": None}
    assert row.usual.step == (None if sweeps == 1 else row.usual.run / 3)


def test_heat_has_no_limit_of_depth() -> None:
    found = estimate(shipped("apps") / "sequential" / "heat.py", [64, 2], nodes=[16])
    assert found.rows[0].parallelism == 64**2


def test_exchanged_arrays_and_inner_loops_are_one_step(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""\
import numpy as np
u, v, w = np.zeros(40), np.zeros(40), np.ones(4)
for _ in range(4):
    v[1:-1] = 0.5 * (u[:-2] + u[2:])
    u, v = v, u
    for k in range(4):
        w[k] = w[k] + u[10 * k]
print(u.sum())
""")
    row = estimate(program, nodes=[2]).rows[0]
    assert row.usual.step is not None
    assert row.statements[0].place == "program.py:4"
    assert row.usual.step * 4 + (row.usual.once or 0) == row.usual.run


def test_steady_names_a_statement(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\nu = np.zeros(16)\nfor k in range(3):\n    u[1:] = u[:-1] + k\n    u *= 2\n")
    assert estimate(program, nodes=[2], steady="program.py:4").rows[0].usual.step == 1
    with pytest.raises(EstimateError, match=r"valid: program.py:2, program.py:4, program.py:5"):
        estimate(program, nodes=[2], steady="program.py:9")
