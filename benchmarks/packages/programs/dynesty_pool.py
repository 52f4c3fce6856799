"""Nested sampling with dynesty on the pool of schwimmbad."""

import sys

import dynesty
import numpy as np
from schwimmbad import MPIPool


def log_likelihood(x: np.ndarray) -> float:
    """Return the logarithm of the likelihood."""
    return -0.5 * float(np.sum(x**2))


def prior(u: np.ndarray) -> np.ndarray:
    """Map a point of the unit cube to a point distributed as the prior."""
    return 10.0 * (2.0 * u - 1.0)


with MPIPool() as pool:
    if not pool.is_master():
        pool.wait()
        sys.exit(0)
    sampler = dynesty.NestedSampler(
        log_likelihood, prior, 2, nlive=40, pool=pool, queue_size=4, rstate=np.random.default_rng(3)
    )
    sampler.run_nested(dlogz=1.0, print_progress=False)
    print(f"{len(sampler.results.logz)} {sampler.results.logz[-1]:.9f}")
