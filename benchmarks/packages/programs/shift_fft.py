"""Transform a field forth and back with SHIFT's distributed Fourier transform of slabs."""

import numpy as np
import shift

mpi = shift.mpiutils.MPI()
x, y, z = shift.cart.mpi_grid3D(1.0, 16, mpi)
field = np.sin(2 * np.pi * x) * np.cos(4 * np.pi * y) + z
spectrum = shift.cart.mpi_fft3D(field, 1.0, 16, mpi)
back = shift.cart.mpi_ifft3D(spectrum, 1.0, 16, mpi)
print(mpi.rank, field.shape, bool(np.allclose(field, back.real)))
