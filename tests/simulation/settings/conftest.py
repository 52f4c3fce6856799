"""Fixtures of these tests, which hand settings to the engine without a simulation that takes them back."""

from collections.abc import Iterator

import pytest

from pysmpi.simulation.settings.mpi_libraries.followed import forget


@pytest.fixture(autouse=True)
def forget_the_library() -> Iterator[None]:
    """Let MPI calls of later tests follow the default library."""
    yield
    forget()
