"""The grammar of both dialects: trees of texts, texts of trees, and errors with file and line."""

import pathlib
import random

import pytest

from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.file_grammar import parse
from pysmpi.aspen.syntax_tree import Call, Chain, Figure, Kernel, Name, Number, Part, Power, Product, Sum
from pysmpi.aspen.writer import file_text

ROOT = pathlib.Path(__file__).parents[2]
MODELS = sorted([*(ROOT / "models").rglob("*.aspen"), *(ROOT / "tests" / "aspen" / "models").rglob("*.aspen")])


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_tree_written_again_reads_as_the_same_tree(path: pathlib.Path) -> None:
    tree = parse(path.read_text(), path.name)
    text = file_text(tree)
    assert parse(text, path.name) == tree and file_text(parse(text, path.name)) == text


def test_expressions() -> None:
    """Powers bind from the right and more strongly than signs; 1..10 is a range; 1e9 is a number and 3D a name."""
    (param,) = parse("param x = -a^2^-1 + 3*(b - 1) in 1..10", "x").items
    assert file_text(parse("param x = -a^2^-1 + 3*(b - 1) in 1..10", "x")) == (
        "param x = -a^2^-1 + 3 * (b - 1) in 1 .. 10\n"
    )
    (first,) = parse("param x = 1e9 * 2.5E-3 + 3D.n", "x").items
    assert first.value == Sum(Product(Number(1e9), (("*", Number(0.0025)),)), (("+", Name("3D.n")),))  # type: ignore[union-attr]
    (power,) = parse("param x = 2^3^4", "x").items
    assert power.value == Power(Number(2), Power(Number(3), Number(4)))  # type: ignore[union-attr]
    assert param != first


def test_brackets_that_touch_are_indices() -> None:
    (kernel,) = parse("kernel k { iterate t [4] { k2 } execute [t[1]] { flops[2] } a -> b }", "x").items
    assert isinstance(kernel, Kernel)
    assert isinstance(kernel.body[-1], Chain) and kernel.body[-1].steps == (Call("a"), Call("b"))


def test_figures_and_parts() -> None:
    """A name, a quantity and a name are a part, unless a bracket or a word of the grammar follows."""
    text = "socket s { latency [1] bandwidth [2] core [4] pe clock [3] memory ram [2] x cores banks [2] linked with l }"
    (component,) = parse(text, "x").items
    assert component.members[:6] == (  # type: ignore[union-attr]
        Figure("latency", Number(1)), Figure("bandwidth", Number(2)), Part("core", "pe", Number(4)),
        Figure("clock", Number(3)), Part("memory", "ram"), Part("core", "x", Number(2)),
    )  # fmt: skip


MALFORMED = {
    "param n 3": "1: expected '=', not '3'",
    "param n = ": "1: expected a number, a name or '(', but the file ends",
    "param = 3": "1: expected the name of a parameter, not '='",
    "param n = 3 +\n* 4": "2: expected a number, a name or '(', not '*'",
    "param n = (3 + 4": "1: expected ')', but the file ends (the parenthesis of line 1 is open)",
    "param n = lgo(3)": "1: unknown function 'lgo'; did you mean 'log'?",
    "param n = log(3, 4)": "1: log takes one argument, not 2",
    "param n = max()": "1: max takes 1 or more arguments, not 0",
    "param n = 3 in 4": "1: expected '..', but the file ends",
    "param n = 1e999": "1: number '1e999' is too large",
    "param n = 3 $ 4": "1: unexpected character '$'",
    "param n = {1, 2}": "1: parameter 'n' is a number, but its value is a list; write n[]",
    "param n[] = 3": "1: parameter 'n' is a list, but its value is a number",
    "param n[] = {1, {2}}": "1: a list has either numbers or lists, not both",
    "param n = (3 > 2)": "1: expected a number, not a comparison",
    "/* a\nb": "1: the comment that begins here has no end; write */",
    'import x from "a': "1: the string that begins here has no end on its line",
    "import x from a": "1: expected a file in quotes, such as \"fft3d.aspen\", not 'a'",
    "enum E { a, a }": "1: enum 'E' has 'a' twice",
    "enum E { }": "1: expected a name, not '}'",
    "data d": "1: expected '[' or 'as', but the file ends",
    "data d as Array": "1: 'Array' has no arguments; write Array(count, bytes)",
    "kernel k {\n\n exposes parallelism 3\n}": "3: expected '[', not '3'",
    "kernel k {\n  requires flops [3]\n": "2: expected '}', but the file ends (the kernel of line 1 is open)",
    "kernel k { exposs parallelism [3] }": "1: expected a step, not 'exposs'; did you mean 'exposes'?",
    "kernel k {\n requirs flops [3] }": "2: expected a step, not 'requirs'; did you mean 'requires'?",
    "kernel k { exposes parallelism [3]\nexposes parallelism [4] }": "2: kernel 'k' exposes parallelism twice",
    "node n {\nlinked pcie }": "2: expected 'with', not 'pcie'",
    "core c { static [3] }": "1: expected 'power', not '['",
    "kernel k(a, a) { }": "1: kernel 'k' has the argument 'a' twice",
    "kernel k(a b) { }": "1: expected ',' or ')', not 'b'",
    "kernel k(a,) { }": "1: expected an argument, not ')'",
    "kernel k { else { } }": "1: expected a step, not 'else'",
    "control c { { a, } }": "1: expected a step, not '}'",
    "control c { { , a } }": "1: expected a step, not ','",
    "control c { execute [1] { } }": "1: expected a resource, not '}'",
    "kernel k {\n param x = 1\n param x = 2 }": "3: kernel 'k' defines 'x' twice (first in line 2)",
    "include": "1: expected a file, such as memory/ddr3.aspen, but the file ends",
    "kernel k { execute { 3 } }": "1: expected a resource or '}', not '3'",
    "kernel k { execute n { flops 3 } }": "1: expected '[', not '3'",
    "kernel k { if (n) { } }": "1: expected a comparison such as n > 4, not a number",
    "kernel k { if (n = 3) { } }": "1: expected a comparison (== != < <= > >=), not '='",
    "kernel k { switch n { } }": "1: expected '(', not 'n'",
    "kernel k { iterate { a } }": "1: expected '[', not '{'",
    "kernal k {\n exposes parallelism [3]\n requires flops [5*n] as dp\n}": "1: no statement begins with 'kernal'; did",
    "control c {\n a -> -> b }": "2: expected a step, not '->'",
    "control c { { a, b }": "1: expected '}', but the file ends (the control flow of line 1 is open)",
    "node n {\n [2] 3 sockets }": "2: expected the name of a component, not '3'",
    "node n {\n [2] with nodes }": "2: expected the name of a component, not the reserved word 'with'",
    "node n { core }": "1: expected '[' or a name, not '}'",
    "core c { resource flops [3] }": "1: expected '(', not '['",
    "core c { } kernel k { }": "1: a machine file cannot have a kernel; write the application into another",
    "kernel k { } kernl m { }": "1: an application cannot have components such as 'kernl'; did you mean 'kernel'?",
    "model m {\n  core c { }\n}": "2: expected a statement or '}', not 'core'",
    "paramm n = 3": "1: no statement begins with 'paramm'; did you mean 'param'?",
    "3": "1: expected a statement of an application or a component of a machine, not '3'",
    "(" * 100: "1: expected a statement",
    f"param n = {'(' * 100}": "1: more than 40 nested blocks or parentheses",
    f"control c {{ {'{' * 100}": "1: more than 40 nested blocks or parentheses",
}


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_mistakes_name_file_and_line(text: str) -> None:
    with pytest.raises(AspenError) as caught:
        parse(text, "a.aspen")
    message = str(caught.value)
    assert message.startswith(f"a.aspen:{MALFORMED[text]}") and "\n" not in message


def test_mutated_models_are_read_or_refused() -> None:
    """Texts with words and characters removed, doubled and exchanged end in a tree or an error of Aspen."""
    drawn = random.Random(7)
    texts = [path.read_text() for path in MODELS]
    for _ in range(1500):
        text = drawn.choice(texts)
        for _ in range(drawn.randint(1, 4)):
            first, second = sorted(drawn.randrange(len(text) + 1) for _ in range(2))
            second = min(second, first + drawn.choice([1, 1, 5, 60]))
            piece = text[first:second]
            inserted = drawn.choice(["", piece * 2, drawn.choice('{}[](),.^"/*->=5nx \n'), text[second : second + 9]])
            text = text[:first] + inserted + text[second:]
        try:
            tree = parse(text, "a.aspen")
        except AspenError as error:
            assert str(error).startswith("a.aspen:") and "\n" not in str(error)
        else:
            assert parse(file_text(tree), "a.aspen") == tree
