"""Random trees and random smooth models, drawn by hypothesis."""

import pathlib
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as draw

from pysmpi import aspen
from pysmpi.aspen.file_grammar import parse
from pysmpi.aspen.sensitivity import elasticities
from pysmpi.aspen.syntax_tree import (
    Call,
    Comparison,
    Control,
    Data,
    Execute,
    Exposes,
    File,
    Function,
    Group,
    If,
    Index,
    Kernel,
    Loop,
    Name,
    Need,
    Negation,
    Number,
    Param,
    Power,
    Probability,
    Product,
    Range,
    Requires,
    Sample,
    Sum,
    Superstep,
    Switch,
    Trait,
)  # fmt: skip
from pysmpi.aspen.writer import file_text

HERE = pathlib.Path(__file__).parent
MACHINE = aspen.read_machine(str(HERE / "hand_machine.aspen"))

names = draw.sampled_from(["n", "m", "alpha", "3D", "flops_", "with", "to", "P", "data"])
numbers = draw.floats(min_value=0, max_value=1e300, allow_nan=False).map(lambda value: Number(abs(value)))


def few(strategy: draw.SearchStrategy[Any], least: int = 0) -> draw.SearchStrategy[tuple[Any, ...]]:
    return draw.lists(strategy, min_size=least, max_size=3).map(tuple)


def chains(inner: draw.SearchStrategy[Any]) -> draw.SearchStrategy[Any]:
    return draw.one_of(
        draw.builds(Sum, inner, few(draw.tuples(draw.sampled_from("+-"), inner), 1)),
        draw.builds(Product, inner, few(draw.tuples(draw.sampled_from("*/"), inner), 1)),
        draw.builds(Power, inner, inner),
        draw.builds(Negation, inner),
        draw.builds(lambda arguments: Function("max", arguments), few(inner, 1)),
        draw.builds(lambda name, index: Index(name, (index,)), names, inner),
    )


expressions = draw.recursive(draw.one_of(numbers, names.map(Name)), chains, max_leaves=6)
traits = few(draw.builds(Trait, draw.sampled_from(["dp", "simd", "stride"]), few(expressions)))
needs = draw.builds(Need, draw.sampled_from(["flops", "loads"]), expressions, draw.none() | expressions,
                    draw.just("to"), draw.just("field"), traits)  # fmt: skip
labels = draw.sampled_from(["", "a label"])
comparisons = draw.builds(Comparison, expressions, draw.sampled_from(["==", "!=", "<", "<=", ">", ">="]), expressions)


def blocks(inner: draw.SearchStrategy[Any]) -> draw.SearchStrategy[Any]:
    body = few(inner, 1)
    cases = few(draw.tuples(expressions, body), 1)
    return draw.one_of(
        draw.builds(Loop, draw.sampled_from(["iterate", "map"]), draw.just("step"), expressions, labels, body),
        draw.builds(Group, draw.sampled_from(["par", "seq"]), labels, body),
        draw.builds(Superstep, few(body, 2)),
        draw.builds(If, comparisons, body, draw.none() | body),
        draw.builds(Probability, cases, draw.none() | body),
        draw.builds(Switch, draw.just("n"), cases, draw.none() | body),
    )


steps = draw.recursive(
    draw.one_of(
        draw.builds(Execute, draw.just(""), draw.none() | expressions, labels, few(needs, 1)),
        draw.builds(Call, draw.sampled_from(["k", "other.k"]), few(expressions)),
        draw.builds(Sample, draw.just("s"), draw.just("uniform"), draw.tuples(expressions, expressions)),
    ),
    blocks,
    max_leaves=4,
)
params = draw.builds(
    Param, names, draw.just(0), expressions, draw.none() | draw.builds(Range, expressions, expressions)
)
kernels = draw.builds(
    lambda width, own, body: Kernel("k", (), (Exposes(width), Requires(own), *body)), expressions, needs, few(steps)
)
items = draw.one_of(
    params, kernels, draw.builds(Control, draw.just("c"), few(steps)), draw.builds(Data, draw.just("d"), expressions)
)


@settings(max_examples=120, deadline=None)
@given(draw.lists(items, min_size=1, max_size=3).map(lambda found: File(tuple(found))))
def test_a_tree_written_reads_as_the_same_tree(tree: File) -> None:
    assert parse(file_text(tree), "a.aspen") == tree


powers = draw.integers(min_value=-2, max_value=3)
values = draw.floats(min_value=0.5, max_value=50)


@settings(max_examples=40, deadline=None)
@given(values, values, values, draw.lists(draw.tuples(powers, powers, powers), min_size=1, max_size=4))
def test_elasticities_agree_with_central_differences(
    a: float, b: float, c: float, terms: list[tuple[int, ...]]
) -> None:
    """Sums of products of powers and of smooth functions of three parameters."""
    text = " + ".join(f"a^({i}) * log(2 + b)^({j}) * exp(c / 50)^({k})" for i, j, k in terms)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.aspen"
        path.write_text(
            f"param a = {a!r}\nparam b = {b!r}\nparam c = {c!r}\nkernel main {{ execute [64] {{ flops [{text}] }} }}\n"
        )
        application = aspen.read_application(str(path))
        found = elasticities(application, MACHINE)

        def seconds(**changed: float) -> float:
            return float(application.cost(MACHINE, **changed).seconds)

        step = 1e-5
        for name, value in {"a": a, "b": b, "c": c}.items():
            above, below = seconds(**{name: value * (1 + step)}), seconds(**{name: value * (1 - step)})
            assert found[name] == pytest.approx((above - below) / (2 * step * seconds()), abs=1e-6)
