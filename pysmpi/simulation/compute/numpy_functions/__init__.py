"""NumPy's functions, each described once: result, operations, routines, and dependence of elements on others.

Folded arrays take shapes and times from the descriptions, traced arrays the dependences, the BLAS model the routines,
and the count of requirements the operations. To add a function, add its name to a row of
`pysmpi.simulation.compute.numpy_functions.function_table`.
"""
