"""``pysmpi.Study``: a description, and what can be done with it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.study.campaign import run
from pysmpi.study.checks import check
from pysmpi.study.description import Description
from pysmpi.study.points import Point, plan
from pysmpi.study.table import Table

__all__ = ["Study"]


@dataclass(frozen=True)
class Study(Description):
    """Many simulations of one program, or of several jobs, and what differs between them.

    Parameters have full names: ``ranks``, ``mapping`` (sequential, round-robin, random, hostfile:FILE), ``selector``,
    ``platform.FIELD``, ``arguments.FIELD`` and ``jobs.FIELD`` (fields are written ``{{FIELD}}`` there),
    ``algorithms.OPERATION``, ``cfg.SETTING``. Relative paths begin at `folder`, where the program runs, too. Jobs have
    ranks, mappings and arguments of their own.

    Attributes:
        program: the path of a script.
        platform: the path of a platform file, or a short text such as ``torus:4,4,4``; either may have fields.
        factors: for each parameter that is varied, a list of values or a range: a mapping with low, high, and perhaps
            scale ("linear", "log") and steps.
        fixed: the values of other parameters.
        arguments: of the program; they may have fields.
        jobs: in place of a program, the path of a file of jobs as pysmpirun's; it may have fields.
        design: "crossed": every combination; "listed": the `points`; "sampled": a Latin hypercube.
        points: of a listed design, the values of parameters in each.
        samples: of a sampled design, how many.
        replicates: how often a point is simulated, each time with another seed.
        replicated: "random": points whose mapping or routing is random; "all".
        seed: of the first replicate, and of samples.
        inputs: files, or patterns of files, beside those that are found, whose change makes points run again.
        blas: a model of BLAS and LAPACK, as for pysmpirun.
        timeout: seconds after which a simulation has failed; None: none.
        folder: where relative paths begin.

    Raises:
        StudyError: the description is not valid.
    """

    def __post_init__(self) -> None:
        check(self)

    def plan(self) -> list[Point]:
        """All points, with what each depends on.

        Raises:
            StudyError: a file cannot be read, the jobs of a point are not valid, or there are too many points.
        """
        return plan(self)

    def run(self, results: str | os.PathLike[str], **options: Any) -> Table:
        """Simulates what has not been simulated yet, and returns the table of all points.

        Args:
            results: the folder that keeps results; it is made where it is missing.
            options: as `pysmpi.study.campaign.run` has them.

        Raises:
            StudyError: results cannot be kept, or a point is not valid. What has been simulated until then is there.
        """
        return run(self, Path(results), **options)
