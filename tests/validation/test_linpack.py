"""Windows of panels and the parabolas through them, on times that are known for each panel."""

import sys
from collections.abc import Callable
from pathlib import Path

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


@pytest.mark.parametrize("threshold", [0.3, 0.45, 0.51, 0.55, 0.6, 0.7])
def test_more_windows_of_tall_grids_find_where_messages_change_their_rate(
    monkeypatch: pytest.MonkeyPatch, threshold: float
) -> None:
    def time(left: float) -> float:
        return left * (1.5 if left > threshold else 1.0) + left**2

    tall, square = (predicted(monkeypatch, time, variant) for variant in (TALL, SQUARE))
    assert abs(tall.seconds / whole(time) - 1) < 0.02
    assert abs(square.seconds / whole(time) - 1) < 2 * square.windows_error


def test_windows_between_only_check_the_others_if_grids_are_not_tall(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window between two that takes longer shows in the error, not in the time."""
    smooth, bump = (
        predicted(monkeypatch, lambda left, add=add: left + add * (0.7 < left < 0.8), SQUARE) for add in (0, 1)
    )
    assert smooth.seconds == bump.seconds
    assert smooth.windows_error == pytest.approx(0, abs=1e-9) and bump.windows_error > 0.1


def test_grids_of_few_rows_are_simulated_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """On 2 x 480 processes of Dahu, windows predict a run that is 10 % too short."""
    found = predicted(monkeypatch, float, {**TALL, "p": 2, "q": 480})
    assert (found.method, found.windows_error) == ("whole", 0.0)
