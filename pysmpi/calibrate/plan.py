"""Planned measurements, which this process makes alone or together with other ranks."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pysmpi.calibrate.campaign import Campaign
from pysmpi.calibrate.provenance import provenance
from pysmpi.calibrate.table import Column, Table
from pysmpi.errors import CalibrationError

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """Measurements of one kind.

    Attributes:
        kind: name of the kind.
        columns: columns of the table.
        options: options that determine the measurements; a campaign is only continued with the same ones.
        measure: function that makes the measurements that a campaign lacks; only rank 0 calls it.
        facts: further provenance, such as the measured library.
        follow: function that all other ranks call at the same time.
    """

    kind: str
    columns: Sequence[Column]
    options: str
    measure: Callable[[Campaign], None]
    facts: Mapping[str, str] = field(default_factory=dict)
    follow: Callable[[], None] = lambda: None

    def carry_out(self, path: str | os.PathLike[str], world: Any = None) -> Table | None:
        """Measure everything that a file does not contain yet.

        Args:
            path: path of the file.
            world: communicator of all ranks, which all call this function; or None for a single process.

        Returns:
            The table, or None at ranks other than 0.

        Raises:
            CalibrationError: at all ranks, if the file cannot be continued.
        """
        campaign, problem = None, None
        if world is None or world.rank == 0:
            try:
                campaign = Campaign(path, self.columns, provenance(self.kind, self.options, **self.facts))
            except CalibrationError as error:
                problem = str(error)
        if world is not None:
            problem = world.bcast(problem)
        if problem is not None:
            raise CalibrationError(problem)
        if campaign is None:
            self.follow()
            return None
        with campaign:
            self.measure(campaign)
            return campaign.table()
