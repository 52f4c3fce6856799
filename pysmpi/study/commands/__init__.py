"""Commands of study."""
