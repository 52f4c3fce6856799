"""Execution of a run: settings, placement of ranks, isolation, and the rules by which ranks end."""
