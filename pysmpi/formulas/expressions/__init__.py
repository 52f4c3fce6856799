"""Expressions: their tokens, grammar, syntax trees, values and texts. Dialects differ in spelling and functions."""
