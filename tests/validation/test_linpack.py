"""Windows of panels and the parabola through them, on times that are known for each panel."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "linpack"))

import prediction
from prediction import Machine, predict

TALL = {"n": 128_000, "nb": 128, "p": 480, "q": 2}
Time = Callable[[float], float]


def predicted(monkeypatch: pytest.MonkeyPatch, time: Time, variant: dict[str, int]) -> prediction.Prediction:
    """Return the prediction if a panel takes a time that depends on the share of panels that are left."""
    panels = variant["n"] // variant["nb"]

    def times(machine: object, variant: object, parts: list[prediction.Part]) -> list[float]:
        found = []
        for first, _, between in parts:
            start, stop = between or (0, panels)
            found.append(sum(time(1 - (first + panel) / panels) for panel in range(start, stop)))
        return found

    monkeypatch.setattr(prediction, "_times", times)
    return predict(Machine(Path("p.xml"), Path("b.json"), ["a"] * variant["p"] * variant["q"]), variant)


def whole(time: Time) -> float:
    return sum(time(1 - panel / 1000) for panel in range(1000))


def test_one_parabola_goes_through_smooth_times(monkeypatch: pytest.MonkeyPatch) -> None:
    found = predicted(monkeypatch, lambda left: left + 3 * left**2, TALL)
    assert found.method == "windows"
    assert found.seconds == pytest.approx(whole(lambda left: left + 3 * left**2), rel=2e-3)


def test_grids_of_few_rows_are_simulated_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """On 2 x 480 processes of Dahu, windows predict a run that is 10 % too short."""
    assert predicted(monkeypatch, float, {**TALL, "p": 2, "q": 480}).method == "whole"
