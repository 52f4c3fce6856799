"""Execution of a simulated run of MPI programs: settings, placement of ranks on hosts, start and end of ranks."""
