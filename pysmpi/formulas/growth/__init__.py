"""Search for functions that measurements follow: sums of products of powers and logarithms.

`exact` finds forms in several parameters that hold to rounding errors. Where none does, `extrapolation` finds the one
that best predicts the largest values. `one_parameter` extrapolates counts from few sizes.
"""
