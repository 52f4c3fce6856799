"""Sends a random number of NumPy to the program that started this one."""

import numpy.random
from mpi4py import MPI

parent = MPI.Comm.Get_parent()
parent.Send(numpy.random.rand(1), dest=0)
parent.Disconnect()
