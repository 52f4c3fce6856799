"""Hold another setting of PyTorch in each rank while other ranks run: modes, defaults, seeds."""

import sys

import torch
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.rank
weights = torch.ones(3, requires_grad=True)
torch.set_num_threads(1)


def show(name: str, *values: object) -> None:
    """Print a line at once, because lines of processes may mix."""
    sys.stdout.write(f"{rank} {name}: {' '.join(map(str, values))}\n")
    sys.stdout.flush()


torch.set_grad_enabled(rank != 0)
world.Barrier()
show("gradients", torch.is_grad_enabled(), (weights * 2).requires_grad)
torch.set_grad_enabled(True)

with torch.inference_mode(rank == 1):
    world.Barrier()
    show("inference", (weights * 2).is_inference())
world.Barrier()
show("after inference", torch.is_inference_mode_enabled(), (weights * 2).requires_grad)

with torch.autocast("cpu", dtype=torch.bfloat16, enabled=rank == 2):
    world.Barrier()
    show("autocast", (torch.ones(4, 4) @ torch.ones(4, 4)).dtype)

try:
    with torch.no_grad():
        world.Barrier()
        if rank == 1:
            raise ValueError
        world.Barrier()
except ValueError:
    world.Barrier()
show("after an exception", torch.is_grad_enabled())

torch.manual_seed(rank)
world.Barrier()
show("seed", torch.rand(2).tolist())
with torch.random.fork_rng():
    torch.manual_seed(rank + 5)
    world.Barrier()
    show("fork_rng", torch.randn(2).tolist())
world.Barrier()
show("dropout", torch.nn.Dropout(0.5)(torch.ones(6)).tolist())
for batch in torch.utils.data.DataLoader(list(range(8)), batch_size=4, shuffle=True):
    world.Barrier()
    show("batch", batch.tolist())

torch.set_default_dtype(torch.float64 if rank == 3 else torch.float32)
with torch.device("meta" if rank == 0 else "cpu"):
    world.Barrier()
    show("default type and device", torch.ones(1).dtype, torch.ones(1).device)

torch.use_deterministic_algorithms(rank == 1)
torch.set_float32_matmul_precision("high" if rank == 2 else "highest")
with torch.autograd.set_detect_anomaly(rank == 3, check_nan=False):
    world.Barrier()
    show("algorithms", torch.are_deterministic_algorithms_enabled(), torch.get_float32_matmul_precision())
    show("anomalies", torch.is_anomaly_enabled())


def double(value: torch.Tensor) -> torch.Tensor:
    """Return what a hook saves for the backward pass."""
    return value * (rank + 1)


with torch.autograd.graph.saved_tensors_hooks(double, lambda value: value):
    world.Barrier()
    leaf = torch.ones(2, requires_grad=True)
    (leaf * leaf).sum().backward()
    show("saved tensors", leaf.grad)
