"""A shifted Laplace problem in one dimension, solved by PETSc's conjugate gradients with Jacobi's preconditioner."""

import petsc4py

petsc4py.init()

from petsc4py import PETSc  # noqa: E402

POINTS = 200

matrix = PETSc.Mat().createAIJ([POINTS, POINTS], nnz=3)
first, end = matrix.getOwnershipRange()
for row in range(first, end):
    if row > 0:
        matrix[row, row - 1] = -1.0
    if row < POINTS - 1:
        matrix[row, row + 1] = -1.0
    matrix[row, row] = 2.0 + 1e-3 * row
matrix.assemble()
solution, right = matrix.createVecs()
right.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-10)
solver.solve(right, solution)
norm = solution.norm()
print(PETSc.COMM_WORLD.rank, end - first, solver.getIterationNumber(), f"{norm:.10f}")
