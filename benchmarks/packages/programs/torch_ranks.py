"""Train a small network with PyTorch, and average gradients over the ranks as buffers of NumPy."""

import torch
from mpi4py import MPI

world = MPI.COMM_WORLD
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(world.rank)
x = torch.randn(64, 4, generator=generator)
y = x.sum(dim=1, keepdim=True)
for _ in range(20):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    for parameter in model.parameters():
        world.Allreduce(MPI.IN_PLACE, parameter.grad.numpy())
        parameter.grad /= world.size
    optimizer.step()
print(f"{world.rank} {loss.item():.5f}")
