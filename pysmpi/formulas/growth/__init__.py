"""Search for functions that measurements follow: sums of products of powers and logarithms.

`exact` finds functions of several parameters that hold up to rounding errors. If there is none, `extrapolation` finds
the function that best predicts the measurements at the largest values of the parameters from all others.
`one_parameter` extrapolates counts from few sizes.
"""
