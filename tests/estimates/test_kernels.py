"""Words of programs of several kinds, counted by hand."""

from pathlib import Path

import pytest

from pysmpi.estimates import Estimate, EstimateError, estimate

REDBLACK = """
n = 64
u, f = np.zeros((n + 2, n + 2)), np.ones((n + 2, n + 2))
def sweep(i, j):
    near = u[i - 1 : -3 + i : 2, j : n + j : 2] + u[i + 1 : n + 1 + i : 2, j : n + j : 2]
    near = near + u[i : n + i : 2, j - 1 : -3 + j : 2] + u[i : n + i : 2, j + 1 : n + 1 + j : 2]
    u[i : n + i : 2, j : n + j : 2] = 0.25 * (near - f[i : n + i : 2, j : n + j : 2])
for _ in range(3):
    for i, j in ((1, 1), (2, 2), (1, 2), (2, 1)):
        sweep(i, j)
"""
FDTD = """
n = 64
ez, hx, hy = np.zeros((n, n)), np.zeros((n, n - 1)), np.zeros((n - 1, n))
for t in range(3):
    hx -= 0.5 * (ez[:, 1:] - ez[:, :-1])
    hy += 0.5 * (ez[1:, :] - ez[:-1, :])
    ez[1:-1, 1:-1] += 0.5 * (hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1])
    ez[n // 2, n // 2] += np.sin(0.1 * t)
"""
LIFE = """
g = np.random.default_rng(3).integers(0, 2, (64, 64))
for _ in range(3):
    near = sum(np.roll(np.roll(g, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    g = ((near == 3) | ((g == 1) & (near == 2))).astype(int)
"""
PADDED = """
u = np.random.rand(64, 64)
for _ in range(3):
    p = np.pad(u, 1, mode="edge")
    u = 0.2 * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
"""
PREFIX = """
x = np.random.rand(512)
for _ in range(3):
    s = np.cumsum(x)
    x = s / s[-1]
"""
NORMALISED = """
x = np.random.rand(512)
for _ in range(3):
    x = (x + np.roll(x, 1)) / x[0]
"""
FLOYD = """
d = np.random.rand(32, 32)
for k in range(32):
    d = np.minimum(d, d[:, k, None] + d[None, k, :])
"""
LATTICE = """
n = 32
cx, cy = [0, 1, 0, -1, 0, 1, -1, -1, 1], [0, 0, 1, 0, -1, 1, 1, -1, -1]
f = np.random.rand(9, n, n)
for _ in range(3):
    for i in range(9):
        f[i] = np.roll(np.roll(f[i], cx[i], axis=0), cy[i], axis=1)
    rho = f.sum(axis=0)
    ux = np.einsum("i,ijk->jk", cx, f) / rho
    for i in range(9):
        f[i] += 0.6 * (rho * (1 + 3 * cx[i] * ux) - f[i])
"""
POISSON = """
f = np.random.rand(32, 32)
k = np.fft.fftfreq(32, 1 / 32)
k2 = k[:, None] ** 2 + k[None, :] ** 2 + 1.0
u = np.real(np.fft.ifft2(-np.fft.fft2(f) / k2))
"""
SPECTRAL = """
u = np.random.rand(32, 32) + 0j
for _ in range(5):
    u = np.fft.ifft2(0.9 * np.fft.fft2(u))
"""
EULER = """
n = 256
rho, m, e = np.ones(n), np.zeros(n), np.full(n, 2.5)
for _ in range(5):
    u = m / rho
    p = 0.4 * (e - 0.5 * m * u)
    f2, f3 = m * u + p, (e + p) * u
    c = np.abs(u) + np.sqrt(1.4 * p / rho)
    a = np.maximum(c[1:], c[:-1])
    g1 = m[1:] + m[:-1] - a * (rho[1:] - rho[:-1])
    g2 = f2[1:] + f2[:-1] - a * (m[1:] - m[:-1])
    g3 = f3[1:] + f3[:-1] - a * (e[1:] - e[:-1])
    rho[1:-1] -= 0.05 * (g1[1:] - g1[:-1])
    m[1:-1] -= 0.05 * (g2[1:] - g2[:-1])
    e[1:-1] -= 0.05 * (g3[1:] - g3[:-1])
"""
NETWORK = """
x, w1, w2 = np.random.rand(256, 8), np.random.rand(8, 16), np.random.rand(16, 1)
y = x.sum(axis=1, keepdims=True)
for _ in range(3):
    h = np.tanh(x @ w1)
    d2 = (h @ w2 - y) / 256
    g2 = h.T @ d2
    g1 = x.T @ ((d2 @ w2.T) * (1 - h**2))
    w1 -= 0.5 * g1
    w2 -= 0.5 * g2
"""
MONTE_CARLO = """
total = 0
for _ in range(3):
    x, y = np.random.rand(1024), np.random.rand(1024)
    total += np.count_nonzero(x * x + y * y < 1)
"""
FREE = """
def cnd(x):
    return 1 / (1 + np.exp(-1.7 * x))
s, k, t = (np.random.rand(1024) + 1 for _ in range(3))
d1 = np.log(s / k) / np.sqrt(t)
d2 = d1 - np.sqrt(t)
call = s * cnd(d1) - k * cnd(d2)
"""
WINDOWS = """
a, kernel = np.random.rand(34, 34), np.random.rand(3, 3)
for _ in range(3):
    w = np.lib.stride_tricks.VIEW
    a[1:-1, 1:-1] = (w * 0.1).sum(axis=(2, 3))
"""


def found(tmp_path: Path, text: str, nodes: int, **options: object) -> Estimate:
    program = tmp_path / "program.py"
    program.write_text(f"import numpy as np\n{text}")
    return estimate(program, nodes=[nodes], cut="blocks", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "nodes", "words"),
    [
        (REDBLACK, 16, 2 * 6 * 64),
        (FDTD, 16, 2 * 6 * 62),  # the rim is sent once
        (LIFE, 16, 16 * (4 * 16 + 4)),
        (LIFE, 4, 4 * 2 * 64),  # slabs send less than squares, which have corners
        (PADDED, 16, 2 * 6 * 64),
        (PREFIX, 16, 2 * 15),
        (NORMALISED, 16, 16 + 14),  # the last node has the sources of x[0], and computes it
        (FLOYD, 16, 2 * 3 * 32),
        (LATTICE, 4, 4 * 2 * 32 + 4 * (2 * 32 + 2 * 32 - 4)),
        (SPECTRAL, 16, 2 * 2 * 32**2 * 15 // 16),  # two transpositions of complex numbers
        (EULER, 8, 6 * 7),  # the state of a point to one side, fluxes to the other; no pressure, no speed
        (NETWORK, 4, 2 * 3 * (8 * 16 + 16)),
        (MONTE_CARLO, 16, 15),
    ],
)
def test_words_a_step(tmp_path: Path, text: str, nodes: int, words: int) -> None:
    estimated = found(tmp_path, text, nodes, compare=True)
    assert estimated.rows[0].usual.step == words
    assert estimated.differences == []


def test_words_of_transforms(tmp_path: Path) -> None:
    """Two transpositions of complex numbers."""
    assert found(tmp_path, POISSON, 16).rows[0].usual.run == 2 * 2 * 32**2 * 15 // 16


def test_calls_of_a_function_are_no_steps(tmp_path: Path) -> None:
    row = found(tmp_path, FREE, 4).rows[0]
    assert (row.usual.step, row.usual.run) == (None, 0)
    assert row.parallelism >= 1024


@pytest.mark.parametrize("view", ["sliding_window_view(a, (3, 3))", "as_strided(a, (32, 32, 3, 3), 2 * a.strides)"])
def test_windows(tmp_path: Path, view: str) -> None:
    """The halo has corners; the corners of the domain never change."""
    estimated = found(tmp_path, WINDOWS.replace("VIEW", view), 4, compare=True)
    assert estimated.differences == []
    assert estimated.rows[0].usual.step == 4 * 32 + 4


def test_blocks_in_turn_balance_a_factorisation(tmp_path: Path) -> None:
    text = """
n = 64
a = np.random.rand(n, n) + n * np.eye(n)
for k in range(n - 1):
    a[k + 1 :, k] /= a[k, k]
    a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
"""
    usual, dealt, _ = found(tmp_path, text, 4).rows[0].candidates
    assert (usual.figures.by, dealt.figures.by) == ("blocks", "cyclic")
    assert usual.figures.imbalance > 1.4
    assert dealt.figures.imbalance < 1.2
    usual, balanced, least = found(tmp_path, text, 16).rows[0].candidates
    assert (balanced.figures.blocks["a"], least.figures.blocks["a"]) == ([1, 16], [4, 4])
    assert balanced.figures.imbalance < least.figures.imbalance < usual.figures.imbalance
    assert least.figures.run < usual.figures.run < balanced.figures.run


def test_name_of_a_compiled_function(tmp_path: Path) -> None:
    text = "from scipy.linalg import lu_factor\na = np.ones((4, 4)) + np.eye(4)\nprint(\n    lu_factor(a)\n)\n"
    with pytest.raises(EstimateError, match=r"program.py:5: an array leaves NumPy here \(lu_factor\)"):
        found(tmp_path, text, 2)
