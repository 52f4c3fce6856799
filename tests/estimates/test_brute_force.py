"""Counted words equal those of a count on Python objects: one object a value, one loop a question."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pysmpi.estimates.running import run_program
from pysmpi.estimates.value_flow import flow_of
from pysmpi.estimates.word_count import count_words

SIDE = 7


class Value:
    """One value: its sources, and the owner of the place where it is stored first."""

    def __init__(self, sources: tuple["Value", ...] = (), *, total: bool = False) -> None:
        self.sources = sources
        self.total = total
        self.owner: int | None = None

    def __add__(self, other: "Value | float") -> "Value":
        return Value((self, other) if isinstance(other, Value) else (self,))

    __sub__ = __mul__ = __radd__ = __rmul__ = __add__


def stored_sources(value: Value) -> set[Value]:
    """Return the sources of a value among the stored ones; temporaries of an expression are part of it."""
    found: set[Value] = set()
    for source in value.sources:
        found |= {source} if source.owner is not None else stored_sources(source)
    return found


def counted(values: list[Value], nodes: int) -> int:
    needs = {
        (source, value.owner)
        for value in values
        if not value.total
        for source in stored_sources(value)
        if source.owner != value.owner
    }

    def can_compute(value: Value, node: int | None) -> bool:
        found = stored_sources(value)
        return bool(found) and all(
            source.owner == node or (source, node) in needs or (not source.total and can_compute(source, node))
            for source in found
        )

    recomputed = {(value, node) for value, node in needs if can_compute(value, node)}
    partial = {
        (value, source.owner)
        for value in values
        if value.total
        for source in stored_sources(value)
        if source.owner != value.owner and (source, value.owner) not in needs and not can_compute(source, value.owner)
    }
    return len(needs - recomputed) + len(partial)


SLICES = ["1:-1", ":-2", "2:"]
WHOLE = [
    "np.roll({0}, 1, 0)",
    "np.roll({0}, -2, 1)",
    "{0}.T",
    "{0}[::-1]",
    "{0}[order]",
    "np.concatenate([{0}[3:], {0}[:3]])",
]
names = st.sampled_from("abc")
slices = st.tuples(st.sampled_from(SLICES), st.sampled_from(SLICES))
statements = st.one_of(
    st.tuples(names, names, names, slices, slices).map(
        lambda x: f"{x[0]}[1:-1, 1:-1] = {x[1]}[{x[3][0]}, {x[3][1]}] + {x[2]}[{x[4][0]}, {x[4][1]}]"
    ),
    st.tuples(names, st.sampled_from(WHOLE), names, names).map(
        lambda x: f"{x[0]}[...] = {x[1].format(x[2])} * {x[3]} + 0.5"
    ),
    st.tuples(names, names, st.integers(0, SIDE - 1)).map(lambda x: f"{x[0]}[{x[2]}] = {x[1]}.sum(axis=0)"),
    st.tuples(names, names, st.sampled_from(WHOLE)).map(lambda x: f"{x[0]}[...] = {x[2].format(x[1])}"),
    st.tuples(names, names, st.integers(0, 6)).map(
        lambda x: f"{x[0]}[{x[2]}, 2] = {x[1]}[3, {x[2]}] + {x[1]}[{x[2]}, 3]"
    ),
    st.tuples(names, names).map(lambda x: f"{x[0]} += {x[1]}"),
)


def by_objects(program: list[str], owners: dict[str, np.ndarray], nodes: int) -> int:
    space: dict[str, object] = {"np": np, "order": [3, 1, 4, 0, 5, 2, 6]}
    arrays = {}
    values: list[Value] = []
    for name, owner in owners.items():
        array = np.empty((SIDE, SIDE), object)
        for place in np.ndindex(SIDE, SIDE):
            array[place] = Value()
        arrays[name] = space[name] = array
        for place in np.ndindex(SIDE, SIDE):
            array[place].owner = int(owner[place])
    for statement in program:
        text = statement
        if ".sum(axis=0)" in statement:
            target, source = statement.split(" = ")
            columns = arrays[source.split(".")[0]].T
            text = f"{target} = _sums"
            space["_sums"] = np.array([Value(tuple(column), total=True) for column in columns], object)
        exec(text, space)
        for name, array in arrays.items():
            for place in np.ndindex(SIDE, SIDE):
                if array[place].owner is None:
                    array[place].owner = int(owners[name][place])
                    values.append(array[place])
    return counted(values, nodes)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(statements, min_size=1, max_size=7), st.integers(2, 5), st.integers(0, 10**6))
def test_words_equal_those_of_objects(tmp_path: Path, program: list[str], nodes: int, seed: int) -> None:
    source = tmp_path / "program.py"
    made = "".join(f"{name} = np.ones(({SIDE}, {SIDE}))\n" for name in "abc")
    source.write_text(f"import numpy as np\norder = [3, 1, 4, 0, 5, 2, 6]\n{made}" + "\n".join(program))
    draw = random.Random(seed)
    owners = {name: np.array([[draw.randrange(nodes) for _ in range(SIDE)] for _ in range(SIDE)]) for name in "abc"}
    run = run_program(source, [], allow_nothing=True)
    flow = flow_of(run.recorder)
    owner = np.zeros(flow.vertices, np.int32)
    for first, name in run.names.items():
        if name in owners:
            owner[first : first + SIDE * SIDE] = owners[name].ravel()
    assert count_words(flow, owner, nodes).total == by_objects(program, owners, nodes)


@pytest.mark.parametrize("nodes", [2, 3])
def test_meetings_equal_explicit_edges(tmp_path: Path, nodes: int) -> None:
    order = 10  # products of smaller matrices are followed one by one
    made = f"import numpy as np\na, b, c = (np.random.rand({order}, {order}) for _ in range(3))\n"
    loops = f"for i, j, k in np.ndindex({order}, {order}, {order}):\n    c[i, j] += a[i, k] * b[k, j]\n"
    totals = []
    for text in ("c[...] = a @ b\n", loops):
        source = tmp_path / "program.py"
        source.write_text(made + text)
        flow = flow_of(run_program(source, []).recorder)
        owner = np.zeros(flow.vertices, np.int32)
        owner[: 3 * order**2] = np.random.default_rng(5).integers(0, nodes, 3 * order**2)
        totals.append(count_words(flow, owner, nodes).total)
    assert totals[0] == totals[1]
