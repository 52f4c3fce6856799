"""Checks of names, types and definitions that use themselves, through includes and imports."""

import pathlib
import random

import pytest

from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.model_checks import check_file

ROOT = pathlib.Path(__file__).parents[2]
MODELS = sorted([*(ROOT / "models").rglob("*.aspen"), *(ROOT / "tests" / "aspen" / "models").rglob("*.aspen")])


def write(folder: pathlib.Path, **texts: str) -> str:
    """Write files and return the path of the first one."""
    for name, text in texts.items():
        (folder / f"{name}.aspen").write_text(text)
    return str(folder / f"{next(iter(texts))}.aspen")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_models_are_valid(path: pathlib.Path) -> None:
    assert check_file(str(path)).warnings == []


def test_names_that_nobody_defines(tmp_path: pathlib.Path) -> None:
    path = write(
        tmp_path,
        xs="model xs {\n param aspen_param_length_array = 4\n data a [aspen_param_lenght_array]\n"
        " kernel main {\n  execute [P] { loads [8] from b }\n  call mian\n"
        "  execute [4 * giga] { flops [1] as what(no) }\n }\n}\n",
    )
    assert [f"{place}: {text}".removeprefix(f"{tmp_path}/") for place, text in check_file(path).warnings] == [
        "xs.aspen:3: 'aspen_param_lenght_array' is not defined; did you mean 'aspen_param_length_array'?",
        "xs.aspen:5: no data is called 'b'",
        "xs.aspen:6: no kernel is called 'mian'; did you mean 'main'?",
    ]


def test_names_of_machines(tmp_path: pathlib.Path) -> None:
    path = write(
        tmp_path, m="machine m {\n [n] boards nodes\n [2] bord nodes\n}\nnode board { linked with bus }\nparam n = 2\n"
    )
    assert [f"{place.line}: {text}" for place, text in check_file(path).warnings] == [
        "2: no node is called 'boards'; did you mean 'board'?",
        "3: no node is called 'bord'; did you mean 'board'?",
        "5: no link is called 'bus'",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("param c = 1\n\nparam a = b\nparam b = a + c\n", "a.aspen:3: 'a' is defined by itself: a (line 3) → b (li"),
        ("param a[] = {b, 1}\nparam b = a[1]\n", "a.aspen:1: 'a' is defined by itself: a (line 1) → b (line 2) → a"),
        ("kernel k { call m }\nkernel m { k }\n", "a.aspen:1: 'k' calls itself: k (line 1) → m (line 2) → k"),
        ("param a = 1\nparam a = 2\n", "a.aspen:2: 'a' is defined twice (first in line 1)"),
        ("kernel a { }\ncontrol a { }\n", "a.aspen:2: 'a' is defined twice (first in line 1)"),
        ("kernel a(x) { }\ncontrol c {\n a }\n", "a.aspen:3: kernel 'a' has 1 argument, but the call has 0"),
        ("include none.aspen\n", "a.aspen:1: no file 'none.aspen' beside "),
        ('import x from "a.aspen"\n', "a.aspen:1: 'a.aspen' imports itself: a.aspen (line 1) → a.aspen"),
        ("include a.aspen\n", "a.aspen:1: 'a.aspen' includes itself: a.aspen (line 1) → a.aspen"),
        ("core a { }\ncore a { }\n", "a.aspen:2: core 'a' is defined twice (first in line 1)"),
        ("core a { }\nsocket s { memory a }\n", "a.aspen:2: 'a' is of the type 'core' (defined in "),
    ],
)  # fmt: skip
def test_mistakes(tmp_path: pathlib.Path, text: str, expected: str) -> None:
    with pytest.raises(AspenError) as caught:
        check_file(write(tmp_path, a=text))
    assert str(caught.value).startswith(f"{tmp_path}/{expected}")


def test_a_condition_ends_a_recursion(tmp_path: pathlib.Path) -> None:
    check_file(write(tmp_path, a="kernel k(n) { if (n > 1) { call k(n / 2) } }\n"))


def test_mistakes_in_included_and_imported_files(tmp_path: pathlib.Path) -> None:
    """The error names the file and line of the mistake; an import of itself through two files names both."""
    path = write(tmp_path, a="include b.aspen\n", b="\ncore c { 3 }\n")
    with pytest.raises(AspenError, match=r"b\.aspen:2: expected a member of the component"):
        check_file(path)
    path = write(tmp_path, a="core c { }\ninclude b.aspen\n", b="kernel k { }\n")
    with pytest.raises(
        AspenError, match=r"b\.aspen:1: kernel 'k' is not allowed in a machine file; move it to an appl"
    ):
        check_file(path)
    path = write(tmp_path, a='import m from "b.aspen"\n', b='param x = 1\nimport n from "a.aspen"\n')
    with pytest.raises(
        AspenError, match=r"b.aspen:2: 'a.aspen' imports itself: a.aspen \(line 1\) → b.aspen \(line 2\) → a"
    ):
        check_file(path)
    path = write(tmp_path, a='import m from "b.aspen"\nkernel k { m.x }\n', b="kernel y { }\n")
    assert [text for _, text in check_file(path).warnings] == ["no kernel is called 'm.x'; did you mean 'm.y'?"]


def test_a_file_is_included_once(tmp_path: pathlib.Path) -> None:
    path = write(tmp_path, a="include b.aspen\ninclude c.aspen\ncore x { }", b="include c.aspen\n", c="param p = 1\n")
    assert check_file(path).summary == "machine: 1 parameter, 1 core"


def test_long_chains_of_definitions(tmp_path: pathlib.Path) -> None:
    lines = [f"param p{number} = p{number + 1} + 1" for number in range(5000)]
    random.Random(3).shuffle(lines)
    check_file(write(tmp_path, a="\n".join([*lines, "param p5000 = 1", "kernel main { }"])))
