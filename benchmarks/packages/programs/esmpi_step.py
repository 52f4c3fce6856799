"""Minimise with the evolution strategy of esmpi, whose evaluations are spread over the ranks."""

import numpy as np
from esmpi import ES_MPI

np.random.seed(3)
optimizer = ES_MPI(n_params=2, population_size=16, learning_rate=0.1, sigma=0.02)
for _ in range(10):
    fit = optimizer.step(lambda x: (x[0] - 3) ** 2 + (x[1] + 2) ** 2)
if optimizer.is_master:
    print(len(optimizer.get_parameters()), bool(np.isfinite(fit).all()))
