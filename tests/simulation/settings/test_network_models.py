"""Each network model is one file."""

import pathlib

import pytest

from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.network_models import MODELS, NetworkModel
from pysmpi.simulation.settings.options import OPTIONS

PACKAGE = pathlib.Path(__file__).parents[3] / "pysmpi"


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_engine_takes_its_settings(model: NetworkModel) -> None:
    """This fails if the native model is not registered, or a value has no place in the engine."""
    configuration = Configuration()
    configuration.set("network/model", model.name, "test")
    configuration.hand_to_engine()
    assert model.options
    assert set(model.options) | set(model.defaults) <= OPTIONS.keys()


@pytest.mark.parametrize("name", MODELS)
def test_one_file_names_it(name: str) -> None:
    """Other files use its properties, not its name."""
    # "raw" is a mode of numpy.linalg.qr, too
    sources = [source for source in PACKAGE.rglob("*.py") if source.parent.name not in ("numpy_functions", "folded")]
    found = [source for source in sources if f'"{name}"' in source.read_text()]
    assert [source.parent.name for source in found] == ["network_models"]
