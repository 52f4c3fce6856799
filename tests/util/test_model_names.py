"""Names of Aspen models."""

import pytest

from pysmpi.util.model_names import file_of_model, is_machine, model_words


@pytest.mark.parametrize(
    ("name", "file"),
    [("m.aspen", "m.aspen"), ("a/m.aspen:n=4:rails=2", "a/m.aspen"), ("m.aspen.xml", None), ("torus:4,4", None)],
)
def test_names_of_machines(name: str, file: str | None) -> None:
    assert is_machine(name) == (file is not None)
    assert file_of_model(name) == (file or name)


def test_the_platform_is_the_machine_unless_another_is_named() -> None:
    assert model_words("a.aspen", ["n=4"], "m.aspen:p=2") == ["a.aspen", "n=4", "--machine", "m.aspen:p=2"]
    assert model_words("a.aspen", ["--machine=x.aspen"], "m.aspen") == ["a.aspen", "--machine=x.aspen"]
    assert model_words("a.aspen", [], "flat:4") == model_words("a.aspen", [], None) == ["a.aspen"]
