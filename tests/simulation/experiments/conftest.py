"""A small cluster for experiments."""

import pathlib

import pytest

CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="10us"/>
</platform>
"""


@pytest.fixture(scope="session")
def cluster_file(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A cluster of eight nodes with a core each."""
    file = tmp_path_factory.mktemp("platform") / "cluster.xml"
    file.write_text(CLUSTER)
    return file
