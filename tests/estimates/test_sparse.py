"""Products with sparse matrices of SciPy."""

import re
from pathlib import Path

import pytest

from pysmpi.estimates import EstimateError, estimate
from pysmpi.estimates.comparison import differences
from pysmpi.estimates.running import run_program

BANDED = """\
import numpy as np
import scipy.sparse as sp
n = 512
a = sp.diags([np.ones(n - 2), np.ones(n - 1), np.full(n, 4.0), np.ones(n - 1), np.ones(n - 2)], [-2, -1, 0, 1, 2])
a = a.asformat("FORMAT")
x = np.ones(n)
for _ in range(3):
    y = a @ x
    x = y / n
print(x[3])
"""
SEVERAL = """\
import numpy as np
from scipy.sparse import KIND, csr_matrix, issparse
data = np.arange(1.0, 9.0) ** 2
row, col = np.array([0, 1, 1, 2, 3, 4, 5, 5]), np.array([5, 1, 0, 2, 2, 4, 0, 5])
a = KIND(csr_matrix((data, (row, col)), shape=(6, 6)))
x, b = np.arange(6.0), np.arange(12.0).reshape(6, 2) + 0.5
y, z, w, v = a @ x, a @ b, x @ a, b.T @ a
s = a.T.dot(x) + a.tocsc() @ x
print(y, z, w, v, s, issparse(a), a.shape)
"""


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "dia", "bsr"])
def test_words_of_a_banded_matrix(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(BANDED.replace("FORMAT", name))
    found = estimate(program, nodes=[8], cut="blocks", compare=True)
    assert found.rows[0].usual.step == 4 * 7
    assert found.differences == []


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_matrix", "dia_matrix", "bsr_array"])
def test_products_are_those_of_scipy(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SEVERAL.replace("KIND", kind))
    run = run_program(program, [])
    assert differences(program, [], run) == []


LAPLACE = """\
import numpy as np
import scipy.sparse as sp
n = 16
t = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
a = (MATRIX).tocsr()
x = np.ones(n * n)
for _ in range(3):
    y = a @ x
    x = y / n
print(x[3], a.diagonal()[5], a.nnz)
"""


@pytest.mark.parametrize(
    "matrix",
    [
        "sp.kron(sp.eye(n), t) + sp.kron(t, sp.eye(n))",
        "sp.kronsum(t, t)",
        "2.0 * sp.kronsum(t, t) / 4 - -sp.eye(n * n)",
    ],
)
def test_words_of_a_laplace_operator(matrix: str, tmp_path: Path) -> None:
    """Nodes have rows of the grid, so a row crosses each of the 3 borders in either direction."""
    program = tmp_path / "program.py"
    program.write_text(LAPLACE.replace("MATRIX", matrix))
    found = estimate(program, nodes=[4], cut="blocks", compare=True)
    assert found.rows[0].usual.step == 2 * 3 * 16
    assert found.differences == []


@pytest.mark.parametrize("given", ["sp.eye(3, 4)", "sp.csr_matrix(np.arange(12.0).reshape(3, 4) % 5)"])
def test_computed_matrices_are_those_of_scipy(given: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport scipy.sparse as sp\n"
        f"a = {given}\nb = sp.coo_matrix(np.arange(12.0).reshape(3, 4) % 3)\n"
        "x, z = np.arange(4.0), np.arange(8.0)\n"
        "print((a + b) @ x, (a - b) @ x, (-a) @ x, (a * 3) @ x, (b / 2) @ x, sum([a, b]) @ x)\n"
        "print(sp.vstack([a, b]) @ x, sp.hstack([a, b]) @ z, sp.block_diag([a, b]) @ z, a.diagonal(), b.T.diagonal())\n"
        "print(sp.kron(a, b).tocsr() @ np.arange(16.0))\n"
    )
    assert differences(program, [], run_program(program, [])) == []


def test_positions_that_are_stored_twice(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nfrom scipy.sparse import coo_matrix\n"
        "a = coo_matrix((np.ones(2), ([0, 0], [1, 1])), shape=(2, 2))\nprint(a + a)\n"
    )
    with pytest.raises(EstimateError, match=r"program.py:4: scipy.sparse: \+ of a matrix that stores a position twice"):
        run_program(program, [])


def test_elements_of_a_product(tmp_path: Path) -> None:
    """Row i of the result depends on the stored elements of row i, and on their columns of the vector."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nfrom scipy.sparse import csr_matrix\n"
        "data, x = np.random.rand(4), np.random.rand(3)\n"
        "a = csr_matrix((data, np.array([2, 0, 1, 2]), np.array([0, 1, 2, 4])))\ny = a @ x\n"
    )
    recorder = run_program(program, []).recorder
    sources: dict[int, set[int]] = {}
    for source, sink in zip(recorder.source, recorder.sink, strict=True):
        sources.setdefault(sink, set()).add(source)
    last = sorted(sources)[-3:]
    found = [
        sorted(recorder.home[each] for product in sources[sink] for each in sources[product] if each != product)
        for sink in last
    ]
    assert found == [[0, 6], [1, 4], [2, 3, 5, 6]]


def test_rows_in_another_order(tmp_path: Path) -> None:
    """Rows and columns of a given matrix in another order are given; the values are SciPy's."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport scipy.sparse as sp\n"
        "a = sp.diags_array([np.full(5, -1.0), np.arange(2.0, 8.0), np.full(5, -1.0)], offsets=[-1, 0, 1]).tocsr()\n"
        "order = np.array([4, 2, 0, 5, 3, 1])\nx = np.arange(6.0)\nprint(a[order][:, order] @ x, a[:3, 1:] @ x[1:])\n"
    )
    assert differences(program, [], run_program(program, [])) == []


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("a.power(2)", "power"),
        ("a ** 2", "power"),
        ("a[0, 0]", "an element, or a part of a matrix with computed elements,"),
        ("(a * np.random.rand(1)[0])[:2]", "an element, or a part of a matrix with computed elements,"),
        ("a[0, 0] = 1.0", "a change of elements"),
    ],
)
def test_functions_without_a_rule(tmp_path: Path, statement: str, named: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import numpy as np\nimport scipy.sparse\na = scipy.sparse.eye(4, format='csr')\n{statement}\n")
    with pytest.raises(EstimateError, match=re.escape(f"program.py:4: scipy.sparse: {named} has no rule")):
        run_program(program, [])
