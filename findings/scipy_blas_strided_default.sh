#!/usr/bin/env bash
# SciPy's BLAS routines of one vector leave out the last element of a strided vector unless n is given: the default of n
# is len(x) / incx, rounded down, where 1 + (len(x) - 1) / incx elements exist (the reference documentation of BLAS asks
# for an array of at least 1 + (n - 1) * incx elements). No error or warning says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6 scipy==1.17.1 2>/dev/null
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np
import scipy
from scipy.linalg import blas

print("scipy", scipy.__version__)
x = np.ones(5)  # every second element: places 0, 2 and 4
scaled = blas.dscal(2.0, x.copy(), incx=2)
norm = blas.dnrm2(x, incx=2) ** 2
given = blas.dnrm2(x, n=3, incx=2) ** 2
print("dscal(2, ones(5), incx=2):", scaled.tolist())
print(f"squared dnrm2(ones(5), incx=2): {norm:.0f} by default, {given:.0f} with n=3")
assert scaled.tolist() == [2.0, 1.0, 2.0, 1.0, 1.0], "place 4 is scaled now"
assert round(norm) == 2 and round(given) == 3, "the default has changed"
PYTHON
