"""Windows of panels and the curve through them, on times that are known for each panel."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "validation" / "linpack"))

import prediction
from prediction import Machine, predict

TALL = {"n": 128_000, "nb": 128, "p": 480, "q": 2}
SQUARE = {**TALL, "p": 32, "q": 32}
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


@pytest.mark.parametrize("variant", [TALL, SQUARE])
def test_smooth_times(monkeypatch: pytest.MonkeyPatch, variant: dict[str, int]) -> None:
    found = predicted(monkeypatch, lambda left: left + 3 * left**2, variant)
    assert found.method == "windows"
    assert found.seconds == pytest.approx(whole(lambda left: left + 3 * left**2), rel=2e-3)
    assert found.windows_error < 1e-3


def test_messages_that_change_their_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """From some panel on, panels take 20 to 31 % less time: windows tell only roughly from which."""
    errors = []
    for threshold in np.linspace(0.1, 0.95, 86):

        def time(left: float, threshold: float = threshold) -> float:
            return left * (1.5 if left > threshold else 1.0) + left**2

        errors.append(predicted(monkeypatch, time, TALL).seconds / whole(time) - 1)
    assert np.std(errors) < 0.013
    assert np.max(np.abs(errors)) < 0.04


@pytest.mark.parametrize("rows", [12, 32, 60, 80, 125])
def test_process_rows_that_differ(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """A quarter of the process rows, one after the other, takes 20 % longer; 125 rows are as far apart as windows."""

    def time(left: float) -> float:
        slow = round(1000 * (1 - left)) % rows < rows / 4
        return left**2 * (1.2 if slow else 1.0)

    found = predicted(monkeypatch, time, {**TALL, "p": rows, "q": 1024 // rows})
    assert found.method == "windows"
    assert abs(found.seconds / whole(time) - 1) < 0.02


def test_windows_that_differ_show_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """One window between others takes longer: no window has more than twice its share in the total."""
    smooth, bump = (
        predicted(monkeypatch, lambda left, add=add: 1 + add * (0.33 < left < 0.39), SQUARE) for add in (0, 1)
    )
    assert smooth.windows_error == pytest.approx(0, abs=1e-9) and bump.windows_error > 0.02
    assert 1 < bump.seconds / smooth.seconds < 1 + 2 / prediction.WINDOWS


def test_grids_of_few_rows_are_simulated_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """On 2 x 480 processes of Dahu, windows predict a run that is 10 % too short."""
    found = predicted(monkeypatch, float, {**TALL, "p": 2, "q": 480})
    assert (found.method, found.windows_error) == ("whole", 0.0)
