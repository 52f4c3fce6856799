"""Settings: parsing, checks, origins, and what the engine is given."""

import math
import pathlib

import pytest

from pysmpi.errors import ConfigurationError, PlatformWarning
from pysmpi.platform import read
from pysmpi.simulation.settings import option_parsers
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.foreign_options import reason_against
from pysmpi.simulation.settings.network_models import MODELS
from pysmpi.simulation.settings.options import OPTIONS


def test_every_default_is_valid() -> None:
    """Each option's default can be given explicitly and means the same."""
    for name, option in OPTIONS.items():
        given = Configuration()
        if option.default:
            given.set(name, option.default, "test")
            assert given[name] == option.parse(option.default)
        assert option.meaning and option.valid
        assert reason_against(name) is None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("smpi/wtime", "1us", 1e-6),
        ("smpi/wtime", "2e-3", 2e-3),
        ("smpi/init", "1.5m", 90.0),
        ("smpi/cpu-threshold", "-1", math.inf),
        ("smpi/async-small-thresh", "65536", 65536),
        ("smpi/host-speed", "2.5Gf", 2.5e9),
        ("smpi/host-speed", "auto", 0.0),
        ("network/crosstraffic", "off", 0.0),
        ("smpi/simulate-computation", "yes", 1.0),
        ("network/model", "LV08", "LV08"),
        ("smpi/IB-penalty-factors", "1;2;0.5", (1.0, 2.0, 0.5)),
        ("loggps/G", "80ps", 8e-11),
        ("smpi/bw-factor", "1420:0.82;0:0.05", [(0.0, 0.05, 0.0), (1420.0, 0.82, 0.0)]),
        ("packets/buffer", "32KiB", 32768.0),
        ("packets/buffer", "inf", math.inf),
        ("smpi/async-small-thresh", "1.5 kB", 1500.0),
        ("smpi/os", "0:1us:1e-10;65536:5e-6:0:0:0", [(0.0, 1e-6, 1e-10), (65536.0, 5e-6, 0.0)]),
    ],
)
def test_values(name: str, text: str, value: object) -> None:
    """Units, flags, choices and tables are read as SimGrid reads them; tables are sorted by size."""
    configuration = Configuration()
    configuration.set(name, text, "test")
    assert configuration[name] == value
    assert configuration.setting(name).origin == "test"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("smpi/wtime", "fast", "'fast' is not a number"),
        ("smpi/wtime", "1 fortnight", "unknown unit 'fortnight' (valid: s, ms, us"),
        ("smpi/wtime", "-1", "-1 is below 0"),
        ("packets/train", "4 B", "'4 B' has a unit"),
        ("packets/buffer", "32K", "unknown unit 'K' (valid: B, kB, KiB"),
        ("packets/size", "0", "0 is below 1"),
        ("precision/timing", "0", "0 is below 1e-15"),
        ("smpi/async-small-thresh", "1.5", "'1.5' is not a whole number"),
        ("network/crosstraffic", "maybe", "'maybe' is not one of yes, on, true, 1, no, off, false, 0"),
        ("smpi/host-speed", "0", "'0' is not a positive speed"),
        ("smpi/bw-factor", "1:2:3", "'1:2:3' is not of the form size:factor"),
        ("smpi/bw-factor", "", "the list is empty"),
        ("smpi/bw-factor", "0:0", "a factor is not above 0"),
        ("smpi/os", "0:1:2:3", "'0:1:2:3' has more fields than size:startup:per-byte"),
        ("smpi/IB-penalty-factors", "1;2", "expected three numbers separated by ';', found 2"),
        ("smpi/IB-penalty-factors", "1;0;2", "0 is not above 0"),
        ("network/bandwidth-factor", "0", "0 is not above 0"),
        ("loggps/S", "1.5", "'1.5' is not a whole number"),
        ("smpi/os", "x:1:2", "'x' in 'x:1:2' is not a size in bytes"),
        ("smpi/os", "7", "'7' is not of the form size:startup or size:startup:per-byte"),
        ("smpi/or", "0:-1:0", "'0:-1:0' has a negative number"),
        ("network/optim", "lazy", "unknown network/optim 'lazy'; did you mean 'Lazy'?"),
        ("network/optim", "TI", "unknown network/optim 'TI'"),
        ("network/maxmin-selective-update", "never", "'never' is not one of yes, on, true, 1, no, off, false, 0"),
        ("cpu/maxmin-selective-update", "no", "'no' is not supported; only 'yes' is"),
        ("network/model", "ns-3", "its own model of packets, network/model:Packets"),
        ("packets/buffer", "0", "0 is below 1"),
        ("packets/train", "none", "'none' is not a number"),
        ("packets/size", "1e30", "'1e30' is not below 2**63"),
        ("packets/size", "1e400", "'1e400' is not below 2**63"),
        ("packets/injection", "lifo", "unknown packets/injection 'lifo'"),
        ("smpi/bcast", "binomal_tree", "did you mean 'binomial_tree'?"),
    ],
)
def test_what_is_not_valid(name: str, text: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Configuration().set(name, text, "here")
    message = str(caught.value)
    assert message.startswith((f"here: {text!r} is not valid for {name}: ", f"here: unknown {name} {text!r}"))
    assert expected in message and f"(valid: {OPTIONS[name].valid})" in message


def test_defaults_follow_the_network_model() -> None:
    """LV08 and CM02 bring their own factors and weights, which can still be set."""
    configuration = Configuration()
    assert (configuration["network/weight-S"], configuration.setting("network/weight-S").origin[:7]) == (
        8775,
        "default",
    )
    configuration.set("network/model", "LV08", "test")
    names = ("network/latency-factor", "network/bandwidth-factor", "network/weight-S")
    assert [configuration[name] for name in names] == [13.01, 0.97, 20537]
    configuration.set("network/latency-factor", "2", "test")
    configuration.check()
    assert [configuration[name] for name in names] == [2, 0.97, 20537]
    configuration.set("network/model", "CM02", "test")
    assert [configuration[name] for name in names] == [2, 1, 0]


@pytest.mark.parametrize(
    ("model", "setting", "instead"),
    [
        ("CM02", "smpi/bw-factor:0:0.5", "set network/bandwidth-factor instead"),
        ("IB", "network/latency-factor:2", "set smpi/lat-factor instead"),
        ("raw", "network/weight-S:0", "it applies to SMPI, IB, LV08, CM02"),
        ("SMPI", "smpi/IB-penalty-factors:1;1;1", "it applies to IB"),
        ("SMPI", "loggps/L:1us", "it applies to LogGPS"),
        ("LogGPS", "smpi/os:0:1e-6:0", "set loggps/o instead"),
        ("LogGPS", "smpi/async-small-thresh:10", "set loggps/S instead"),
        ("LogGPS", "network/TCP-gamma:0", "it applies to SMPI, IB, LV08, CM02, raw"),
        ("Constant", "smpi/bw-factor:0:2", "it applies to SMPI, IB"),
        ("Constant", "network/crosstraffic:yes", "it applies to SMPI, IB, LV08, CM02, raw"),
    ],
)
def test_settings_without_effect(model: str, setting: str, instead: str) -> None:
    """A setting that the chosen model does not read is an error that names the one that it reads."""
    configuration = Configuration()
    configuration.set("network/model", model, "command line")
    configuration.set_item(setting, "platform.xml:7")
    name = setting.partition(":")[0]
    message = f"platform.xml:7: {name} has no effect under network/model:{model}; {instead}"
    with pytest.raises(ConfigurationError) as caught:
        configuration.check()
    assert str(caught.value) == message
    (line,) = [line for line in configuration.lines() if line.startswith(f"{name}:")]
    assert line.endswith(f"[no effect under network/model:{model}]")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("tracing/smpi/computing", "pysmpirun --trace FILE writes timelines"),
        ("contexts/factory", "ranks are greenlets"),
        ("surf/precision", "precision/timing; use that name"),
        ("smpi/np", "-np N"),
    ],
)
def test_options_that_only_simgrid_has(name: str, instead: str) -> None:
    """The error says what to do instead, or why pysmpi has no such option."""
    with pytest.raises(ConfigurationError) as caught:
        Configuration().set(name, "1", "platform.xml:3")
    message = str(caught.value)
    assert message.startswith(f"platform.xml:3: pysmpi does not have SimGrid's option {name!r}: ")
    assert instead in message


def test_what_a_reason_names_exists() -> None:
    """Settings that the reasons refer to are options, and functions are there."""
    import re

    import pysmpi
    from pysmpi.simulation.settings.foreign_options import FAMILIES, FORMER_NAMES, REASONS

    former = [reason_against(name) or "" for name in FORMER_NAMES]
    assert "use that name" in former[0]
    for reason in (*REASONS.values(), *FAMILIES.values(), *former):
        for name in re.findall(r"(?:smpi|network|precision|cpu)/[\w-]+", reason):
            assert name in OPTIONS, name
        for name in re.findall(r"pysmpi\.(\w+)", reason):
            assert hasattr(pysmpi, name), name


def test_the_later_setting_wins() -> None:
    """The command line comes after the platform file."""
    configuration = Configuration()
    configuration.update({"smpi/wtime": "1us", "smpi/test": 0}, "platform.xml")
    configuration.update(["smpi/wtime: 2us"], "command line")
    assert configuration["smpi/wtime"] == 2e-6
    assert configuration.setting("smpi/test").origin == "platform.xml"


def test_the_engine_knows_what_it_is_to_be_given() -> None:
    """Every option that the registry marks as the engine's is one there, under each model."""
    for model in MODELS:
        configuration = Configuration()
        configuration.set("network/model", model, "test")
        configuration.hand_to_engine()


def test_steps_of_several_fields() -> None:
    """SMPI writes overheads with up to five fields, of which it reads three; two are enough."""
    assert option_parsers.overheads("0:1e-6") == [(0.0, 1e-6, 0.0)]


def test_settings_of_a_platform_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "machine.xml"
    path.write_text(
        """<?xml version='1.0'?>
<platform version="4.1">
  <config>
    <prop id="smpi/os" value="0:1e-6:0"/>
    <prop id="smpi/wtime" value="0"/>
  </config>
  <zone id="z" routing="None"><host id="a" speed="1Gf"/></zone>
</platform>
"""
    )
    configuration = Configuration()
    configuration.update_from(read(path))
    configuration.update(["smpi/wtime:1us"], "command line")
    assert configuration.setting("smpi/os").origin == f"{path}:4"
    assert configuration.setting("smpi/wtime").origin == "command line"
    assert (
        f"smpi/os:0:1e-6:0  # time that MPI_Send spends before the message leaves [{path}:4]" in configuration.lines()
    )
    configuration.update(["network/model:LogGPS"], "command line")
    with pytest.raises(ConfigurationError, match=r"machine.xml:4: smpi/os has no effect under network/model:LogGPS"):
        configuration.check()


def test_overheads_of_single_hosts(tmp_path: pathlib.Path) -> None:
    """SMPI reads them in properties of hosts; here that is an error, and not silence."""
    path = tmp_path / "machine.xml"
    path.write_text(
        "<?xml version='1.0'?>\n<platform version='4.1'><zone id='z' routing='None'><host id='a' speed='1Gf'/>"
        "<host id='b' speed='1Gf'><prop id='smpi/or' value='0:1e-6:0'/></host></zone></platform>\n"
    )
    with pytest.raises(ConfigurationError, match="host 'b' has its own property 'smpi/or'"):
        Configuration().update_from(read(path))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"packets/buffer": "4095"}, "packets/buffer is 4095 bytes, less than a packet of 4096 bytes"),
        ({"packets/size": "65536"}, "packets/buffer is 32768 bytes, less than a packet of 65536 bytes"),
        (
            {"packets/train": "9"},
            r"packets/buffer is 32768 bytes, less than a train of 9 packets \(packets/train\) of 4096 bytes",
        ),
        ({"packets/buffer": "1", "packets/size": "2"}, "packets/buffer is 1 bytes, less than a packet of 2 bytes"),
    ],
)
def test_buffers_hold_a_packet(given: dict[str, str], message: str) -> None:
    configuration = Configuration()
    configuration.set("network/model", "Packets", "command line")
    for name, value in given.items():
        configuration.set(name, value, "command line")
    with pytest.raises(ConfigurationError, match="command line: " + message):
        configuration.check()
    configuration.set("packets/buffer", "inf", "command line")
    configuration.check()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cpu/optim", "TI"),
        ("cpu/optim", "Full"),
        ("network/optim", "TI"),
        ("cpu/maxmin-selective-update", "no"),
    ],
)
def test_values_that_change_no_time_are_ignored_in_platform_files(
    name: str, value: str, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "machine.xml"
    path.write_text(
        f"<platform version='4.1'>\n<config><prop id='{name}' value='{value}'/></config>\n"
        "<zone id='z' routing='None'><host id='a' speed='1Gf'/></zone></platform>\n"
    )
    configuration = Configuration()
    with pytest.warns(PlatformWarning, match=rf"machine\.xml:2: {name}:{value} is ignored: "):
        configuration.update_from(read(path))
    configuration.check()
    assert list(configuration.lines()) == list(Configuration().lines())
    with pytest.raises(ConfigurationError, match=rf"command line: .*{name}"):
        configuration.set(name, value, "command line")


def test_options_of_published_platform_files(tmp_path: pathlib.Path) -> None:
    """Former names of options are understood, and options that pysmpi does not have are ignored with a warning."""
    path = tmp_path / "machine.xml"
    path.write_text(
        "<?xml version='1.0'?>\n<platform version='4'><config id='General'>\n"
        "<prop id='contexts/factory' value='raw'/>\n"
        "<prop id='surf/precision' value='1e-8'/>\n<prop id='smpi/running-power' value='20000f'/>\n"
        "<prop id='smpi/bw_factor' value='0:0.5'/></config>\n"
        "<zone id='z' routing='None'><host id='a' speed='1Gf'/></zone></platform>\n"
    )
    configuration = Configuration()
    with pytest.warns(
        PlatformWarning, match="machine.xml:3: contexts/factory is ignored: .*ranks are greenlets"
    ) as given:
        configuration.update_from(read(path))
    assert len(given) == 1
    assert configuration["precision/timing"] == 1e-8
    assert configuration.setting("smpi/host-speed").origin == f"{path}:5"
    assert configuration.setting("smpi/bw-factor").text == "0:0.5"
    assert configuration["fabric"] == "smpi"


def test_former_names_on_the_command_line() -> None:
    with pytest.raises(ConfigurationError, match="precision/timing; use that name"):
        Configuration().set_item("surf/precision:1", "command line")
