"""The command pysmpi explain: terms, tables, JSON and errors."""

import json
import pathlib

import pytest

import pysmpi
from pysmpi.cli.main import main
from pysmpi.simulation.settings.network_models import MODELS

ENDS = ["--src", "node0", "--dst", "node5"]
ROUTE = ["route", "  c_link_0_UP    10 us  1 GB/s  SHARED", "  c_link_5_DOWN  10 us  1 GB/s  SHARED"]


def test_one_size(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protocol, overheads, latency, bytes, total and the route, each with what it follows from."""
    assert main(["explain", "--platform", str(platform_file), *ENDS, "--size", "1MiB"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1,048,576 bytes from node0 to node5, network/model:SMPI",
        "  protocol                       rendezvous: leaves when its receive is posted; the sender waits until it has "
        "arrived",
        "  MPI_Send overhead         0 s  smpi/os",
        "  latency                 20 us  20 us of 2 links × 1 (smpi/lat-factor)",
        "  bytes              1.04859 ms  1,048,592 with the envelope, at 1 GB/s: 1 GB/s × 1 (smpi/bw-factor)",
        "                                 held by link c_link_0_UP",
        "  receive overhead          0 s  smpi/or, for detached messages",
        "  total              1.06859 ms  981.269 MB/s",
        *ROUTE,
    ]


@pytest.mark.smpi
def test_one_size_with_factors(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SMPI's factors are multiplied, and TCP's window is a separate bound."""
    assert main(["explain", "--platform", str(platform_file), *ENDS, "--size", "1MiB"]) == 0
    assert capsys.readouterr().out.splitlines()[3:] == [
        "  latency            232.872 us  20 us of 2 links × 11.6436 (smpi/lat-factor)",
        "  bytes               1.1147 ms  1,048,592 with the envelope, at 940.694 MB/s: 1 GB/s × 0.940694 "
        "(smpi/bw-factor)",
        "                                 held by link c_link_0_UP",
        "                                 TCP window: 104.858 GB/s (network/TCP-gamma / 2 latencies)",
        "  receive overhead          0 s  smpi/or, for detached messages",
        "  total              1.34757 ms  778.122 MB/s",
        *ROUTE,
    ]


def test_words(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The MPI library and the fabric are those of pysmpi.explain."""
    words = ["explain", "--platform", str(platform_file), *ENDS, "--size", "1000", "--json"]
    assert main([*words, "--mpi", "mpich-4", "--fabric", "infiniband-hdr"]) == 0
    (message,) = json.loads(capsys.readouterr().out)
    explanation = pysmpi.explain(platform_file, "node0", "node5", 1000, mpi="mpich-4", fabric="infiniband-hdr")
    assert message == json.loads(json.dumps(explanation.as_dict())) and message["send_overhead"] > 0
    assert main([*words, "--smpi"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["send_overhead"] == 0
    assert main([*words, "--fabric", "infiniband-hd"]) == 2
    assert "did you mean 'infiniband-hdr'" in capsys.readouterr().err


@pytest.mark.parametrize("model", MODELS)
def test_every_model(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str], model: str) -> None:
    """The total of the text is the explanation's; a table has a line for each size."""
    words = ["explain", "--platform", str(platform_file), *ENDS, "--cfg", f"network/model:{model}"]
    assert main([*words, "--size", "100kB"]) == 0
    text = capsys.readouterr().out
    assert f"network/model:{model}\n" in text and "\n  total" in text
    assert main([*words, "--size", "0", "1", "64KiB", "1.5MB", "--nonblocking"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in table] == ["from", "bytes", "0", "1", "65,536", "1,500,000"]


def test_json(platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All digits, as pysmpi.explain has them."""
    words = ["--platform", str(platform_file), *ENDS, "--size", "10", "1000", "--synchronous", "--json"]
    assert main(["explain", *words, "--cfg=smpi/os:0:1us:0"]) == 0
    told = json.loads(capsys.readouterr().out)
    cfg = {"smpi/os": "0:1us:0"}
    for size, message in zip((10, 1000), told, strict=True):
        explanation = pysmpi.explain(platform_file, "node0", "node5", size, cfg=cfg, synchronous=True)
        assert message == json.loads(json.dumps(explanation.as_dict()))
        assert message["call"] == "MPI_Ssend" and message["send_overhead"] == 1e-6


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--size", "1", "--src", "node0"], "the following arguments are required: --dst"),
        ([*ENDS, "--size", "much"], "option --size: 'much' is not a valid size; write it like 1000, 64KiB or 1MB"),
        ([*ENDS, "--size", "1kib"], "'1kib' has the unknown unit 'kib' (valid: B, kB, KiB"),
        ([*ENDS, "--size", "0.3"], "'0.3' is not a whole number of bytes"),
        (["--src", "node0", "--dst", "node55", "--size", "1"], "unknown host 'node55'; did you mean 'node5'?"),
        ([*ENDS, "--size", "1", "--cfg=smpi/wtim:0"], "cfg: unknown option 'smpi/wtim'; did you mean 'smpi/wtime'?"),
    ],
)
def test_errors(
    platform_file: pathlib.Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    assert main(["explain", "--platform", str(platform_file), *words]) == 2
    message = capsys.readouterr().err
    assert message.startswith("pysmpi explain: error: ") and expected in message


@pytest.mark.parametrize(
    ("buffer", "holder"), [("32768", "link cluster_link_"), ("4096", "packets/buffer: the packets")]
)
def test_what_holds_packets(buffer: str, holder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A buffer of one packet holds a long message; else the narrowest link does."""
    words = ["explain", "--platform", "torus:4,4:bw=1GBps", "--src", "node-0", "--dst", "node-9", "--size", "1MiB"]
    assert main([*words, "--cfg", "network/model:Packets", "--cfg", f"packets/buffer:{buffer}"]) == 0
    assert f"  held by {holder}" in capsys.readouterr().out
