"""Formulas: a small language in which people write them, and a search for formulas that measurements follow.

`fit` searches for a formula that measurements follow, `Expression` parses a formula that a person wrote, and
`read_models` reads files with formulas of several programs.
"""

from pysmpi.formulas.expression import Expression
from pysmpi.formulas.expressions.tokens import Place
from pysmpi.formulas.extrap import read_extrap, write_extrap
from pysmpi.formulas.growth.normal_form import Growth, NormalForm, Term
from pysmpi.formulas.model import Model, fit
from pysmpi.formulas.model_file import Formula, models_text, origin_of, read_models
from pysmpi.formulas.series import Series

__all__ = [
    "Expression",
    "Formula",
    "Growth",
    "Model",
    "NormalForm",
    "Place",
    "Series",
    "Term",
    "fit",
    "models_text",
    "origin_of",
    "read_extrap",
    "read_models",
    "write_extrap",
]
