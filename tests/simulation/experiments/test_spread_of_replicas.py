"""The table of a run's replicas."""

from pysmpi.simulation.experiments.replicas import Replica, Replicas


def test_figures_that_all_replicas_have() -> None:
    """Texts, numbers that are not finite, and figures that a replica lacks have no spread; failed replicas are left
    out."""
    found = Replicas(
        (
            Replica(3, 1.0, 10.0, {"gflops": 5, "name": "x", "some": 1.0, "bad": float("inf")}),
            Replica(4, failure="the exit status is 3", exit_status=3),
            Replica(5, 2.0, 30.0, {"gflops": 7.0, "name": "x", "bad": 1.0}),
        )
    )
    assert {name: spread.values for name, spread in found.figures.items()} == {
        "simulated time": (1.0, 2.0),
        "energy": (10.0, 30.0),
        "gflops": (5.0, 7.0),
    }
    assert str(found).splitlines() == [
        "3 replicas, seeds 3 to 5, 1 of them failed",
        "figure          median  interval",
        "simulated time   1.5 s  1 s to 2 s    -33.33% to +33.33%",
        "energy            20 J  10 J to 30 J  -50.00% to +50.00%",
        "gflops               6  5 to 7        -16.67% to +16.67%",
        "a further run lies in the interval of a figure with a probability of 33%",
    ]


def test_equal_and_measured_replicas() -> None:
    same = Replicas((Replica(0, 1.5), Replica(1, 1.5)))
    assert same.lines()[1] == "all are equal to the bit: simulated time 1.5 s; no random draw changes them"
    measured = Replicas((Replica(0, 1.0, measured=0.5), Replica(1, 2.0, measured=0.25)))
    assert "each replica has measured its code again, up to 50.0% of the ranks' time" in measured.lines()[-1]
