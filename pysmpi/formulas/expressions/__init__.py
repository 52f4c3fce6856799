"""Expressions: tree, words, grammar, values and text of one language, in the spellings of several dialects."""
