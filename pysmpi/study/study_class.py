"""``pysmpi.Study``: the description of a study, with methods that plan and run it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.study.checks import check
from pysmpi.study.points import Point, plan
from pysmpi.study.results_table import Table
from pysmpi.study.study_description import Description
from pysmpi.study.study_run import run

__all__ = ["Study"]


@dataclass(frozen=True)
class Study(Description):
    """Study: many simulations of one program, or of several jobs, or calls of a function, with varied parameters.

    Parameters have full names: ``ranks``, ``mapping`` (sequential, round-robin, random, hostfile:FILE), ``selector``,
    ``platform.FIELD``, ``arguments.FIELD``, ``jobs.FIELD``, ``algorithms.OPERATION`` and ``cfg.SETTING``. A FIELD is
    written ``{{FIELD}}`` in the platform, the arguments or the job file. Relative paths start at `folder`, which is
    also the program's working directory. Jobs set their own ranks, mappings and arguments. The parameters of a function
    are its arguments, as ``arguments.NAME``.

    Attributes:
        program: path of a script.
        platform: path of a platform file, or a cluster such as ``torus:4,4,4``; may contain fields.
        factors: values of each varied parameter, by its full name: a list, or a range given as a mapping with low,
            high, and optionally scale ("linear" or "log") and steps.
        fixed: values of other parameters, by their full names.
        arguments: arguments of the program; may contain fields.
        jobs: path of a job file as for pysmpirun, or None for a study of one program; may contain fields.
        function: instead of a program, a function of Python as FILE.py:NAME, which is called once for each
            point. It simulates what it needs, and returns a dictionary of numbers and texts, or the result of
            `pysmpi.simulate`.
        design: "crossed" (every combination), "listed" (the `points`) or "sampled" (a Latin hypercube).
        points: values of parameters for each point of a listed design.
        samples: number of points of a sampled design.
        replicates: number of simulations of each point, each with another seed.
        replicated: points that are replicated: "random" (points with random mapping or routing) or "all".
        seed: seed of the first replicate and of a sampled design.
        inputs: files or file patterns whose change makes points run again, in addition to files found automatically.
            A Python file stands for itself and the modules in its folder that it imports.
        blas: path of a model of BLAS and LAPACK, as for pysmpirun, or None.
        timeout: seconds after which a simulation fails, or None for no limit.
        prices: price of a node, link and switch and of the whole machine, as numbers or formulas of the factors, for
            ``pysmpi study pareto``.
        instruments: names of instruments of pysmpirun that add columns to the table, each as a key of the TOML
            file with the value true.
        derived: formulas of further parameters in those of `factors`, `fixed` and `points`, by their full names, such
            as ``{"arguments.side": "round(sqrt(n * ranks))"}``. A factor that only these formulas use, such as n, may
            have any name.
        folder: folder at which relative paths start.

    Raises:
        StudyError: if the description is not valid.
    """

    def __post_init__(self) -> None:
        check(self)

    def plan(self) -> list[Point]:
        """Return all points of the study with their inputs.

        Raises:
            StudyError: if a file cannot be read, the jobs of a point are not valid, or there are too many points.
        """
        return plan(self)

    def run(self, results: str | os.PathLike[str], **options: Any) -> Table:
        """Simulate the points (simulations) that have no stored outcome yet, and return the table of all points.

        Args:
            results: folder of the results; created if missing.
            options: keyword arguments of `pysmpi.study.study_run.run`.

        Raises:
            StudyError: if results cannot be stored, or a point is not valid. Results of finished points are kept.
        """
        return run(self, Path(results), **options)
