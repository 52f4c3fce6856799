"""Two hosts whose profiles a test chooses."""

import pathlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def pair(tmp_path: Path) -> Callable[..., Path]:
    """Return a platform of two hosts a and b with a link, with these profiles."""

    def build(cores: int = 1, **profiles: str) -> Path:
        attributes = dict.fromkeys(("speed", "host_state", "bandwidth", "latency", "link_state"), "")
        for kind, text in profiles.items():
            (tmp_path / kind).write_text(text)
            attribute = "state" if kind.endswith("state") else kind
            attributes[kind] = f'{attribute}_file="{kind}"'
        path = tmp_path / "pair.xml"
        path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="lab" routing="Full">
    <host id="a" speed="1Gf" core="{cores}" {attributes["speed"]}/>
    <host id="b" speed="1Gf" {attributes["host_state"]}/>
    <link id="wire" bandwidth="1GBps" latency="10us" {attributes["bandwidth"]} {attributes["latency"]}
          {attributes["link_state"]}/>
    <route src="a" dst="b"><link_ctn id="wire"/></route>
  </zone>
</platform>
""")
        return path

    return build
