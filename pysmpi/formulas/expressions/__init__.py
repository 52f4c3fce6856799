"""Expressions: their words, grammar, syntax trees, values and texts. Dialects differ in spelling and functions."""
