"""Switches of what-if runs: their meaning, their effect on a run, and errors."""

from fractions import Fraction

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import ConfigurationError, PlatformError
from pysmpi.platform import Cluster
from pysmpi.platform.scaling import Quantity, Scaling
from pysmpi.simulation.settings.switches import parse_slow_host, parse_switch


@pytest.mark.parametrize(
    ("text", "scalings", "settings"),
    [
        ("links*2", (Scaling(Quantity.BANDWIDTH, 2.0),), ()),
        ("bandwidth*0.5", (Scaling(Quantity.BANDWIDTH, 0.5),), ()),
        ("latency*1e-3", (Scaling(Quantity.LATENCY, 1e-3),), ()),
        ("hosts*2", (Scaling(Quantity.SPEED, 2.0, of_cores=True),), ()),
        ("speed*2", (Scaling(Quantity.SPEED, 2.0, of_cores=True),), ()),
        ("latency/2", (Scaling(Quantity.LATENCY, 0.5),), ()),
        ("memory*3", (Scaling(Quantity.MEMORY, 3.0),), ()),
        ("link:a/4", (Scaling(Quantity.BANDWIDTH, 0.25, "a"),), ()),
        ("link:a*b*2", (Scaling(Quantity.BANDWIDTH, 2.0, "a*b"),), ()),
        ("host:node-**0.5", (Scaling(Quantity.SPEED, 0.5, "node-*", of_cores=True),), ()),
        ("bcast=scatter_LR_allgather", (), ("smpi/bcast:scatter_LR_allgather",)),
        ("selector=mpich", (), ("smpi/coll-selector:mpich",)),
        ("smpi/os:0:0:0", (), ("smpi/os:0:0:0",)),
        ("network/model=CM02", (), ("network/model:CM02",)),
        ("plugin:host_energy", (), ("plugin:host_energy",)),
        ("links*2 selector=ompi", (Scaling(Quantity.BANDWIDTH, 2.0),), ("smpi/coll-selector:ompi",)),
    ],
)
def test_meanings(text: str, scalings: tuple[Scaling, ...], settings: tuple[str, ...]) -> None:
    """Each form of switch, and several together."""
    switch = parse_switch(text)
    assert (switch.text, switch.scalings, switch.settings) == (text, scalings, settings)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("links*2", Fraction(1)),
        ("nodes*2", Fraction(2)),
        ("nodes*0.1", Fraction(1, 10)),
        ("nodes/3", Fraction(1, 3)),
        ("nodes*1e2 links*2", Fraction(100)),
        ("nodes*3 nodes/2", Fraction(3, 2)),
    ],
)
def test_factors_on_the_number_of_nodes_are_exact(text: str, nodes: Fraction) -> None:
    switch = parse_switch(text)
    assert switch.nodes == nodes
    assert switch.scalings == ((Scaling(Quantity.BANDWIDTH, 2.0),) if "links" in text else ())


def test_hosts_is_told_apart_from_nodes() -> None:
    (note,) = parse_switch("hosts*2").notes
    assert note.endswith("their number stays; nodes*2 changes the number of nodes")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the switch is empty"),
        ("nods*2", "did you mean 'nodes'"),
        ("nodes", "'nodes' needs a factor, as in nodes*2"),
        ("nodes*inf", "factor 'inf' is not a number above 0"),
        ("nodes/0", "factor '0' is not a number above 0"),
        ("lniks*2", "did you mean 'links'"),
        ("links", "'links' needs a factor, as in links*2"),
        ("links*", "factor '' is not a number"),
        ("hosts*-1", "factor '-1' is not a number above 0"),
        ("hots:node-1*2", "did you mean 'host'"),
        ("host:*2", "valid: speed*F"),
        ("bcats=ring", "did you mean 'bcast'"),
        ("bcast=rin", "'rin'"),
        ("selector=mpihc", "did you mean 'mpich'"),
        ("smpi/oss:0", "did you mean 'smpi/os'"),
        ("smpi/wtime:fast", "not valid for smpi/wtime"),
    ],
)
def test_errors(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_switch(text)
    assert what in str(caught.value)


@pytest.mark.parametrize("text", ["node", ":0.5", "node:", "node:x", "node:0", "node:2"])
def test_no_slow_hosts(text: str) -> None:
    """A slow host is a name and a part of its speed."""
    with pytest.raises(ConfigurationError, match="slow host"):
        parse_slow_host(text)
    assert parse_slow_host("a:b:0.5") == Scaling(Quantity.SPEED, 0.5, "a:b")


def program(seconds: float, flops: float, size: int) -> float:
    world = MPI.COMM_WORLD
    pysmpi.execute(seconds)
    pysmpi.execute_flops(flops)
    if size:
        world.Sendrecv(bytearray(size), world.rank ^ 1, recvbuf=bytearray(size), source=world.rank ^ 1)
    return MPI.Wtime()


def times(switch: str | None, *args: float, **cfg: str) -> list[float]:
    """When each of two ranks, on a host each, has done it."""
    settings = {"smpi/simulate-computation": "no", "smpi/wtime": "0", **cfg}
    machine = Cluster(2, speed=1e9, bandwidth=1e9, latency=1e-5)
    return pysmpi.simulate(program, np=2, platform=machine, args=args, cfg=settings, what_if=switch).values


def test_hosts_compute_faster() -> None:
    """All that is computed scales, whether it was given in seconds or in flops; one host alone does, too."""
    assert times("hosts*4", 1.0, 1e9, 0) == pytest.approx([0.5, 0.5])
    assert times("host:node-1*0.5", 1.0, 1e9, 0) == pytest.approx([2.0, 4.0])


@pytest.mark.smpi
def test_links_and_latency() -> None:
    """A network of twice the bandwidth and half the latency is twice as fast; half of it is not."""
    plain, both = times(None, 0, 0, 10**7)[0], times("links*2 latency*0.5", 0, 0, 10**7)[0]
    assert both == pytest.approx(plain / 2, rel=0.01)  # but for the window, which follows the latency
    small = times(None, 0, 0, 1)[0]
    assert times("latency*0.5", 0, 0, 1)[0] == pytest.approx(small / 2, rel=1e-3)
    assert times("links*0.5", 0, 0, 10**7)[0] > 1.8 * plain


def test_a_platform_is_as_it_was_after_a_switch() -> None:
    """The next simulation on the same platform knows nothing of it."""
    machine = Cluster(2, speed=1e9).build()
    for switch, expected in (("hosts*2", 0.5), (None, 1.0)):
        cfg = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}
        result = pysmpi.simulate(program, np=2, platform=machine, args=(1.0, 0, 0), cfg=cfg, what_if=switch)
        assert result.simulated_time == pytest.approx(expected)


def test_switches_without_effect() -> None:
    """Links that no model knows, and hosts that are not there, are errors."""
    with pytest.raises(ConfigurationError, match="no effect under network/model:Constant"):
        times("links*2", 0, 0, 1, **{"network/model": "Constant"})
    with pytest.raises(PlatformError, match="did you mean 'node-1'"):
        times("host:nod-1*2", 0, 0, 1)
