"""Commands of aspen."""
