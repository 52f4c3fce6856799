"""NumPy's functions, each described once: result, operations, routines, and dependence of elements on others.

The descriptions serve four purposes: shapes and times of operations on folded arrays, data-flow graphs of traced
programs, BLAS routines to charge, and operations to count as requirements. To add a function, add its name to a row of
`pysmpi.simulation.compute.numpy_functions.function_table`.
"""
