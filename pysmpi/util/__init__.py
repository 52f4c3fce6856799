"""Helpers independent of MPI and simulations: text, files, quantities, pictures, processes."""
