"""Groups obey the algebra of ordered sets."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Runner = Callable[..., list[Any]]
SIZE = 12
subsets = st.lists(st.integers(0, SIZE - 1), unique=True, max_size=SIZE)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(subsets, subsets), min_size=1, max_size=10))
def test_set_operations(run_ranks: Runner, pairs: list[tuple[list[int], list[int]]]) -> None:
    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD.Get_group()

        def members(group: Any) -> list[int]:
            result: list[int] = group.Translate_ranks(None, world)
            return result

        found = []
        for one, two in pairs:
            first, second = world.Incl(one), world.Incl(two)
            combined = MPI.Group.Union(first, second), MPI.Group.Intersection(first, second)
            apart = MPI.Group.Difference(first, second), world.Excl(one)
            compared = MPI.Group.Compare(first, second)
            kinds = {MPI.IDENT: "same", MPI.SIMILAR: "similar", MPI.UNEQUAL: "unequal"}
            found.append(([members(group) for group in (*combined, *apart)], kinds[compared], first.rank))
        return found if MPI.COMM_WORLD.rank == 3 else None

    for (one, two), (found, compared, rank) in zip(pairs, run_ranks(program, SIZE)[3], strict=True):
        assert found == [
            one + [r for r in two if r not in one],
            [r for r in one if r in two],
            [r for r in one if r not in two],
            [r for r in range(SIZE) if r not in one],
        ]
        assert compared == ("same" if one == two else "similar" if sorted(one) == sorted(two) else "unequal")
        assert rank == (one.index(3) if 3 in one else -32766)


def test_ranges(run_ranks: Runner) -> None:
    """Triplets have strides of either sign."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD.Get_group()
        chosen = world.Range_incl([(0, 6, 2), (5, 1, -4)])
        left = world.Range_excl([(0, 6, 2), (5, 1, -4)])
        return chosen.Translate_ranks(None, world), left.Translate_ranks(None, world)

    assert run_ranks(program, 8) == [([0, 2, 4, 6, 5, 1], [3, 7])] * 8


def test_wrong_ranks(MPI: ModuleType) -> None:
    group = MPI.COMM_WORLD.Get_group()
    with pytest.raises(MPI.Exception, match=r"invalid rank 1; valid: 0 to 0"):
        group.Excl([1])
    with pytest.raises(MPI.Exception, match=r"rank 0 is given twice"):
        group.Incl([0, 0])
    with pytest.raises(MPI.Exception, match=r"the stride of range 0, 0 to 0, is 0"):
        group.Range_incl([(0, 0, 0)])
    with pytest.raises(MPI.Exception, match="MPI_GROUP_NULL"):
        MPI.GROUP_NULL.Get_size()


def test_freed_group_is_gone(MPI: ModuleType) -> None:
    group = MPI.COMM_WORLD.Get_group()
    other = MPI.Group.fromhandle(group.handle)
    group.Free()
    with pytest.raises(MPI.Exception, match="was it freed"):
        other.Get_size()
    MPI.GROUP_EMPTY.Get_size()
