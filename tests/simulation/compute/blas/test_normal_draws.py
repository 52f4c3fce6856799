"""Random numbers of the noise of BLAS calls."""

import math

import numpy as np
import pytest

from pysmpi.simulation.compute.blas.model import RoutineModel
from pysmpi.simulation.compute.blas.normal_draws import Normal
from pysmpi.simulation.compute.blas.polynomial import NOTHING


@pytest.mark.parametrize("distribution", ["normal", "half-normal"])
def test_noise_has_mean_0_and_deviation_1(distribution: str) -> None:
    """Half-normal noise has a fastest duration."""
    numbers = RoutineModel(NOTHING, distribution).shaped(Normal(seed=3, rank=5).draw_several(20_000))
    assert numbers.mean() == pytest.approx(0.0, abs=0.03)
    assert numbers.std() == pytest.approx(1.0, abs=0.03)
    fastest = -math.sqrt(2 / math.pi) / math.sqrt(1 - 2 / math.pi)
    assert bool(numbers.min() >= fastest) is (distribution == "half-normal")


def test_one_by_one_and_several_at_once_are_the_same_sequence() -> None:
    one, several = Normal(7, 2), Normal(7, 2)
    alone = [one.draw() for _ in range(9)]
    together = [*several.draw_several(4), several.draw(), *several.draw_several(0), *several.draw_several(4)]
    np.testing.assert_allclose(together, alone, rtol=1e-13)


def test_numbers_depend_on_seed_and_rank() -> None:
    drawn = {pair: Normal(*pair).draw() for pair in [(0, 0), (0, 1), (1, 0)]}
    assert len(set(drawn.values())) == 3
    assert drawn[0, 1] == Normal(0, 1).draw()
