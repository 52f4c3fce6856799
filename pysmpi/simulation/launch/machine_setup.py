"""Machine of a simulation: reading of platform and settings, placement of ranks, and configuration of the engine."""

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pysmpi.errors import ConfigurationError, PlacementError
from pysmpi.platform import Description, Platform, load
from pysmpi.platform.growth import grown
from pysmpi.platform.scaling import Quantity, Scaling, scale
from pysmpi.simulation.instruments.calibration_quality import errors_in_platform
from pysmpi.simulation.launch.placement import by_cores, by_hostfile, by_hosts
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.network_models import LINK_MODELS

__all__ = ["configured_machine", "grow", "install", "place_ranks"]


def configured_machine(
    platform: str | os.PathLike[str] | Platform | Description,
    cfg: Mapping[str, Any] | Iterable[str],
    *,
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
) -> tuple[Platform, Configuration]:
    """Load a platform, and return it with the settings of the simulation, which the platform file may contain.

    Args:
        platform: path of a platform file, a cluster such as ``torus:4,4,4``, a description, or a platform.
        cfg: settings that take precedence over settings in the platform file.
        smpi: True for the defaults of SMPI 3.32; see `Configuration.choose` for this and the next two.
        mpi: MPI library that gives other settings their defaults, or None.
        fabric: network technology that gives other settings their defaults, or None.

    Raises:
        PlatformError: the platform file is malformed.
        ConfigurationError: a setting is unknown or not valid.
    """
    if isinstance(platform, Description):
        platform = platform.build()
    machine = platform if isinstance(platform, Platform) else load(platform)
    configuration = Configuration()
    configuration.update_from(machine)
    configuration.choose(smpi, mpi, fabric, "argument")
    configuration.update(cfg, "cfg")
    machine.choose_cables(configuration.chosen_fabric)
    return machine, configuration


def place_ranks(
    ranks: int,
    machine: Platform,
    hostfile: str | os.PathLike[str] | None = None,
    hosts: Sequence[str] | None = None,
) -> list[int]:
    """Place ranks on the hosts of a platform, and return the host number of each rank.

    Args:
        ranks: number of ranks.
        machine: the platform.
        hostfile: path of a hostfile, or None. Without hostfile and `hosts`, ranks fill the cores in order.
        hosts: name of the host of each rank, or None.

    Raises:
        PlacementError: the ranks cannot be placed.
    """
    if hosts is not None:
        return by_hosts(ranks, hosts, machine)
    if hostfile is not None:
        return by_hostfile(ranks, os.fspath(hostfile), machine)
    return by_cores(ranks, machine)


def grow(
    machine: Platform,
    factor: Fraction,
    hostfile: str | os.PathLike[str] | None = None,
    hosts: Sequence[str] | None = None,
) -> Platform:
    """Return a machine of the same kind with `factor` times as many hosts, to run `factor` times as many ranks.

    Args:
        machine: the platform.
        factor: number above 0.
        hostfile: path of the hostfile that places the ranks, or None.
        hosts: name of the host of each rank, or None.

    Raises:
        PlacementError: a hostfile or `hosts` places the ranks.
        PlatformError: the platform cannot grow.
    """
    if hostfile is not None or hosts is not None:
        given = "hosts=" if hostfile is None else f"the hostfile {os.fspath(hostfile)}"
        raise PlacementError(
            f"nodes*{float(factor):g}: {given} names the hosts of a fixed number of ranks; leave it out, so that ranks "
            "fill the cores in order"
        )
    return grown(machine, factor)


def install(platform: Platform, configuration: Configuration, seed: int, scalings: Sequence[Scaling] = ()) -> None:
    """Hand the settings and the platform to the engine, for the next simulation.

    Args:
        platform: the machine.
        configuration: the settings.
        seed: seed of the random numbers by which some routings choose paths.
        scalings: factors on speeds, bandwidths and latencies of the platform.

    Raises:
        ConfigurationError: a setting or a factor has no effect.
        PlatformError: the platform does not support the routing that the settings require, lacks a host or link that a
            factor names, or states the errors of its calibration in an invalid form.
    """
    model = configuration.network_model.name
    if model not in LINK_MODELS and any(each.quantity in (Quantity.BANDWIDTH, Quantity.LATENCY) for each in scalings):
        raise ConfigurationError(
            f"factors on links have no effect under network/model:{model}, which does not model links; use one of "
            + ", ".join(LINK_MODELS)
        )
    platform.choose_cables(configuration.chosen_fabric)
    scale(platform, scalings)
    configuration.hand_to_engine()
    routing = configuration["platform/routing"]
    platform.choose_routes(None if routing == "default" else routing, seed)
    errors_in_platform(platform)  # checked now: later, an invalid property would end the run when its result exists
    platform.install()
