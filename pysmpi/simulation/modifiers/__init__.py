"""Modifiers: instruments that change the timing of a run: noise, models of BLAS, choice of algorithms."""
