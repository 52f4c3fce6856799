"""Experiments: simulations from Python, what-if runs, several jobs on a machine, comparisons, explanations."""
