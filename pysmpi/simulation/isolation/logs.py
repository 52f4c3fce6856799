"""Logging in ranks: all ranks share the logger objects, but each rank has its own levels, handlers and so on."""

import logging
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_settings: Private[dict[tuple[int, str], Any]] = Private()  # values by id of the logger and name of the attribute


class _RankAttribute:
    """Attribute of loggers with one value per rank.

    Lists and dictionaries are copied when a rank first reads them, because the rank may change them in place.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        rank = running_rank(depends=False)
        key = (id(instance), self._name)
        own = _settings.get(rank)
        if own is not None and key in own:
            return own[key]
        try:
            shared = instance.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        if rank < 0 or not isinstance(shared, list | dict):
            return shared
        copy: list[Any] | dict[Any, Any] = {} if self._name == "_cache" else type(shared)(shared)
        _settings.of_running(dict)[key] = copy
        return copy

    def __set__(self, instance: Any, value: Any) -> None:
        # The first settings of a logger that a rank creates hold for all ranks.
        if running_rank(depends=False) < 0 or self._name not in instance.__dict__:
            instance.__dict__[self._name] = value
        else:
            _settings.of_running(dict)[id(instance), self._name] = value


def install(patches: Patches) -> None:
    """Give each rank its own settings of loggers, including the root logger."""
    for name in ("level", "propagate", "handlers", "disabled", "filters", "_cache"):
        patches.set(logging.Logger, name, _RankAttribute(name))
    for name in ("_disable",):
        patches.set(logging.Manager, name, _RankAttribute(name))
