"""Programs for mpi4py that are written from applications: ``--write program.py``."""
