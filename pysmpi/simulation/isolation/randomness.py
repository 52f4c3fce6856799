"""Random numbers of each rank: its own global generators of ``random`` and ``numpy.random``, created at first use.

Generators that a rank does not seed are seeded from ``--seed`` and the rank, so that runs are repeatable.
"""

import hashlib
import os
import random
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install", "seed_of"]

_generators: Private[random.Random] = Private()
_numpy_generators: Private[Any] = Private()
_drawn: Private[list[int]] = Private()  # number of seeds that the rank has drawn


def install(patches: Patches, seed: int, first: int) -> None:
    """Replace functions of random and numpy.random, and os.urandom, by functions with generators of the running rank.

    Args:
        patches: record of the replaced attributes.
        seed: seed of the run (``--seed``).
        first: number of the random sequence of rank 0; rank r draws from sequence `first` + r.
    """

    def next_seed(purpose: str, bits: int = 128) -> int:
        """Return a seed that depends on the run's seed, the rank, the purpose, and how many seeds the rank has
        drawn."""
        count = _drawn.of_running(lambda: [0])
        count[0] += 1
        return seed_of(seed, first + running_rank(), purpose, count[0], bits)

    _install_random(patches, next_seed)
    _install_system(patches, next_seed)
    when_loaded(patches, "numpy.random", lambda: _install_numpy(patches, next_seed))


def seed_of(seed: int, sequence: int, purpose: str, number: int = 1, bits: int = 128) -> int:
    """Return a seed that depends on all arguments.

    Args:
        seed: seed of the run (``--seed``).
        sequence: number of the rank's random sequence.
        purpose: name of the generator or function that uses the seed.
        number: how many seeds the rank has drawn, this one included.
        bits: size of the seed, a multiple of 8.
    """
    text = f"{seed} {sequence} {number} {purpose}"
    return int.from_bytes(hashlib.shake_128(text.encode()).digest(bits // 8), "little")


def _dispatching(original: Callable[..., Any], of_rank: Callable[[], Any], name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if running_rank() < 0:
            return original(*arguments, **named)
        return getattr(of_rank(), name)(*arguments, **named)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = original.__doc__
    return call


def _install_random(patches: Patches, next_seed: Callable[[str], int]) -> None:
    hidden = random._inst

    def of_rank() -> random.Random:
        return _generators.of_running(lambda: random.Random(next_seed("random")))

    for name, value in list(vars(random).items()):
        if getattr(value, "__self__", None) is hidden:
            patches.set(random, name, _dispatching(value, of_rank, name))

    original_seed = random.Random.seed

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None and running_rank() >= 0:
            a = next_seed("random.Random")
        original_seed(self, a, version)

    patches.set(random.Random, "seed", seed)


def _install_system(patches: Patches, next_seed: Callable[[str, int], int]) -> None:
    urandom = os.urandom

    def urandom_of_rank(size: int) -> bytes:
        if running_rank() < 0 or size <= 0:
            return urandom(size)
        return next_seed("urandom", 8 * size).to_bytes(size, "little")

    patches.set(os, "urandom", urandom_of_rank)
    # random.SystemRandom calls this; secrets and unseeded generators of numpy use SystemRandom.
    patches.set(random, "_urandom", urandom_of_rank)


def _install_numpy(patches: Patches, next_seed: Callable[[str], int]) -> None:
    module: Any = sys.modules["numpy.random"]  # not yet an attribute of numpy if it has just been loaded
    hidden = module.mtrand._rand

    def of_rank() -> Any:
        return _numpy_generators.of_running(lambda: module.RandomState(next_seed("numpy") % 2**32))

    for name, value in list(vars(module).items()):
        if getattr(value, "__self__", None) is hidden:
            patches.set(module, name, _dispatching(value, of_rank, name))
    # These functions use numpy's hidden generator, but are not its methods.
    for name, method in (("ranf", "random_sample"), ("sample", "random_sample"), ("seed", "seed")):
        patches.set(module, name, _dispatching(getattr(module, name), of_rank, method))
