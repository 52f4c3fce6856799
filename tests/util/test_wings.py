"""Registration of wings, and names of models."""

import pathlib

import pytest

import pysmpi
from pysmpi.util.wings import language_of, language_of_module, language_of_program, wings


def test_every_file_is_found() -> None:
    folder = pathlib.Path(pysmpi.__file__).parent
    assert list(wings()) == sorted(path.parent.name for path in folder.glob("*/wing.py"))
    assert "aspen" in wings()


@pytest.mark.parametrize(
    ("name", "divided"),
    [
        ("m.aspen", ("m.aspen", "")),
        ("a/m.aspen:n=4:rails=2", ("a/m.aspen", ":n=4:rails=2")),
        ("m.aspen.xml", None),
        ("torus:4,4", None),
    ],
)
def test_names_of_machines(name: str, divided: tuple[str, str] | None) -> None:
    language = language_of(name)
    assert (None if language is None else language.divided(name)) == divided


def test_programs() -> None:
    language = language_of_program("a/b.aspen")
    assert language is not None
    assert language_of_module(language.module) is language
    assert language_of_program("b.aspen:n=4") is language_of_program("b.py") is language_of_module(None) is None


def test_the_platform_is_the_machine_unless_another_is_named() -> None:
    language = language_of_program("a.aspen")
    assert language is not None
    assert language.words("a.aspen", ["n=4"], "m.aspen:p=2") == ["a.aspen", "n=4", "--machine", "m.aspen:p=2"]
    assert language.words("a.aspen", ["--machine=x.aspen"], "m.aspen") == ["a.aspen", "--machine=x.aspen"]
    assert language.words("a.aspen", [], "flat:4") == language.words("a.aspen", [], None) == ["a.aspen"]


def test_files_that_a_text_names() -> None:
    language = language_of("m.aspen")
    assert language is not None
    assert language.files_in('include "a.aspen"\nimport b from "c.aspen"\n') == ["a.aspen", "c.aspen"]
