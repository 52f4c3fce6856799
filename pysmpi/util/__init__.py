"""Helpers that know nothing of MPI or of simulations: text, files, quantities, pictures, processes."""
