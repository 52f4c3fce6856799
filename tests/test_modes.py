"""The markers of tests choose the defaults, as docs/contributing.md says."""

import pytest

from pysmpi.simulation.settings.configuration import Configuration


def test_users_defaults_without_a_marker() -> None:
    assert Configuration()["mpi"] != "smpi"


@pytest.mark.smpi
def test_defaults_of_smpi() -> None:
    assert Configuration()["mpi"] == "smpi"


@pytest.mark.both_modes
def test_both(mode: str) -> None:
    assert (Configuration()["mpi"] == "smpi") == (mode == "smpi")
