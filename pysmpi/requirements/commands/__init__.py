"""Commands of requirements."""
