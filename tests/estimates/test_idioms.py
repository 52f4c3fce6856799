"""Ways of writing programs: results are equal to the bit, and words are those that a reader of the program counts."""

import io
from pathlib import Path

import pytest

from pysmpi.estimates import Estimate, estimate
from pysmpi.estimates.running import run_program

LIFE = """
z = (np.random.rand(64, 64) * 2).astype(int)
for _ in range(3):
    near = np.zeros((64, 64), int)
    near[1:-1, 1:-1] = (z[:-2, :-2] + z[:-2, 1:-1] + z[:-2, 2:] + z[1:-1, :-2] + z[1:-1, 2:]
                        + z[2:, :-2] + z[2:, 1:-1] + z[2:, 2:])
    birth = (near == 3) & (z == 0)
    survive = ((near == 2) | (near == 3)) & (z == 1)
    z[...] = 0
    z[birth | survive] = 1
"""
CHOSEN = """
z = (np.random.rand(64, 64) * 2).astype(int)
for _ in range(3):
    near = sum(np.roll(np.roll(z, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    z = np.where((near == 3) | ((z == 1) & (near == 2)), 1, 0)
"""
WARPING = """
n = 16
a, b = np.random.rand(n), np.random.rand(n)
d = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        near = [d[i - 1, j]] * (i > 0) + [d[i, j - 1]] * (j > 0)
        cost = math.sqrt((a[i] - b[j]) ** 2)
        d[i, j] = cost + (min(near) if near else 0.0)
"""
PREFIX = "a = np.random.rand(4096)\nprint(np.cumsum(a)[-1])"
HISTOGRAM = "h, _ = np.histogram(np.random.rand(64, 64), bins=16, range=(0, 1))\nprint(h)"


def found(tmp_path: Path, text: str, nodes: int, **options: object) -> Estimate:
    program = tmp_path / "program.py"
    program.write_text(f"import copy\nimport math\nimport numpy as np\n{text}")
    return estimate(program, nodes=[nodes], cut="blocks", compare=True, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LIFE, 2 * 6 * 64 + 4 * 9),  # integers and masks that are data
        (CHOSEN, 2 * 8 * 64 + 4 * 16),
    ],
)
def test_words_a_step(tmp_path: Path, text: str, words: int) -> None:
    assert found(tmp_path, text, 16).rows[0].usual.step == words


@pytest.mark.parametrize(("text", "words"), [(PREFIX, 15), (HISTOGRAM, 15 * 16)])
def test_words_of_a_run(tmp_path: Path, text: str, words: int) -> None:
    assert found(tmp_path, text, 16).rows[0].usual.run == words


def test_wavefront_with_functions_of_scalars(tmp_path: Path) -> None:
    """Scalars that pass through math.sqrt and min stay where they are."""
    row = found(tmp_path, WARPING, 4).rows[0]
    assert row.usual.run == 2 * 16 + 2 * 16  # borders of d, and halves of a and b
    assert row.parallelism < 16**2 / (2 * 16 - 1) + 1


SCALARS = """
a = np.arange(1.0, 9.0) * 1.53
scalars = a.sum(), np.arange(5).sum(), (a > 2).any(), (1j * a).sum()
for scalar, kind in zip(scalars, (np.float64, np.int64, np.bool_, np.complex128)):
    for name in dir(kind):
        if (name.startswith("__") and name not in ("__floor__", "__ceil__", "__trunc__")) or name in ("data", "flat"):
            continue
        try:
            found = getattr(scalar, name)
            found = found() if callable(found) else found
        except (TypeError, ValueError, AttributeError) as error:
            found = type(error).__name__
        print(name, found)
print(a.sum().hex(), a.max().fromhex("0x1p1"), math.trunc(a.sum()), math.floor(a[1]), math.ceil(a[1]))
"""


def test_scalars_have_what_numbers_of_numpy_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Methods and attributes of numbers give what they give without tracing."""
    text = f"import math\nimport numpy as np\n{SCALARS}"
    program = tmp_path / "scalars.py"
    program.write_text(text)
    printed = io.StringIO()
    run_program(program, [], echo=printed)
    traced = printed.getvalue()
    exec(text, {})
    assert capsys.readouterr().out == traced
    assert "0x1.b8a3d70a3d70ap+5" in traced


def test_copies_keep_their_values(tmp_path: Path) -> None:
    """An array that is changed later does not change what its copy depends on."""
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\na = np.random.rand(8)\nb = a.copy()\na[0] = a[7] + 1\nc = b * 2.0\n")
    recorder = run_program(program, []).recorder
    edges = zip(recorder.source, recorder.sink, strict=True)
    assert any(source == 0 for source, _ in edges)


@pytest.mark.parametrize(
    "text",
    [
        "a = np.random.rand(6, 6)\nfor k in range(6):\n    a[k, k] += a[k, :k] @ a[:k, k]",  # the first is empty
        "a = np.zeros((5, 5))\na.flat[::6] = 2.0\nb = a.flat[7] + a.sum()\na.flat = 1.5",
        "z = np.ones(6) + 2j\nz.imag[1:3] = 7.0\nz.real[0] += 1\nb = z * 2",
        "a = np.arange(6.0)\nb = np.append(a, a[:2]) * 2\nc = np.compress(a > 2, a) + 1\nd = a.compress(a < 2)",
        "a = np.ones((2, 2)) * 3\nb = np.block([[a, a + 1], [np.zeros((2, 2)), a]]) * 2",
        "a = np.arange(6.0)[::-1] * 1.0\nb = copy.copy(a)\nc = copy.deepcopy(a)\na.partition(2)\nb[0] = a[1] + c[2]",
        "a = np.ndarray((3, 4), dtype=float)\na[...] = 2.0\nb = isinstance(a, np.ndarray) * a.ravel('F') + 1",
        "a = np.arange(12.0).reshape(3, 4) + 1\nb = a.flatten('F') * 2\nc = a[np.ix_([0, 2], [1, 3])] * 2",
        "a = np.random.rand(4)\nb = a + max(a[0], a[1], 0.0) + min(a) + math.hypot(a[1], a[2])",
        "a = (np.random.rand(4) * 9).view(np.uint64) >> np.uint64(1)",
        "a = np.random.rand(4, 3)\nb = np.kron(a, a[:2]) * 2\nc = np.linalg.multi_dot([a.T, a, a.T])",
        "a = np.linspace(-1, 1, 9)\nb = np.piecewise(a, [a < 0, a >= 0], [lambda x: -x, lambda x: x * x]) + 1",
        "a = np.random.rand(40)\nh, x, y = np.histogram2d(a, a[::-1], bins=4)\nb = h / h.sum()",
    ],
)
def test_results_are_equal(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text, 2).differences == []
