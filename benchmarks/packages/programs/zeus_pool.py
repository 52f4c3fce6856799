"""Run two chains of zeus, each on two ranks, with zeus's ChainManager."""

import numpy as np
import zeus


def log_prob(x: np.ndarray) -> float:
    """Return the logarithm of the density."""
    return -0.5 * float(np.sum(x**2))


with zeus.ChainManager(2) as manager:
    np.random.seed(manager.get_rank)
    sampler = zeus.EnsembleSampler(8, 2, log_prob, pool=manager.get_pool, verbose=False)
    sampler.run_mcmc(np.random.normal(size=(8, 2)), 10, progress=False)
    print(f"chain {manager.get_rank}: {sampler.get_chain().shape} {sampler.get_chain().mean():.9f}")
