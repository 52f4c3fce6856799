"""Tables of models by host and core."""

import json
import pathlib
import re
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import Cluster
from pysmpi.simulation.compute.blas import load_table

FIT = {"measurements": None, "r_squared": None, "largest_relative_error": None}


def entry(seconds: float, *sizes: str, **more: Any) -> dict[str, Any]:
    return {"seconds": {"1": seconds}, "fit": {**FIT, "range": {size: [1, 9] for size in sizes}}, **more}


def document(**more: Any) -> dict[str, Any]:
    return {
        "format": "pysmpi-blas-table-1",
        "machine": "some",
        "library": "one",
        "date": "2026-11-23",
        "speed": 1e9,
        "routines": {"dtrsm": entry(5.0, "m", "n", "k")},
        "models": {name: {"dgemm": entry(time, "m", "n", "k")} for name, time in (("a", 1.0), ("b", 2.0), ("c", 3.0))},
        "places": [
            {"host": "node-0", "cores": "0-2:2", "model": "a"},
            {"host": "node-0", "model": "b"},
            {"host": "node-[1-9]", "cores": "1", "model": "a"},
            {"host": "node-*", "model": "c"},
        ],
        **more,
    }


@pytest.fixture
def written(tmp_path: pathlib.Path) -> Any:
    def write(**more: Any) -> pathlib.Path:
        path = tmp_path / "table.json"
        path.write_text(json.dumps(document(**more)))
        return path

    return write


def durations() -> tuple[float, float]:
    """Return the durations of one product, and of a solution."""
    return (
        pysmpi.routine_seconds("dgemm", m=1, n=1, k=1),
        pysmpi.routine_seconds("dtrsm", m=np.array([1]), n=1, k=1)[0],
    )


def test_each_core_has_its_model(written) -> None:
    """Ranks take the cores of a host in order; the first place that fits counts."""
    result = pysmpi.simulate(durations, np=6, platform=Cluster(2, cores=3, speed=1e9), blas=written())
    assert [gemm for gemm, _ in result.values] == [1, 2, 1, 3, 1, 3]
    assert {solve for _, solve in result.values} == {5.0}
    assert [(use.name, use.calls, use.seconds) for use in result.routines] == [("dgemm", 6, 11.0), ("dtrsm", 6, 30.0)]


def test_a_file_with_one_model_is_a_table_for_all_cores(model_file, entry) -> None:
    table = load_table(model_file({"dgemm": entry("dgemm", {"1": 1})}))
    assert table.has_one_model and table.routines == {"dgemm"}
    assert table.model_of("any", 77).routines["dgemm"].seconds({}) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"models": {}}, "models: no model is given"),
        ({"models": []}, "models: [] is not an object"),
        ({"models": {"a": {"dpotrff": {}}}}, "models.a: unknown routine 'dpotrff'; did you mean 'dpotrf'?"),
        (
            {"models": {"a": {"dgemm": entry(1, "m", "n", "k")}, "b": {}}},
            "models.b: dgemm is missing, which model 'a' describes",
        ),
        ({"places": []}, "places: [] is not a list of at least one entry"),
        ({"places": [{"host": "x", "model": "d"}]}, "places[0].model: unknown model 'd'"),
        ({"places": [{"host": "x", "modell": "a"}]}, "places[0]: unknown key 'modell'; did you mean 'model'?"),
        (
            {"places": [{"host": "x", "model": "a", "cores": "3-1"}]},
            "places[0].cores: '3-1' is not valid; write a core",
        ),
        ({"places": [{"host": "x", "model": "a", "cores": "0-3:0"}]}, "places[0].cores: '0-3:0' is not valid"),
        ({"places": [{"host": "x", "model": "a", "cores": 3}]}, "places[0].cores: 3 is not a non-empty string"),
        ({"places": [{"host": "x", "model": "a"}]}, "models.b: no entry of 'places' names this model"),
        ({"format": "pysmpi-blas-tabel-1"}, "format: unknown format 'pysmpi-blas-tabel-1'; did you mean"),
        ({"speed": -1}, "speed: -1 is not a valid speed"),
    ],
)
def test_what_is_wrong(written, more: dict[str, Any], message: str) -> None:
    path = written(**more)
    with pytest.raises(ConfigurationError, match=re.escape(f"{path}: ")) as caught:
        load_table(path)
    assert message in str(caught.value)


def test_a_core_without_a_place(written) -> None:
    every = [{"host": f"node-{i}", "cores": "0", "model": name} for i, name in enumerate("abc")]
    table = load_table(written(places=every))
    with pytest.raises(
        ConfigurationError, match=re.escape("no entry includes core 1 of host 'node-0' (hosts: node-0, ")
    ):
        table.model_of("node-0", 1)
