"""Tests of comparisons of collective algorithms."""

import math
import pathlib

import pytest

from pysmpi.errors import LaunchError, PlatformError
from pysmpi.simulation.collectives import OPERATIONS, algorithms
from pysmpi.simulation.experiments.compare_collectives import COMPARED
from pysmpi.study import compare_algorithms


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_can_be_compared(cluster_file: pathlib.Path, operation: str) -> None:
    """Each algorithm and each selector has a time for each size, and much larger sizes take longer."""
    sizes = [0] if operation == "barrier" else [8, 4096, 100_000]
    comparison = compare_algorithms(operation, np=3, sizes=sizes, platform=cluster_file, parameters=[2])
    names = [algorithm.name.replace("-k", "-2") for algorithm in algorithms(operation)]
    assert [trial.choice for trial in comparison.algorithms] == names
    assert [trial.choice for trial in comparison.selectors] == list(COMPARED)
    for trial in (*comparison.algorithms, *comparison.selectors):
        assert len(trial.seconds) == len(sizes), trial.notes
        assert trial.seconds[0] <= trial.seconds[-1]
        assert all(comparison.fastest(index) <= seconds for index, seconds in enumerate(trial.seconds))


def test_one_message_is_what_it_costs(cluster_file: pathlib.Path) -> None:
    from pysmpi import explain

    comparison = compare_algorithms("bcast", np=2, sizes=[100_000], platform=cluster_file)
    by_name = {trial.choice: trial.seconds[0] for trial in comparison.algorithms}
    message = explain(cluster_file, "node-0", "node-1", 100_000)
    assert math.isclose(by_name["binomial_tree"], message.total, rel_tol=1e-6)


def test_what_cannot_be_compared(cluster_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Errors name the operation, the sizes and the platform; a setting that fails everywhere fails the comparison."""
    with pytest.raises(LaunchError, match="allreduce"):
        compare_algorithms("alreduce", np=2, sizes=[8], platform=cluster_file)
    with pytest.raises(LaunchError, match="at least one size"):
        compare_algorithms("bcast", np=2, sizes=[], platform=cluster_file)
    for cfg in (["smpi/bcast:binomial_tree"], {"smpi/bcast": "binomial_tree"}):
        with pytest.raises(LaunchError, match="smpi/bcast must not be set"):
            compare_algorithms("bcast", np=2, sizes=[8], platform=cluster_file, cfg=cfg)
    with pytest.raises(PlatformError, match="missing"):
        compare_algorithms("bcast", np=2, sizes=[8], platform=tmp_path / "missing.xml")
