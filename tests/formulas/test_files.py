"""Files of models, and measurements in Extra-P's format."""

import itertools
import json
import pathlib

import pytest

from pysmpi.errors import ModelError
from pysmpi.formulas import Series, fit, models_text, read_extrap, read_models, write_extrap

P, N = (4, 8, 16, 32, 64), (256, 512, 1024, 2048, 4096)


def written(folder: pathlib.Path, text: str) -> pathlib.Path:
    path = folder / "m.toml"
    path.write_text(text)
    return path


def test_a_file_of_models(tmp_path: pathlib.Path) -> None:
    """Formulas are texts, numbers or tables; tables in a model join names by dots."""
    path = written(
        tmp_path,
        '[a]\nmemory = "8*n"\nflops = 5e3\nsent = { formula = "n", exact = false, error = 0.1, largest = { p = 8 } }\n'
        '[b.sent]\nbytes = """\n  2*n\n"""\n',
    )
    models = read_models(path, ("p", "n"))
    assert {name: list(formulas) for name, formulas in models.items()} == {
        "a": ["memory", "flops", "sent"],
        "b": ["sent.bytes"],
    }
    assert models["a"]["flops"].expression.evaluate({}) == 5000
    assert models["b"]["sent.bytes"].expression.evaluate({"n": 4}) == 8
    assert models["a"]["memory"].exact is None
    sent = models["a"]["sent"]
    assert sent.exact is False and sent.error == 0.1
    assert sent.needs_verification({"p": 81, "n": 1}) and not sent.needs_verification({"p": 80, "n": 1})


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('[a]\nmemory = "8*n"\nflops = "2*lg2(n)"', "3:12", "unknown function 'lg2'; did you mean 'log2'?"),
        ('[a]\nmemory  =  "8*q"', "2:15", "unknown parameter 'q' (valid: p, n)"),
        ('[a]\nmemory = """\n8*\nq"""', "4:1", "unknown parameter 'q'"),
        ('[a]\nn = "n*q"\n', "2:8", "unknown parameter 'q'"),
        ("[a]\nmemory = true", "2", "memory must be a formula in quotes"),
        ("[a]\nmemory = [1]", "2", "memory must be a formula in quotes"),
        ('[a]\nm = { formula = "n", exakt = true }', "2", "unknown key of a formula 'exakt'; did you mean 'exact'?"),
        ('[a]\nm = { formula = "n", error = -1 }', "2", "error is -1"),
        ('memory = "n"', "1", "'memory' must be a table of formulas"),
        ("", "1", "the file has no models"),
        ("[a\n", "1", "not valid TOML"),
    ],
)
def test_errors_name_the_place(tmp_path: pathlib.Path, text: str, place: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        read_models(path, ("p", "n"))
    assert str(caught.value).startswith(f"{path}:{place}: {message}")


def test_found_models_are_written_and_read(tmp_path: pathlib.Path) -> None:
    points = list(itertools.product(P, N))
    found = {
        "memory": fit(("p", "n"), points, [8 * n + 4 for _, n in points]),
        "sent.bytes": fit(("p", "n"), points, [n**1.1 + 0.3 * (p % 3) * n for p, n in points]),
    }
    text = models_text({"my program": found}, "written by a test")
    assert text.startswith("# written by a test\n")
    models = read_models(written(tmp_path, text), ("p", "n"))["my program"]
    for name, model in found.items():
        assert models[name].exact == model.exact and models[name].error == model.error
        assert models[name].largest == {"p": 64, "n": 4096}
        at = {"p": 1000.0, "n": 1e6}
        assert models[name].expression.evaluate(at) == pytest.approx(model.form.value(at), rel=1e-12)
    assert found["memory"].exact and not found["sent.bytes"].exact


def test_extrap_json(tmp_path: pathlib.Path) -> None:
    """Series are written and read, with several values at a point."""
    path = tmp_path / "measurements.json"
    points = list(itertools.product(P, N))
    series = [Series("main->sweep", "flops", points, [[4.0 * n, 4.0 * n + 2] for _, n in points]),
              Series("main", "time", points[:3], [[1.5], [2.25], [1e-300]])]  # fmt: skip
    write_extrap(path, ("p", "n"), series)
    content = json.loads(path.read_text())
    assert content["parameters"] == ["p", "n"]
    assert content["measurements"]["main"]["time"][1] == {"point": [4, 512], "values": [2.25]}
    parameters, found = read_extrap(path)
    assert parameters == ["p", "n"]
    assert [(each.callpath, each.metric) for each in found] == [("main->sweep", "flops"), ("main", "time")]
    assert found[0].means == [4 * n + 1 for _, n in points]
    assert [tuple(point) for point in found[1].points] == points[:3]


def test_extrap_json_with_one_parameter(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"parameters": ["p"], "measurements": {"main": {"t": [{"point": 4, "value": 1}]}}}')
    assert read_extrap(path)[1][0].points == [[4.0]]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"parameters": ["p"],\n oops}', "2", "not valid JSON"),
        ("[]", "1", "the file must contain an object"),
        ('{"parameter": ["p"], "measurements": {}}', "1", "key 'parameters' is missing; did you mean 'parameter'?"),
        ('{"parameters": ["p q"],\n"measurements": {}}', "1", "parameter 'p q' is not a valid name"),
        ('{"parameters": ["p"],\n"measurements": {}}', "2", "the file has no measurements"),
        ('{"parameters": ["p"],\n"measurements": {"m":\n{"t": []}}}', "3", "metric 't' must be a list"),
        ('{"parameters": ["p"],\n"measurements": {"m":\n{"t": [{"point": [1]}]}}}', "3", "measurement 1 of metric 't'"),
        ('{"parameters": ["p"],\n"measurements": {"m":\n{"t": [{"point": [1, 2], "values": [1]}]}}}', "3",
         "measurement 1 of metric 't' has 2 coordinates for 1 parameters"),
        ('{"parameters": ["p"],\n"measurements": {"m":\n{"t": [{"point": [0], "values": [1]}]}}}', "3",
         "measurement 1 of metric 't' has a coordinate that is not positive"),
    ],
)  # fmt: skip
def test_errors_in_measurements(tmp_path: pathlib.Path, text: str, line: str, message: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_extrap(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def test_a_missing_key_without_a_similar_one(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("{}")
    with pytest.raises(ModelError, match=r"key 'parameters' is missing$"):
        read_extrap(path)
