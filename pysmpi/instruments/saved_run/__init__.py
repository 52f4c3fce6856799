"""Saved runs: what a run tells, kept in a directory, and the page made of it."""
