"""Rooflines of sockets, with kernels."""

import json
import pathlib

import pytest

from pysmpi import aspen
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.roofline import roofline
from pysmpi.cli.main import main

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parents[1] / "models"
KEENELAND = MODELS / "machines" / "keeneland.aspen"
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))


def test_the_paper_s_fft_on_two_kinds_of_sockets() -> None:
    found = roofline(FFT.set(n=8192), aspen.read_machine(str(KEENELAND)), ["westmere", "fermi"])
    assert found.roofs["fermi"].ceilings == pytest.approx(
        {"": 41.6e9, "dp": 20.8e9, "simd": 1331.2e9, "dp, simd": 665.6e9}
    )
    assert found.roofs["westmere"].attainable(1e-3) == pytest.approx(25.584e6)
    assert found.left_out == ["transpose", "exchange"]
    assert [(each.kernel, each.socket, each.bound) for each in found.points] == [
        ("localFFT", "westmere", "loads"), ("localFFT", "fermi", "loads")
    ]  # fmt: skip
    for point, bandwidth in zip(found.points, (25.584e9, 133.2e9), strict=True):
        assert point.intensity == pytest.approx(0.6448412698) and point.attained == pytest.approx(
            bandwidth * point.intensity
        )


def test_kernels_bound_by_their_traits(tmp_path: pathlib.Path) -> None:
    """The hand machine: loads and stores share 10 GB/s, and a socket makes 1.5 Gflop/s as dp."""
    (tmp_path / "a.aspen").write_text(
        "kernel hot { exposes parallelism [7] requires flops [1e6] as dp requires loads [10] requires stores [10] }\n"
        "kernel cold { execute [3] { flops [1] } execute [1] { stores [8] } }\n"
        "kernel send { execute [3] { comm [1] as nn3d } }\n"
    )
    machine = aspen.read_machine(str(HERE / "hand_machine.aspen"))
    found = roofline(aspen.read_application(str(tmp_path / "a.aspen")), machine)
    hot, cold = found.points
    assert (hot.bound, hot.attained, hot.intensity) == ("flops", pytest.approx(3 * 0.5e9), 5e4)
    assert cold.bound == "flops" and cold.attained == pytest.approx(3e9) and found.left_out == ["send"]


def test_the_command(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "roof.svg"
    words = ["aspen", "roofline", str(MODELS / "md.aspen"), str(KEENELAND), "--socket", "fermi"]
    assert main([*words, "-o", str(picture), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed["kernels"]) == {"ljForce", "3DFFT.localFFT"} and set(printed["sockets"]) == {"fermi"}
    assert picture.read_text().startswith("<?xml")
    assert main(words) == 0
    assert "left out: kernel 3DFFT.exchange" in capsys.readouterr().out
    assert main([*words, "--kernel", "ljFroce"]) == 2
    assert "did you mean 'ljForce'?" in capsys.readouterr().err


def test_mistakes() -> None:
    with pytest.raises(AspenError, match=r"keeneland.aspen:18: unknown socket 'femri'; did you mean 'fermi'"):
        roofline(FFT, aspen.read_machine(str(KEENELAND)), ["femri"])
