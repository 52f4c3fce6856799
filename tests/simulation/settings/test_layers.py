"""Defaults of an MPI library and a fabric above SMPI's, and the words that choose them."""

import pathlib

import pytest

import pysmpi
from pysmpi.errors import ConfigurationError, PlatformError
from pysmpi.platform import load, read
from pysmpi.platform.fabrics import FABRIC_NAMES, FABRICS
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.layers import SMPI_VARIABLE
from pysmpi.simulation.settings.mpi_libraries import MPI_LIBRARIES
from pysmpi.simulation.settings.network_models import DEFAULT, MODELS
from pysmpi.simulation.settings.options import OPTIONS, UNLIKE_SIMGRID

SIMGRID = pathlib.Path(__file__).parents[2] / "tools" / "simgrid.txt"
SIMGRIDS = dict(line.partition(" ")[::2] for line in SIMGRID.read_text().splitlines())
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>{config}</config>
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us">{cluster}</cluster>
</platform>
"""


def _platform(tmp_path: pathlib.Path, config: str = "", cluster: str = "") -> Configuration:
    file = tmp_path / "platform.xml"
    file.write_text(PLATFORM.format(config=config, cluster=cluster))
    configuration = Configuration()
    configuration.update_from(read(str(file)))
    return configuration


def test_smpi_has_every_default_of_smpi() -> None:
    """Each setting has its own default, which is that of SimGrid 3.32 unless UNLIKE_SIMGRID names the difference."""
    chosen = Configuration()
    chosen.choose(True, None, None)
    compared = 0
    for name, option in OPTIONS.items():
        if name in ("mpi", "fabric"):
            assert chosen[name] == "smpi"
            continue
        expected = DEFAULT.defaults.get(name, option.default)
        setting = chosen.setting(name)
        assert setting.text == expected and setting.origin.startswith("default"), name
        # SimGrid prints the values of LV08 for settings whose default depends on the model.
        depends_on_model = any(name in model.defaults for model in MODELS.values())
        if name in SIMGRIDS and name not in UNLIKE_SIMGRID and not depends_on_model:
            # SMPI's own text has zeros that it does not read.
            ours, theirs = (option.parse(text) for text in (setting.text, SIMGRIDS[name].replace("0:0:0:0:0", "0:0:0")))
            if isinstance(ours, float):
                ours, theirs = pytest.approx(ours, rel=1e-5), theirs
            assert ours == theirs, name
            compared += 1
    assert compared > 30


def test_the_environment_asks_for_smpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SMPI_VARIABLE, "yes")
    configuration = Configuration()
    assert (configuration["mpi"], configuration["smpi/coll-selector"]) == ("smpi", "default")
    assert configuration.setting("mpi").origin == SMPI_VARIABLE
    configuration.choose(False, None, None)
    assert configuration["mpi"] == "openmpi-5.0"


def test_defaults_name_their_word() -> None:
    """A value comes from the fabric, else from the library, else from the setting itself."""
    configuration = Configuration()
    origins = {name: configuration.setting(name).origin for name in OPTIONS}
    assert configuration["smpi/coll-selector"] == "openmpi-5.0"
    assert origins["smpi/coll-selector"] == "mpi:openmpi-5.0 (default)"
    assert configuration["smpi/bw-factor"] == [(0.0, 1.0, 0.0)]
    assert origins["smpi/bw-factor"] == "fabric:neutral (default)"
    assert origins["smpi/os"] == "mpi:openmpi-5.0 (default)"
    assert origins["smpi/wtime"] == "default"
    configuration.choose(None, "mpich-4", "hdr", "command line")
    configuration.check()
    assert configuration["fabric"] == "infiniband-hdr"
    assert configuration.setting("smpi/coll-selector").origin == "mpi:mpich-4 (command line)"
    assert configuration.setting("smpi/os").origin == "fabric:infiniband-hdr (command line)"


def test_every_library_but_smpi_brings_exact_sharing() -> None:
    for library in MPI_LIBRARIES:
        configuration = Configuration()
        configuration.choose(None, library, "smpi")
        assert configuration.setting("network/optim").text == ("Lazy" if library == "smpi" else "Full")
        configuration.set("network/model", "CM02", "command line")
        assert configuration["network/optim"] == (library != "smpi")
        assert configuration.setting("smpi/grow-injected-times").text == ("yes" if library == "smpi" else "no")
        assert configuration.setting("precision/rounding").text == ("0" if library == "smpi" else "0.004")
        assert configuration.setting("platform/node-model").text == ("no" if library == "smpi" else "yes")
        configuration.set("network/optim", "Lazy", "command line")
        assert configuration["network/optim"] == 0


def test_selective_update_is_a_part_of_lazy() -> None:
    configuration = Configuration()
    configuration.set("network/maxmin-selective-update", "no", "command line")
    configuration.check()
    configuration.choose(True, None, None)
    with pytest.raises(ConfigurationError, match=r"command line: .*contradicts.*; set network/optim:Full as well"):
        configuration.check()
    configuration.set("network/optim", "Full", "command line")
    configuration.check()


def test_one_setting_replaces_a_word(tmp_path: pathlib.Path) -> None:
    configuration = _platform(tmp_path, '<prop id="smpi/wtime" value="1us"/>')
    configuration.choose(True, None, "omni-path")
    configuration.set("smpi/os", "0:1us:0", "command line")
    assert configuration["smpi/os"] == [(0.0, 1e-6, 0.0)]
    assert configuration["smpi/wtime"] == 1e-6
    assert configuration["mpi"] == "smpi"
    assert configuration.setting("smpi/ois").origin == "fabric:omni-path (command line)"


@pytest.mark.parametrize(
    ("config", "cluster"),
    [('<prop id="fabric" value="hdr"/>', ""), ("", '<prop id="fabric" value="infiniband-hdr"/>')],
)
def test_a_platform_names_its_fabric(tmp_path: pathlib.Path, config: str, cluster: str) -> None:
    configuration = _platform(tmp_path, config, cluster)
    assert configuration["fabric"] == "infiniband-hdr"
    assert "platform.xml" in configuration.setting("smpi/bw-factor").origin
    configuration.choose(None, None, "neutral")
    assert configuration["fabric"] == "neutral"
    configuration.choose(True, None, None)
    assert configuration["smpi/bw-factor"] == OPTIONS["smpi/bw-factor"].parse(OPTIONS["smpi/bw-factor"].default)


def test_a_cluster_in_one_word_names_its_fabric() -> None:
    """The fabric brings the cables' bandwidth and latency, too."""
    platform = load("flat:2:fabric=ndr")
    configuration = Configuration()
    configuration.update_from(platform)
    assert configuration["fabric"] == "infiniband-ndr"
    route = platform.route(platform.hosts[0], platform.hosts[1])
    assert {link.bandwidth for link in route.links} == {FABRICS["infiniband-ndr"].bandwidth}
    own = load("flat:2:fabric=ndr:bw=1GBps")
    assert {link.bandwidth for link in own.route(own.hosts[0], own.hosts[1]).links} == {1e9}
    with pytest.raises(PlatformError, match="unknown fabric 'ndrr'; did you mean 'ndr'"):
        load("flat:2:fabric=ndrr")


def test_a_calibrated_platform_needs_no_fabric(tmp_path: pathlib.Path) -> None:
    """Values that were fitted against SMPI's other defaults keep them."""
    configuration = _platform(tmp_path, '<prop id="smpi/bw-factor" value="0:0.9"/>')
    assert configuration["fabric"] == "smpi"
    assert configuration["smpi/bw-factor"] == [(0.0, 0.9, 0.0)]
    assert configuration["network/crosstraffic"]
    assert "platform.xml sets the network's own values" in configuration.setting("fabric").origin


def test_fabrics_are_for_models_with_their_factors() -> None:
    configuration = Configuration()
    configuration.set("network/model", "LV08", "test")
    configuration.check()
    assert configuration["network/latency-factor"] == 13.01
    assert configuration["network/crosstraffic"]
    assert configuration["network/TCP-gamma"] == 4194304


@pytest.mark.parametrize("name", FABRIC_NAMES)
def test_settings_of_fabrics_are_valid(name: str) -> None:
    configuration = Configuration()
    configuration.set("fabric", name, "test")
    configuration.hand_to_engine()
    for setting, text in FABRIC_NAMES[name].settings.items():
        assert configuration.setting(setting).text == text
    assert all(each.source for each in FABRIC_NAMES[name].measurements)


@pytest.mark.parametrize("name", MPI_LIBRARIES)
def test_settings_of_libraries_are_valid(name: str) -> None:
    configuration = Configuration()
    configuration.set("mpi", name, "test")
    configuration.hand_to_engine()
    assert MPI_LIBRARIES[name].source


@pytest.mark.parametrize(("word", "value"), [("mpi", "openmpi-5"), ("fabric", "infiniband-hdrr")])
def test_unknown_words(word: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=f"command line: unknown {word} '{value}'; did you mean"):
        Configuration().choose(None, *((value, None) if word == "mpi" else (None, value)))


def test_functions_take_the_words() -> None:
    """Explanations, replays and jobs take the same arguments as simulate()."""
    bounds = pysmpi.explain("flat:2", "node-0", "node-1", 8), pysmpi.explain("flat:2", "node-0", "node-1", 8, smpi=True)
    assert bounds[0].send_overhead > bounds[1].send_overhead == 0
    slow = pysmpi.explain("flat:2", "node-0", "node-1", 8, fabric="ethernet-1g")
    assert slow.end_latency > 1e-5 and slow.total > bounds[0].total
    ring = [pysmpi.Schedule(), pysmpi.Schedule()]
    ring[0].send(bytes(8), 1)
    ring[1].receive(bytearray(8), 0)
    times = [
        pysmpi.simulate_replay(ring, platform="flat:2", fabric=fabric).simulated_time
        for fabric in ("hdr", "ethernet-1g")
    ]
    assert 0 < times[0] < times[1]
