"""Saved runs: the results of a run, stored in a directory, and the HTML page made from them."""
