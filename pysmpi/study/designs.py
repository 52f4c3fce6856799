"""Which combinations of values a study looks at: all of them, those listed, or a Latin hypercube of samples."""

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
    """Every combination; the last factor changes from each to the next.

    Raises:
        StudyError: a range has no steps, or there are too many.
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
            raise StudyError(f"that are more than {MOST_POINTS:,} points; a sampled design looks at some of them")
    return [dict(zip(factors, combination, strict=True)) for combination in itertools.product(*values)]


def sampled(factors: Mapping[str, Levels], samples: int, seed: int) -> list[Combination]:
    """A Latin hypercube: of each factor's range, cut into as many parts as there are samples, each part is met once.

    Of a list of values each is met as often as any other, or once more (M. McKay, R. Beckman, W. Conover, "A Comparison
    of Three Methods for Selecting Values of Input Variables", 1979).
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
    part = int(share * samples)  # of as many as there are samples; no other sample lies in it
    return levels[part * len(levels) // samples]
