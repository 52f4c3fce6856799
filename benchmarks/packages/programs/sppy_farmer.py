"""Solve the farmer's problem with progressive hedging of mpi-sppy; the scenarios are spread over the ranks."""

from mpisppy.opt.ph import PH
from mpisppy.tests.examples import farmer

names = farmer.scenario_names_creator(6)
options = {
    "solver_name": "appsi_highs", "PHIterLimit": 4, "defaultPHrho": 1, "convthresh": 1e-8, "verbose": False,
    "display_progress": False, "display_timing": False, "iter0_solver_options": {}, "iterk_solver_options": {},
    "subsolvedirectives": None, "smoothed": 0, "linearize_proximal_terms": True,
}  # fmt: skip
ph = PH(options, names, farmer.scenario_creator, farmer.scenario_denouement,
        scenario_creator_kwargs={"use_integer": False, "crops_multiplier": 1, "num_scens": 6})  # fmt: skip
_, objective, bound = ph.ph_main()
if ph.cylinder_rank == 0:
    print(f"{bound:.2f} {objective:.2f}")
