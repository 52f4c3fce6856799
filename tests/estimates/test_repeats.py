"""Repeated steps are counted and not stored, and the estimate is the same."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pysmpi.estimates import EstimateError, estimate, repeats
from pysmpi.estimates.running import run_program
from pysmpi.estimates.value_flow import flow_of
from pysmpi.estimates.word_count import count_words

PROGRAMS = {
    "stencil": """\
u = np.zeros((18, 18))
u[0] = 1
for _ in range(steps):
    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
""",
    "two buffers": """\
u, v = np.zeros(64), np.zeros(64)
for _ in range(steps):
    v[1:-1] = 0.5 * (u[:-2] + u[2:])
    u, v = v, u
""",
    "three buffers": """\
old, now, new = np.ones(64), np.ones(64), np.zeros(64)
for _ in range(steps):
    new[1:-1] = 2 * now[1:-1] - old[1:-1] + 0.1 * (now[:-2] - 2 * now[1:-1] + now[2:])
    old, now, new = now, new, old
""",
    "conjugate gradients": """\
b = np.ones(64)
def product(p):
    q = 2.5 * p
    q[1:] -= p[:-1]
    q[:-1] -= p[1:]
    return q
x, r = np.zeros(64), b.copy()
p, rho = r.copy(), r @ r
for _ in range(steps):
    q = product(p)
    alpha = rho / (p @ q)
    x += alpha * p
    r -= alpha * q
    rho, before = r @ r, rho
    if rho < 0:
        break
    p = r + rho / before * p
""",
    "arrays made in steps": """\
u, f = np.random.rand(16, 16), np.random.rand(16, 16)
for _ in range(steps):
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = u[2:, 1:-1] - u[:-2, 1:-1] + f[1:-1, 1:-1]
    u = u + b
print(u.sum())
""",
    "random numbers": """\
u = np.zeros(64)
for _ in range(steps):
    u[1:-1] = 0.5 * (u[:-2] + u[2:]) + np.random.rand(62)
""",
    "loop over elements": """\
u = np.ones(20)
for _ in range(steps):
    for i in range(1, 19):
        u[i] = 0.5 * (u[i - 1] + u[i + 1])
""",
    "momentum": """\
u, v = np.ones(64), np.zeros(64)
for _ in range(steps):
    f = np.zeros(64)
    f[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
    v = 0.9 * v + f
    u = u + 0.1 * v
""",
    "later reads": """\
u, kept = np.ones(64), []
for k in range(steps):
    u[1:-1] = 0.5 * (u[:-2] + u[2:])
first = u.copy()
for k in range(steps):
    u[1:-1] = u[:-2] + first[1:-1] + u[2:]
u += first
""",
}

INNER = """\
import numpy as np
p, u = np.zeros((18, 18)), np.ones((18, 18))
for _ in range({steps}):
    b = np.zeros_like(p)
    b[1:-1, 1:-1] = u[1:-1, 2:] - u[1:-1, :-2]
    for _ in range({inner}):
        q = p.copy()
        p[1:-1, 1:-1] = 0.25 * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2]) - b[1:-1, 1:-1]
        p[0] = p[1]
    u[1:-1, 1:-1] += p[2:, 1:-1] - p[:-2, 1:-1]
"""


def counted(program: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> tuple[dict[str, Any], int]:
    """Return what an estimate prints, and the statements that are stored, if repeats are searched from `least` on."""
    monkeypatch.setattr(repeats, "_LEAST_EDGES", least)
    found = estimate(program, nodes=[1, 3, 4], cut="blocks").to_json()
    del found["measured_seconds"]
    return found, len(run_program(program, []).recorder.statement)


@pytest.mark.parametrize("steps", [3, 5, 6, 7, 30, 31, 32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_estimates_are_equal(name: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import numpy as np\nsteps = {steps}\n{PROGRAMS[name]}")
    stored, everything = counted(program, monkeypatch, 2**40)
    folded, statements = counted(program, monkeypatch, 1)
    assert folded == stored
    if steps >= 30:
        assert statements < 0.8 * everything


def test_values_that_move_on_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nx, w = np.random.rand(12), np.random.rand(12)\n"
        "for _ in range(30):\n    x = np.roll(x, 1) - w\n"
    )
    assert counted(program, monkeypatch, 1) == counted(program, monkeypatch, 2**40)


@pytest.mark.parametrize(("steps", "inner"), [(3, 20), (12, 3), (12, 20), (13, 21)])
def test_inner_loops_are_counted_in_each_step(
    steps: int, inner: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program.py"
    program.write_text(INNER.format(steps=steps, inner=inner))
    stored, _ = counted(program, monkeypatch, 2**40)
    folded, statements = counted(program, monkeypatch, 1)
    for each in (*stored["rows"], *folded["rows"]):
        each.pop("parallelism")  # the longest chain within inner loops is that of the stored iterations
        for cut in ("usual", "least", "best"):
            each[cut]["efficiency"]["depth"] = None
    assert folded == stored
    assert statements < 300


STATEMENTS = (
    "{a}[1:-1] = {b}[:-2] + {c}[2:]", "{a} = {b} + {c}", "{a}, {b} = {b}, {a}", "s = {a}.sum()", "{a} *= s",
    "{a}[3] = {b}[8]", "{a}[5] += s", "{a} = {b}.copy()", "{a} = np.zeros(12)", "{a}[:] = {b}[::-1]",
    "kept.append({a}.copy())", "kept = kept[-2:]", "if s > 1: {a}[0] = s", "{a}[k % 12] = s",
    "if k % 2: {a}[1:] = {b}[:-1]", "if k == 5: {a}[:] = {c}", "{a} = np.roll({b}, 1) - {c}",
    "{a} = np.where({b} > 0, {a}, {c})", "{a} += np.random.rand(12)", "{c} -= 0.1 * ({a} @ {b}) * {a}",
)  # fmt: skip


def loops(draw: random.Random, depth: int) -> list[str]:
    """Return random statements and loops for the body of a loop."""
    lines = []
    for _ in range(draw.randint(1, 4)):
        if depth < 3 and draw.random() < 0.25:
            inside = loops(draw, depth + 1)
            lines += [f"for k{depth} in range({draw.choice([2, 4, 6, 9, 14])}):", *("    " + each for each in inside)]
        else:
            lines.append(draw.choice(STATEMENTS).format(**{name: draw.choice("uvwx") for name in "abc"}))
    return lines


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # values overflow
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_send_the_same(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    body = "\n    ".join(loops(draw, 1))
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nu, v, w, x = (np.random.rand(12) for _ in range(4))\ns, kept = u.sum(), []\n"
        f"for k in range({draw.choice([8, 13, 20, 30])}):\n    {body}\n"
    )
    found = []
    for least in (2**40, 1):
        monkeypatch.setattr(repeats, "_LEAST_EDGES", least)
        flow = flow_of(run_program(program, [], allow_nothing=True).recorder)
        owner = np.zeros(flow.vertices, np.int32)
        owner[: flow.places] = np.random.default_rng(seed).integers(0, 3, flow.places)
        traffic = count_words(flow, owner, 3)
        found.append((traffic.total, traffic.in_step(flow).total, flow.work_at(flow.vertices).sum()))
    assert found[0] == found[1]


def test_a_long_run_needs_no_more_memory(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nu = np.zeros(10_002)\nfor _ in range(2_000):\n    u[1:-1] = u[2:] + u[:-2]\n"
    )
    found = estimate(program, nodes=[4], memory=64e6)
    assert found.rows[0].usual.step == 6
    assert found.rows[0].usual.run == pytest.approx(12_000)


def test_a_run_without_repetition_ends_at_the_memory(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nu, kept = np.zeros(10_000), []\n"
        "for _ in range(2_000):\n    kept.append(u + 1)\n    u = u + kept[-1]\n"
    )
    with pytest.raises(EstimateError, match=r"program\.py:\d: the record has .* more than --memory allows"):
        estimate(program, nodes=[4], memory=64e6)
