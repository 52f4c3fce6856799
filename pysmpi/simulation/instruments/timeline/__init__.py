"""Timelines: states, messages and link use over simulated time, as files and plots."""
