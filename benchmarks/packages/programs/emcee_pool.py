"""Sample a Gaussian with emcee on the pool of schwimmbad: rank 0 samples, the other ranks evaluate."""

import sys

import emcee
import numpy as np
from schwimmbad import MPIPool


def log_prob(x: np.ndarray) -> float:
    """Return the logarithm of the density."""
    return -0.5 * float(np.sum(x**2))


with MPIPool() as pool:
    if not pool.is_master():
        pool.wait()
        sys.exit(0)
    np.random.seed(1)
    sampler = emcee.EnsembleSampler(16, 3, log_prob, pool=pool)
    sampler.run_mcmc(np.random.normal(size=(16, 3)), 20)
    print(f"{sampler.get_chain().mean():.12f} {sampler.acceptance_fraction.mean():.12f}")
