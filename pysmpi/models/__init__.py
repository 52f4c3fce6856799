"""Models of requirements: formulas in the number of processes and the problem size, found from measurements or written.

`fit` searches for the formula of measurements, `Expression` parses a formula that a person wrote, and `read_models`
reads files with formulas of several programs.
"""

from pysmpi.models.expression import Expression, Origin
from pysmpi.models.extrap import read_extrap, write_extrap
from pysmpi.models.model import Model, fit
from pysmpi.models.model_file import Formula, models_text, origin_of, read_models
from pysmpi.models.normal_form import Growth, NormalForm, Term
from pysmpi.models.series import Series

__all__ = [
    "Expression",
    "Formula",
    "Growth",
    "Model",
    "NormalForm",
    "Origin",
    "Series",
    "Term",
    "fit",
    "models_text",
    "origin_of",
    "read_extrap",
    "read_models",
    "write_extrap",
]
