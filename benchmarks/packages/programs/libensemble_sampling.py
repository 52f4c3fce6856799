"""Evaluate a function at the points of a generator, with libEnsemble's manager and workers over MPI."""

import numpy as np
from libensemble.gen_funcs.sampling import latin_hypercube_sample
from libensemble.libE import libE
from libensemble.sim_funcs.simple_sim import norm_eval
from libensemble.tools import add_unique_random_streams
from mpi4py import MPI

world = MPI.COMM_WORLD
user = {"gen_batch_size": 50, "lb": np.array([-3.0]), "ub": np.array([3.0])}
history, _, flag = libE(
    {"sim_f": norm_eval, "in": ["x"], "out": [("f", float)]},
    {"gen_f": latin_hypercube_sample, "out": [("x", float, (1,))], "user": user},
    {"gen_max": 51},
    persis_info=add_unique_random_streams({}, world.size, seed=1),
    libE_specs={"comms": "mpi", "mpi_comm": world, "disable_log_files": True},
)
if world.rank == 0:
    print(len(history), bool((history["f"] >= 0).all()), flag)
