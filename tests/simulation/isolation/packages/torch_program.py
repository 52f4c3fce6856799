"""Prints settings of torch that a rank holds across a blocking call; each rank has others."""

import threading
from typing import Any

import torch
from mpi4py import MPI
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

WORLD = MPI.COMM_WORLD
RANK = WORLD.rank
LINES = []


def say(*values: object) -> None:
    LINES.append(" ".join(map(str, (f"[{RANK}]", *values))))


def wait() -> None:
    WORLD.Barrier()


def total(tensor: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(WORLD.allreduce(tensor.detach().numpy().copy()))


class Sum(torch.autograd.Function):
    """Sum over all ranks, forwards and backwards."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
        return total(x)

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        return Sum.apply(gradient)


class Count(TorchDispatchMode):
    """Mode that counts operations."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        return function(*args, **(kwargs or {}))


def modes() -> None:
    weights = torch.ones(3, requires_grad=True)
    if RANK == 0:
        with torch.no_grad():
            wait()
            say("nograd", torch.is_grad_enabled(), (weights * 2).requires_grad)
    else:
        wait()
        say("nograd", torch.is_grad_enabled(), (weights * 2).requires_grad)
    with torch.set_grad_enabled(RANK % 2 == 0):
        wait()
        say("grad", torch.is_grad_enabled(), (weights * 2).requires_grad)
        with torch.enable_grad():
            wait()
            say("enable", torch.is_grad_enabled())
    with torch.inference_mode(RANK == 1):
        wait()
        say("inference", (torch.ones(2) * 2).is_inference(), torch.is_inference_mode_enabled())
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=RANK == 0):
        wait()
        say("autocast", (torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
    if RANK == 0:
        try:
            with torch.no_grad():
                wait()
                raise ValueError
        except ValueError:
            wait()
    else:
        wait()
        wait()
    say("after exception", torch.is_grad_enabled())
    mode = Count()
    if RANK % 2 == 0:
        with mode:
            torch.ones(2) + 1
            wait()
            torch.ones(2) + 1
    else:
        wait()
        torch.ones(2) + 1
    say("dispatch mode", mode.count)
    with torch.device("meta" if RANK == 0 else "cpu"):
        wait()
        say("device", torch.ones(1).device.type)


def derivatives() -> None:
    def wait_and_scale(gradient: torch.Tensor) -> torch.Tensor:
        wait()
        return gradient * (RANK + 1)

    weights = torch.full((4,), float(RANK + 1), requires_grad=True)
    squares = weights * weights
    squares.register_hook(wait_and_scale)
    Sum.apply(squares).sum().backward()
    say("backward", weights.grad.tolist())

    def segment(x: torch.Tensor) -> torch.Tensor:
        torch.rand(1)
        return Sum.apply(x * x).sin()

    for reentrant in (True, False):
        weights = torch.full((4,), float(RANK + 1), requires_grad=True)
        result = checkpoint(segment, weights, use_reentrant=reentrant).sum()
        wait()
        result.backward()
        say("checkpoint", reentrant, [round(each, 5) for each in weights.grad.tolist()])
    x = torch.tensor([float(RANK + 2)], requires_grad=True)
    (first,) = torch.autograd.grad(Sum.apply(x**3), x, create_graph=True)
    wait()
    (second,) = torch.autograd.grad(first, x)
    say("double", second.item())

    def f(x: torch.Tensor) -> torch.Tensor:
        wait()
        return (x**2).sum() * (RANK + 1)

    ones = torch.ones(2)
    say("func", torch.func.grad(f)(ones).tolist(), torch.func.jvp(f, (ones,), (ones,))[1].item())
    say("jacobian", torch.func.jacfwd(lambda x: (wait(), x**2 * (RANK + 1))[1])(ones).tolist())
    say("vmap", torch.func.vmap(lambda x: (wait(), x * (RANK + 1))[1])(torch.ones(3)).tolist())


def settings() -> None:
    torch.set_default_dtype(torch.float64 if RANK == 1 else torch.float32)
    wait()
    say("dtype", torch.ones(1).dtype, torch.get_default_dtype())
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(RANK == 2, warn_only=RANK == 2)
    wait()
    say("deterministic", torch.are_deterministic_algorithms_enabled())
    torch.set_float32_matmul_precision("high" if RANK else "highest")
    wait()
    say("precision", torch.get_float32_matmul_precision())
    torch.set_num_threads(1 + RANK)
    wait()
    say("threads", torch.get_num_threads())
    with torch.autograd.set_detect_anomaly(RANK == 1):
        wait()
        say("anomaly", torch.is_anomaly_enabled())


def random_numbers() -> None:
    torch.manual_seed(RANK)
    wait()
    say("seed", round(torch.rand(1).item(), 6))
    wait()
    say("next", round(torch.rand(1).item(), 6), torch.initial_seed())
    with torch.random.fork_rng():
        torch.manual_seed(99)
        wait()
        torch.rand(3)
    say("fork", round(torch.rand(1).item(), 6))
    state = torch.get_rng_state()
    wait()
    drawn = torch.rand(1)
    torch.set_rng_state(state)
    wait()
    say("restored", torch.equal(drawn, torch.rand(1)))
    torch.manual_seed(10 + RANK)
    wait()
    say("dropout", torch.nn.Dropout(0.5)(torch.ones(8)).tolist())
    torch.manual_seed(5 + RANK)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.arange(8.0)), batch_size=2, shuffle=True, num_workers=0
    )
    order = []
    for (batch,) in loader:
        wait()
        order += batch.tolist()
    say("loader", order)


def hooks() -> None:
    calls: list[Any] = []
    if RANK == 1:
        torch.nn.modules.module.register_module_forward_hook(lambda *_: calls.append(RANK))
    wait()
    torch.nn.Identity()(torch.ones(1))
    wait()
    say("hooks", calls)
    torch.set_printoptions(precision=RANK + 1)
    wait()
    say("print options", torch.tensor([0.123456]))


FACTOR = RANK + 1


@torch.compile(backend="eager")
def compiled(x: torch.Tensor) -> torch.Tensor:
    y = x * FACTOR
    wait()
    return y + RANK


def compilation() -> None:
    for _ in range(2):
        wait()
        say("compiled", compiled(torch.ones(2)).tolist())


def futures() -> None:
    """Wait in compiled code for what another thread of the rank does."""
    future: Any = torch.futures.Future()
    neighbours = (RANK + 1) % WORLD.size, (RANK - 1) % WORLD.size
    thread = threading.Thread(
        target=lambda: future.set_result(WORLD.sendrecv(RANK, dest=neighbours[0], source=neighbours[1]))
    )
    thread.start()
    say("future", future.wait())
    thread.join()


modes()
derivatives()
settings()
random_numbers()
hooks()
futures()
compilation()
print("\n".join(LINES), flush=True)
