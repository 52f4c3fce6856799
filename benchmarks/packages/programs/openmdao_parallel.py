"""Run a design of experiments with OpenMDAO, whose cases are spread over the ranks."""

import openmdao.api as om
from mpi4py import MPI

problem = om.Problem()
problem.model.add_subsystem("f", om.ExecComp("y = (x - 3) ** 2 + 1"), promotes=["*"])
problem.model.add_design_var("x", lower=0.0, upper=7.0)
problem.model.add_objective("y")
problem.driver = om.DOEDriver(om.FullFactorialGenerator(levels=8))
problem.driver.options["run_parallel"] = True
problem.driver.options["procs_per_model"] = 1
problem.driver.add_recorder(om.SqliteRecorder("cases.sql"))
problem.setup()
problem.run_driver()
problem.cleanup()
files = [problem.get_outputs_dir() / f"cases.sql_{MPI.COMM_WORLD.rank}"]
found = sum(len(om.CaseReader(file).list_cases("driver", out_stream=None)) for file in files if file.is_file())
print(MPI.COMM_WORLD.allreduce(found), MPI.COMM_WORLD.rank)
