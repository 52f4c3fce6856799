"""Generation of mpi4py programs from applications: what runs on ranks, and what ``--write program.py`` writes."""
