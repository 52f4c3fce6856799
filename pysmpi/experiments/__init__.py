"""Experiments built from several simulations: what-if, jobs on one machine, algorithm comparisons, explanations."""
