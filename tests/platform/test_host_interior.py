"""Properties of the inside of hosts: values and errors."""

import pathlib

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform import Cluster, Host, Zone, read
from pysmpi.platform.host_interior import Capacity, Node, Step, node_of


def test_values_have_units() -> None:
    table = "0:0.2us:5GBps; 4096:1us:8GBps"
    found = node_of({"memory_bandwidth": "21GBps", "sockets": "2", "intra_core": table}, 24, "")
    assert found is not None
    assert found.levels[0] == (Step(0, 0.2 * 1e-6, 5e9), Step(4096, 1e-6, 8e9))
    assert (found.memory, found.sockets, found.levels[1:]) == ((Capacity(1, 21e9),), 2, ((), ()))


def test_other_properties_describe_no_inside() -> None:
    assert node_of({"host-memory-bandwidth": "1e9"}, 4, "host 'a'") is None
    assert node_of({"memory_bandwidth": "1GBps"}, 4, "host 'a'") == Node((Capacity(1, 1e9),), 1, ((), (), ()))


def test_queues_are_pairwise_by_default() -> None:
    for properties, shared in (({}, False), ({"intra_queue": "pairwise"}, False), ({"intra_queue": "shared"}, True)):
        found = node_of({"intra_core": "0:0.2us:5GBps"} | properties, 4, "")
        assert found is not None and found.shared_queue == shared


def test_the_memory_may_have_steps() -> None:
    found = node_of({"memory_bandwidth": "1: 16GBps; 8:17GBps;12:21GBps"}, 24, "")
    assert found is not None
    assert found.memory == (Capacity(1, 16e9), Capacity(8, 17e9), Capacity(12, 21e9))


def test_the_card_has_steps_and_a_gap() -> None:
    found = node_of({"card_bandwidth": "1:12GBps; 16:9GBps", "card_gap": "9ns", "waiting_cost": "0.04"}, 24, "")
    assert found is not None
    assert found.card == (Capacity(1, 12e9), Capacity(16, 9e9))
    assert (found.card_gap, found.waiting_cost) == pytest.approx((9e-9, 0.04))


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"memory_bandwidth": "21"}, "memory_bandwidth '21' of host 'a' has no unit; write '21Bps'"),
        ({"memory_bandwidth": "0GBps"}, "memory_bandwidth '0GBps' of host 'a' must be above 0"),
        ({"memory_bandwidth": ""}, "memory_bandwidth '' of host 'a' is not a number with a unit"),
        ({"memory_bandwidth": "1:2GBps;"}, "memory_bandwidth of host 'a': '' is not MESSAGES:BANDWIDTH, such as '8:17"),
        ({"memory_bandwidth": "1:2GBps:3"}, "memory_bandwidth of host 'a': '1:2GBps:3' is not MESSAGES:BANDWIDTH"),
        ({"memory_bandwidth": "2:2GBps"}, "the first step begins with '2' messages; it must begin with 1"),
        ({"memory_bandwidth": "1:2GBps;1:3GBps"}, "'1' messages follow 1; write their numbers in ascending order"),
        (
            {"memory_bandwidth": "1:2GBps;4e9:3GBps"},
            "number '4e9' of messages of memory_bandwidth of host 'a' is not a whole",
        ),
        ({"memory_bandwidth": "1:2GBps;3:x"}, "bandwidth 'x' of memory_bandwidth of host 'a' is not a number"),
        ({"sockets": "0"}, "sockets '0' of host 'a' is not a whole number from 1"),
        ({"sockets": "8"}, "sockets '8' of host 'a': there are more sockets than cores (4)"),
        ({"intra_socket": "0:1us:1GBps"}, "intra_socket of host 'a' has no effect with one socket; set the"),
        ({"intra_core": "0:1us"}, "intra_core of host 'a': '0:1us' is not SIZE:LATENCY:BANDWIDTH, such as"),
        ({"intra_core": ""}, "intra_core of host 'a': '' is not SIZE:LATENCY:BANDWIDTH"),
        ({"intra_core": "0:1us:1GBps;0:1us:2GBps"}, "size '0' follows 0; write sizes in ascending order"),
        ({"intra_queue": "share"}, "intra_queue of host 'a': unknown kind of queue 'share'"),
        ({"intra_queue": "shared"}, "intra_queue of host 'a' has no effect without intra_core"),
        (
            {"transport_polling": "0.3us"},
            "transport_polling of host 'a' has no effect without intra_core and intra_node",
        ),
        ({"transport_polling": "fast"}, "transport_polling 'fast' of host 'a' is not a number with a unit"),
        ({"memory_share": "0:1"}, "memory_share of host 'a' has no effect without memory_bandwidth"),
        ({"memory_bandwidth": "2GBps", "memory_share": "1"}, "memory_share of host 'a': '1' is not SIZE:SHARE"),
        ({"memory_bandwidth": "2GBps", "memory_share": "0:1;0:2"}, "memory_share of host 'a': size '0' follows 0"),
        ({"memory_bandwidth": "2GBps", "memory_share": "0:0"}, "memory_share of host 'a': share '0' is not above 0"),
        ({"memory_bandwidth": "2GBps", "memory_share": "0:x"}, "share 'x' of memory_share of host 'a' is not a number"),
        ({"forward_core": "2GBps"}, "forward_core of host 'a' has no effect without intra_core, which it limits"),
        ({"intra_core": "0:1us:1GBps", "forward_core": "2"}, "forward_core '2' of host 'a'"),
        ({"cards": "2"}, "cards of host 'a' has no effect without card_bandwidth"),
        ({"rack_hosts": "4"}, "rack_hosts and rack_latency of host 'a' have no effect without each other"),
        ({"rack_latency": "1us"}, "rack_hosts and rack_latency of host 'a' have no effect without each other"),
        ({"rack_hosts": "0", "rack_latency": "1us"}, "rack_hosts '0' of host 'a' is not a whole number from 1"),
        ({"cards": "5", "card_bandwidth": "1GBps"}, "cards '5' of host 'a': there are more cards than cores (4)"),
        ({"card_gap": "9"}, "card_gap '9' of host 'a' has no unit; write '9s'"),
        ({"card_bandwidth": "2:9GBps"}, "card_bandwidth of host 'a': the first step begins with '2' messages"),
        ({"waiting_cost": "low"}, "waiting_cost 'low' of host 'a' is not a number"),
        ({"waiting_cost": "-0.1"}, "waiting_cost '-0.1' of host 'a' is not a number of 0 or more"),
        ({"waiting_cost": "nan"}, "waiting_cost 'nan' of host 'a' is not a number of 0 or more"),
        ({"intra_node": "0:1:1GBps"}, "latency '1' of intra_node of host 'a' has no unit; write '1s'"),
        ({"intra_node": "0:1us:1Gps"}, "bandwidth '1Gps' of intra_node of host 'a' has an unknown unit 'Gps'"),
    ],
)
def test_invalid_values_are_errors(properties: dict[str, str], message: str) -> None:
    with pytest.raises(PlatformError) as raised:
        node_of(properties, 4, "host 'a'")
    assert message in str(raised.value)


def test_errors_name_the_place_in_the_file(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "platform.xml"
    Cluster(4, cores=2, properties={"sockets": "2"}).write(file)
    file.write_text(file.read_text().replace('value="2"', 'value="3"'))
    with pytest.raises(PlatformError, match=r"platform.xml:\d+: sockets '3' of cluster 'cluster': there are more"):
        read(str(file))


def test_errors_in_steps_of_the_memory_name_the_place_too(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "platform.xml"
    Cluster(4, properties={"memory_bandwidth": "1:2GBps;3:4GBps"}).write(file)
    file.write_text(file.read_text().replace("3:4GBps", "1:4GBps"))
    with pytest.raises(PlatformError, match=r"platform.xml:\d+: memory_bandwidth of cluster 'cluster': '1' messages"):
        read(str(file))


def test_hosts_and_clusters_in_code_are_checked() -> None:
    with pytest.raises(PlatformError, match="memory_bandwidth 'x' of host 'a'"):
        Zone("zone", [Host("a", "1Gf", properties={"memory_bandwidth": "x"})]).build()
    with pytest.raises(PlatformError, match="sockets '2' of cluster 'cluster'"):
        Cluster(2, properties={"sockets": "2"}).build()
