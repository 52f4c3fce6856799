"""Designs: the combinations of values that a study simulates (all, listed ones, or a Latin hypercube sample)."""

import inspect
import itertools
from collections.abc import Mapping, Sequence

from pysmpi.errors import StudyError
from pysmpi.study.factor_levels import Levels, Range, Value

__all__ = ["KINDS", "MOST_POINTS", "crossed", "sampled"]

KINDS = ("crossed", "listed", "sampled")
MOST_POINTS = 1_000_000

Combination = dict[str, Value]


def crossed(factors: Mapping[str, Levels]) -> list[Combination]:
    """Return every combination of factor values; the last factor varies fastest.

    Raises:
        StudyError: if a range has no steps, or there are too many combinations.
    """
    values: list[Sequence[Value]] = []
    count = 1
    for name, levels in factors.items():
        try:
            values.append(levels.values() if isinstance(levels, Range) else levels)
        except StudyError as error:
            raise StudyError(f"factor {name}: {error}") from None
        count *= len(values[-1])
        if count > MOST_POINTS:
            raise StudyError(
                f"more than {MOST_POINTS:,} points; use a sampled design, which simulates only some of them"
            )
    return [dict(zip(factors, combination, strict=True)) for combination in itertools.product(*values)]


def sampled(factors: Mapping[str, Levels], samples: int, seed: int) -> list[Combination]:
    """Return a Latin hypercube sample of the factors' values.

    Each range is cut into `samples` equal parts, and each part holds exactly one sample. With three samples of a range
    from 0 to 3, one sample lies between 0 and 1, one between 1 and 2, and one between 2 and 3. The values of a list are
    used equally often; their counts differ by at most one (M. McKay, R. Beckman, W. Conover, "A Comparison of Three
    Methods for Selecting Values of Input Variables", 1979).
    """
    import numpy as np
    from scipy.stats import qmc

    generator = np.random.default_rng(seed)
    named = {"rng" if "rng" in inspect.signature(qmc.LatinHypercube).parameters else "seed": generator}
    shares = qmc.LatinHypercube(len(factors), **named).random(samples)
    return [
        {name: _at(levels, float(share), samples) for (name, levels), share in zip(factors.items(), row, strict=True)}
        for row in shares
    ]


def _at(levels: Levels, share: float, samples: int) -> Value:
    if isinstance(levels, Range):
        return levels.at(share)
    part = int(share * samples)  # index of the sample's part, of `samples` parts
    return levels[part * len(levels) // samples]
