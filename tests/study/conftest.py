"""A small machine for studies."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # small_study, which test files share

from small_study import PLATFORM, PROGRAM, STUDY

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


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A study of two points in study.toml, with its program and its platform."""
    (tmp_path / "machine.xml").write_text(PLATFORM)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("size = 100_000\n")
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path
