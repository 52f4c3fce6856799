"""Queue calls for worker ranks with distwq, as in its README."""

import distwq


def work(x: float) -> float:
    """Return the square."""
    return x * x


def main(controller: distwq.MPIController) -> None:
    """Submit calls, and print the sum of their results."""
    for i in range(12):
        controller.submit_call("work", (i,), module_name="__main__")
    print("sum", sum(controller.get_next_result()[1] for _ in range(12)))


if __name__ == "__main__":
    if distwq.is_controller:
        distwq.run(fun_name="main", verbose=False)
    else:
        distwq.run(verbose=False)
