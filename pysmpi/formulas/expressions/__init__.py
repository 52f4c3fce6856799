"""Arithmetic expressions that users write: tokens, grammar, syntax trees, evaluation, and conversion back to text.

Formulas of studies and the modelling language Aspen use them. A `Dialect` says which operators and functions each has.
"""
