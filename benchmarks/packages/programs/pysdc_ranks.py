"""Integrate the test equation with pySDC: four time steps at once, one in each rank."""

from mpi4py import MPI
from pySDC.implementations.controller_classes.controller_MPI import controller_MPI
from pySDC.implementations.problem_classes.TestEquation_0D import testequation0d
from pySDC.implementations.sweeper_classes.generic_implicit import generic_implicit

description = {
    "problem_class": testequation0d,
    "problem_params": {"u0": 1.0, "lambdas": [[-1.0, -2.0]]},
    "sweeper_class": generic_implicit,
    "sweeper_params": {"quad_type": "RADAU-RIGHT", "num_nodes": 3, "QI": "LU"},
    "level_params": {"restol": 1e-10, "dt": 0.25},
    "step_params": {"maxiter": 50},
}
controller = controller_MPI(controller_params={"logger_level": 30}, description=description, comm=MPI.COMM_WORLD)
start = controller.S.levels[0].prob.u_exact(0.0)
found, statistics = controller.run(u0=start, t0=0.0, Tend=2.0)
print(MPI.COMM_WORLD.rank, *(f"{value:.10f}" for value in found))
