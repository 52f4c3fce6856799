"""Words that usual programs send for usual blocks, from their closed forms."""

import importlib.util
from pathlib import Path

import pytest

from pysmpi.estimates import estimate
from pysmpi.util.shipped import shipped

PROGRAMS = shipped("apps") / "sequential"


@pytest.mark.parametrize(
    ("program", "arguments", "nodes", "blocks", "words"),
    [
        ("heat", [128, 2], 16, [16, 1], 2 * 15 * 128),
        ("heat", [128, 2], 16, None, 2 * 6 * 128),
        ("heat", [128, 2], 64, [8, 8], 2 * 14 * 128),
        ("heat", [512, 2], 4096, [64, 64], 2 * 126 * 512),
        ("ghost", [32, 2], 8, None, 2 * 3 * 32**2),
        ("ghost", [32, 2], 64, [4, 4, 4], 2 * 9 * 32**2),
        ("spmv", [1024, 3], 16, None, 4 * 15),
        ("kmeans", [512, 4, 5, 3], 4, None, 3 * 45),
        ("kmeans", [512, 4, 5, 3], 16, None, 15 * 45),
        ("cg", [64, 3], 16, None, 2 * 6 * 64 + 4 * 15),
        ("shallow", [64, 3], 16, [4, 4], 3 * 16 * 4 * 16),
    ],
)
def test_words_a_step(program: str, arguments: list[int], nodes: int, blocks: list[int] | None, words: int) -> None:
    found = estimate(PROGRAMS / f"{program}.py", arguments, nodes=[nodes], blocks=blocks)
    assert found.rows[0].usual.step == words
    assert found.rows[0].matrix().sum() == words


def test_product_as_matmul_and_as_loops(tmp_path: Path) -> None:
    found = estimate(PROGRAMS / "product.py", [64], nodes=[64]).rows[0].usual
    assert (found.step, found.run, found.blocks["c"]) == (None, 2 * 7 * 64**2, [8, 8])
    loops = tmp_path / "loops.py"
    loops.write_text("""\
import numpy as np
n = 16
a, b, c = np.random.rand(n, n), np.random.rand(n, n), np.zeros((n, n))
for i in range(n):
    for j in range(n):
        for k in range(n):
            c[i, j] += a[i, k] * b[k, j]
""")
    assert estimate(loops, nodes=[4]).rows[0].usual.run == 2 * 16**2
    assert estimate(PROGRAMS / "product.py", [16], nodes=[4]).rows[0].usual.run == 2 * 16**2


def test_rows_of_a_matrix_vector_product(tmp_path: Path) -> None:
    program = tmp_path / "matvec.py"
    program.write_text("""\
import numpy as np
n = 256
a, x = np.random.rand(n, n), np.ones(n)
for _ in range(3):
    y = a @ x
    x = y / n
""")
    assert estimate(program, blocks=[16, 1]).rows[0].usual.step == 15 * 256


def test_heat_sends_nothing_once() -> None:
    cut = estimate(PROGRAMS / "heat.py", [128, 2], nodes=[16]).rows[0].usual
    assert (cut.step, cut.once, cut.run, cut.recomputed) == (1536, 0, 3072, 0)
    assert (cut.messages, cut.neighbours) == (4, 4)


def test_shallow_water_recomputes_products() -> None:
    cut = estimate(PROGRAMS / "shallow.py", [64, 3], blocks=[4, 4]).rows[0].usual
    assert cut.recomputed == 1024


def test_matrix_of_a_statement() -> None:
    row = estimate(PROGRAMS / "heat.py", [32, 2], blocks=[4, 1]).at(4)
    place = row.statements[0].place
    assert row.statements[0].what == "halo"
    assert row.matrix(place).tolist() == [[0, 32, 0, 0], [32, 0, 32, 0], [0, 32, 0, 32], [0, 0, 32, 0]]


def test_programs_do_not_import_pysmpi() -> None:
    programs = sorted(PROGRAMS.glob("*.py"))
    assert len(programs) == 8
    assert not [each for each in programs if "pysmpi" in each.read_text()]


def test_importing_pysmpi_does_not_load_estimates() -> None:
    spec = importlib.util.find_spec("pysmpi")
    assert spec is not None and spec.origin is not None
    assert "from pysmpi.estimates import" not in Path(spec.origin).read_text().split("if TYPE_CHECKING:")[0]


def test_programs_below_site_packages_are_followed(tmp_path: Path) -> None:
    """Installed examples are there; packages in a site-packages folder below a program are not its own."""
    program = tmp_path / "site-packages" / "program.py"
    program.parent.mkdir()
    program.write_text("import numpy as np\na = np.random.rand(8)\na[1:] += a[:-1]\nprint(a[0])\n")
    assert estimate(program, nodes=[2]).at(2).words > 0
