"""Python interface of Aspen: applications, whose times are computed or simulated, and machines."""

import functools
import os
from collections.abc import Callable
from typing import Any

from pysmpi.aspen import application, machine_model
from pysmpi.aspen.application import value_text
from pysmpi.aspen.cost import Cost, cost_of
from pysmpi.aspen.platform import cluster_of
from pysmpi.aspen.program import forget, main
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts

__all__ = ["Application", "Machine", "read_application", "read_machine"]


class Machine(machine_model.Machine):
    """Model of a machine, which can be simulated as a platform."""

    def platform(self, socket: str | None = None) -> ClusterOfHosts:
        """Return a description of the machine as a platform, which `pysmpi.simulate` takes.

        Args:
            socket: name of the sockets that are cores of the hosts; by default the first kind.

        Raises:
            AspenError: the machine has no nodes, sockets or network, or the time of a message is not linear in its
                bytes.
        """
        return cluster_of(self, socket)


class Application(application.Application):
    """Model of an application; its time on a machine can be computed, or simulated with a program of ranks."""

    def cost(
        self,
        machine: Machine,
        *,
        socket: str | None = None,
        control: str | None = None,
        kernel: str | None = None,
        rules: str = "overlap",
        **values: Any,
    ) -> Cost:
        """Return the time of the application on a machine.

        Args:
            machine: the machine.
            socket: name of the sockets that compute; needed if the machine has several kinds.
            control: name of the control flow; by default "main", or the only one.
            kernel: name of the kernel, instead of a control flow.
            rules: "overlap", or "ornl" for the rules of Oak Ridge's (ORNL's) tools, where parallel parts add up.
            values: values of parameters; see `set`.

        Raises:
            AspenError: a value that is needed does not exist, or the machine lacks a resource.
        """
        return cost_of(self, machine, socket=socket, control=control, kernel=kernel, rules=rules, values=values)

    def program(
        self,
        machine: machine_model.Machine | None = None,
        *,
        socket: str | None = None,
        control: str | None = None,
        kernel: str | None = None,
        **values: Any,
    ) -> Callable[[], None]:
        """Return the application as a program of ranks, for `pysmpi.simulate`.

        Args:
            machine: machine whose sockets compute, one for each rank; without it, computation takes no time.
            socket: name of the sockets; by default the first kind.
            control: name of the control flow; by default "main", or the only one.
            kernel: name of the kernel, instead of a control flow.
            values: values of parameters; see `set`.
        """
        chosen = self.with_values(values)
        words = [self.path, *(f"{name}={value_text(value)}" for name, value in chosen.values.items())]
        path = None if machine is None else os.fspath(machine)
        for option, given in (("machine", path), ("socket", socket), ("control", control), ("kernel", kernel)):
            words += [] if given is None else [f"--{option}", given]

        forget()
        return functools.partial(main, words)


def read_application(path: str) -> Application:
    """Read a model of an application.

    Raises:
        AspenError: the file, or one that it includes or imports, cannot be read or is not valid.
    """
    return Application.read(path)


def read_machine(path: str) -> Machine:
    """Read a model of a machine.

    Args:
        path: path of the file; values of parameters may follow it: ``m.aspen:numNodes=4:rails=2``.

    Raises:
        AspenError: the file, or one that it includes, cannot be read or is not valid, or a value is given for a
            parameter that the machine does not have.
    """
    return Machine.read(path)
