"""Run a chain of cobaya in each rank, with the covariance learnt from all chains."""

from cobaya.run import run
from mpi4py import MPI

info = {
    "likelihood": {"gaussian": {"external": "lambda x, y: -0.5 * (x**2 + (y - x) ** 2)"}},
    "params": {name: {"prior": {"min": -5, "max": 5}, "ref": 0.1, "proposal": 1.0} for name in "xy"},
    "sampler": {"mcmc": {"max_samples": 60, "seed": 7, "learn_every": "20d"}},
}
updated, sampler = run(info)
samples = sampler.samples(combined=True)
if MPI.COMM_WORLD.rank == 0:
    print("mean is near 0:", bool(abs(samples["x"].mean()) < 3))
