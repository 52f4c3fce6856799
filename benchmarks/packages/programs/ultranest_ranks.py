"""Nested sampling with UltraNest, which shares the live points among all ranks by itself."""

import numpy as np
import ultranest
from mpi4py import MPI


def log_likelihood(x: np.ndarray) -> np.ndarray:
    """Return the logarithms of the likelihoods of many points."""
    return -0.5 * (x**2).sum(axis=1)


def prior(u: np.ndarray) -> np.ndarray:
    """Map points of the unit cube to points distributed as the prior."""
    return 10 * (2 * u - 1)


np.random.seed(MPI.COMM_WORLD.rank)
sampler = ultranest.ReactiveNestedSampler(["a", "b"], log_likelihood, prior, vectorized=True)
result = sampler.run(min_num_live_points=50, show_status=False, viz_callback=False, max_ncalls=20000)
if MPI.COMM_WORLD.rank == 0:
    print("evidence", abs(result["logz"] - np.log(2 * np.pi / 400)) < 1.5)
