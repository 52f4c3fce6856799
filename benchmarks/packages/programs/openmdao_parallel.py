"""Optimise two groups of OpenMDAO that run on different ranks, with its distributed vectors."""

import openmdao.api as om
from mpi4py import MPI

problem = om.Problem()
model = problem.model
model.add_subsystem("x", om.IndepVarComp("x", 1.0))
parallel = model.add_subsystem("parallel", om.ParallelGroup())
parallel.add_subsystem("a", om.ExecComp("y = 2 * x"))
parallel.add_subsystem("b", om.ExecComp("y = 3 * x + 1"))
model.add_subsystem("total", om.ExecComp("z = a + b"))
model.connect("x.x", ["parallel.a.x", "parallel.b.x"])
model.connect("parallel.a.y", "total.a")
model.connect("parallel.b.y", "total.b")
problem.setup()
problem.run_model()
print(MPI.COMM_WORLD.rank, float(problem.get_val("total.z")[0]))
