"""Profiles: where the ranks' time goes, the critical path, and findings."""
