"""Reduce a tensor with torch.distributed's own transport (gloo), with the ranks of MPI."""

import os

import torch
import torch.distributed as dist
from mpi4py import MPI

world = MPI.COMM_WORLD
os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29533"}
dist.init_process_group("gloo", rank=world.rank, world_size=world.size)
tensor = torch.tensor([float(world.rank)])
dist.all_reduce(tensor)
print(world.rank, tensor.item())
