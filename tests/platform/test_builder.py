"""Errors of the builder itself, without a file."""

import math

import pytest

from pysmpi.errors import PlatformError
from pysmpi.platform.builder import Builder
from pysmpi.platform.profiles import KINDS, ProfileText
from pysmpi.platform.routes import LinkInRoute
from pysmpi.platform.source_location import Place


@pytest.mark.parametrize("coordinates", [(1.0, 2.0), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, math.nan), (math.inf, 0.0, 0.0)])
def test_coordinates(coordinates: tuple[float, ...]) -> None:
    builder = Builder()
    builder.begin_zone("z", "Vivaldi")
    with pytest.raises(PlatformError, match=r"coordinates .* of 'a' are not three numbers"):
        builder.add_host("a", [1e9], coordinates=coordinates)


def test_profile_and_bypass() -> None:
    builder = Builder()
    builder.begin_zone("z", "Full")
    for host in ("a", "b"):
        builder.add_host(host, [1e9])
    builder.add_link("l", 1e9, 1e-6, "SPLITDUPLEX")
    builder.add_bypass("a", "b", [LinkInRoute("l", "DOWN")])
    with pytest.raises(PlatformError, match=r"^bypassRoute from 'a' to 'b' is listed twice$"):
        builder.add_bypass("a", "b", [LinkInRoute("l", "UP")])
    with pytest.raises(PlatformError, match=r"^host or router 'a' is described twice$"):
        builder.add_router("a")
    text = ProfileText(Place("inline", 1))
    text.feed("1 5e8", 1)
    profile = text.finish()
    builder.add_profile(KINDS["BANDWIDTH"], "l_UP", profile)
    with pytest.raises(PlatformError, match=r"^link 'l' has two profiles of its bandwidth$"):
        builder.add_profile(KINDS["BANDWIDTH"], "l", profile)
    builder.end_zone({"floor": "3"})
    platform = builder.finish("here")
    assert [link.name for link in platform.route("a", "b").links] == ["l_DOWN"]
    assert [(changes.name, list(changes.values)) for changes in platform.changes] == [("l_UP", [5e8])]
    assert dict(platform.zones[0].properties) == {"floor": "3"}
