"""Info objects behave like ordered tables of strings."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Runner = Callable[..., list[Any]]
words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=9
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(words, words | st.none())))
def test_a_table_of_text(MPI: ModuleType, steps: list[tuple[str, str | None]]) -> None:
    info, table = MPI.Info.Create(), {}
    for key, value in steps:
        if value is not None:
            info.Set(key, value)
            table[key] = value
        elif key in table:
            info.Delete(key)
            del table[key]
        else:
            with pytest.raises(MPI.Exception) as caught:
                info.Delete(key)
            assert caught.value.Get_error_class() == MPI.ERR_INFO_NOKEY
    assert [info.Get_nthkey(n) for n in range(info.Get_nkeys())] == list(table)
    assert {key: info.Get(key) for key in table} == table
    copy = info.Dup()
    info.Free()
    assert dict(copy) == table
    copy.Free()


def test_limits(MPI: ModuleType) -> None:
    """Keys have at most 255 characters, values at most 1024 (of which mpi4py reads 1023)."""
    info = MPI.Info.Create()
    info.Set("k" * 255, "v" * 1023)
    assert info.Get("k" * 255) == "v" * 1023
    for key, value, error in (("k" * 256, "v", MPI.ERR_INFO_KEY), ("k", "v" * 1025, MPI.ERR_INFO_VALUE)):
        with pytest.raises(MPI.Exception) as caught:
            info.Set(key, value)
        assert caught.value.Get_error_class() == error
    with pytest.raises(MPI.Exception, match="invalid key number 1; valid: 0 to 0"):
        info.Get_nthkey(1)


def test_the_environment_is_the_ranks_and_read_only(MPI: ModuleType, run_ranks: Runner) -> None:
    assert "command" in MPI.INFO_ENV
    with pytest.raises(MPI.Exception, match="cannot be changed or freed"):
        MPI.INFO_ENV.Set("command", "another")

    def program(MPI: Any) -> Any:
        return MPI.INFO_ENV.Get("thread_level")

    assert run_ranks(program, 2) == ["MPI_THREAD_MULTIPLE"] * 2
