"""Environment variables of linear algebra libraries."""

import os

import pytest

from pysmpi.util.library_threads import THREAD_VARIABLES, set_threads, threads_restored


def test_the_variables_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that were not set are not set afterwards, also after an exception."""
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with pytest.raises(ValueError, match="inside"), threads_restored():
        set_threads(2)
        assert all(os.environ[name] == "2" for name in THREAD_VARIABLES)
        raise ValueError("inside")
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "MKL_NUM_THREADS" not in os.environ
