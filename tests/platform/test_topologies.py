"""Each topology is one file on each side, and the docs describe it."""

import pathlib
import re

import pytest

from pysmpi.platform import read
from pysmpi.platform.bisection import bisection_bandwidth
from pysmpi.platform.topologies import ClusterOfHosts
from pysmpi.platform.topology import TOPOLOGIES, native_routing, shape_of

ROOT = pathlib.Path(__file__).parents[2]
PYTHON = ROOT / "pysmpi" / "platform"
NATIVE = ROOT / "pysmpi" / "native" / "platform"
KINDS = [kind for kind in TOPOLOGIES.values() if issubclass(kind, ClusterOfHosts)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.topology)
def test_the_example_is_a_platform(kind: type[ClusterOfHosts]) -> None:
    """This fails if the native side has not registered the topology."""
    text = f"{kind.short_name}:{kind.example.replace(';', '/')}"
    platform = read(text)
    ((_, cluster),) = platform.clusters
    assert cluster.topology == kind.topology
    assert len(platform.hosts) == shape_of(cluster).hosts
    assert len(platform.links) == cluster.link_count(shape_of(cluster))
    assert platform.route(platform.hosts[0], platform.hosts[-1]).links
    assert (bisection_bandwidth(platform) or 1) > 0
    for routing in kind.routings:
        native_routing(kind.topology, kind.example, routing, "test")
        assert read(f"{text}:routing={routing}").hosts


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.topology)
def test_the_docs_have_a_row(kind: type[ClusterOfHosts]) -> None:
    page = (ROOT / "docs" / "topologies.md").read_text()
    (example,) = re.findall(rf"^\| `{re.escape(kind.short_name)}:([^`]*)`.*`{kind.__name__}\(", page, re.MULTILINE)
    assert read(f"{kind.short_name}:{example}").hosts
    help_text = (ROOT / "docs" / "commands.md").read_text()
    assert re.search(rf"[ (]{re.escape(kind.short_name)}[,)]", help_text), "pysmpirun --help does not list it"
    assert f"::: pysmpi.platform.{kind.__name__}\n" in (ROOT / "docs" / "api" / "platforms.md").read_text()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.topology)
def test_one_file_on_each_side_names_it(kind: type[ClusterOfHosts]) -> None:
    name = re.compile(rf'"{kind.topology}"')
    sources = [*PYTHON.rglob("*.py"), *NATIVE.rglob("*.[ch]pp"), *NATIVE.rglob("*.h")]
    found = {source for source in sources if name.search(source.read_text())}
    defaults = {PYTHON / "cluster.py", PYTHON / "elements.py"}  # where SimGrid's default is FLAT
    assert {source.parent.name for source in found - defaults} == {"topologies"}
    assert len(found - defaults) == 2
