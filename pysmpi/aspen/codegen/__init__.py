"""Generation of mpi4py programs from applications: ranks run them, and ``--write program.py`` writes them."""
