"""One simulation of a program: its launch, settings, isolation, MPI objects, computation and instruments."""
