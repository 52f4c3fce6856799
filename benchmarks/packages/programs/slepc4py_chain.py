"""The largest eigenvalues of a chain of masses and springs, by SLEPc's Krylov-Schur method."""

import slepc4py

slepc4py.init()

from petsc4py import PETSc  # noqa: E402
from slepc4py import SLEPc  # noqa: E402

MASSES = 60

matrix = PETSc.Mat().createAIJ([MASSES, MASSES], nnz=3)
first, end = matrix.getOwnershipRange()
for row in range(first, end):
    if row > 0:
        matrix[row, row - 1] = -1.0
    if row < MASSES - 1:
        matrix[row, row + 1] = -1.0
    matrix[row, row] = 2.0
matrix.assemble()
problem = SLEPc.EPS().create()
problem.setOperators(matrix)
problem.setProblemType(SLEPc.EPS.ProblemType.HEP)
problem.setDimensions(3)
problem.solve()
values = [f"{problem.getEigenvalue(i).real:.8f}" for i in range(3)]
print(PETSc.COMM_WORLD.rank, problem.getIterationNumber(), *values)
