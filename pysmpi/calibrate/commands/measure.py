"""Command of a kind of measurement: measure or read a table, fit a model, judge it, and write all files."""

from typing import Any

from pysmpi.calibrate.busy import busy_text
from pysmpi.calibrate.kind import Kind
from pysmpi.calibrate.limits import FORCED
from pysmpi.calibrate.options import part_parser
from pysmpi.calibrate.outputs import Outputs
from pysmpi.calibrate.progress import notify
from pysmpi.calibrate.quality import accepted
from pysmpi.errors import CalibrationError, PysmpiError
from pysmpi.util.library_threads import threads_restored

__all__ = ["run"]


def run(kind: Kind, words: list[str]) -> int:
    """Run the command of a kind of measurement, and return the exit status.

    If ranks of a real MPI measure together, each rank calls this function.

    Raises:
        PysmpiError: the command failed; it is raised on rank 0 only, and the status of the other ranks is 2.
    """
    world = None
    if kind.on_ranks and not any(word == "--from" or word.startswith("--from=") for word in words):
        from mpi4py import MPI

        world = MPI.COMM_WORLD
    try:
        with threads_restored():  # simulations in this process read OMP_NUM_THREADS, too
            _run(kind, words, world)
    except PysmpiError:
        if world is None or world.rank == 0:
            raise
        return 2
    return 0


def _run(kind: Kind, words: list[str], world: Any) -> None:
    parser = part_parser(kind.name, kind.description, kind.output)
    value, meaning = kind.source
    parser.add_argument("--from", dest="measured", metavar=value, help=meaning)
    kind.add_options(parser)
    arguments = parser.parse_args(words)
    outputs = Outputs.of(arguments.output, ".json")
    if kind.measure_elsewhere(arguments, words, outputs):
        return
    if arguments.measured is None:
        plan = kind.plan(arguments, world)
        _check_load(arguments.force, world)
        table = plan.carry_out(outputs.measurements, world)
        if table is None:
            return
    else:
        table = kind.read(arguments)
    fit = kind.fit(table, arguments)
    document = kind.document(fit, table, arguments)
    report = kind.report(fit, table, document)
    try:
        document = accepted(document, arguments.force)
    except CalibrationError:
        outputs.write_report(report)
        raise
    for reason in document.get(FORCED, []):
        notify(f"warning: written under --force: {reason}")
    outputs.write_model(document)
    outputs.write_report(report)
    outputs.write_picture(lambda path: kind.draw(fit, path))
    notify(f"{outputs.main}: {kind.summary(fit, str(outputs.report))}")


def _check_load(force: bool, world: Any) -> None:
    """Check that the machines of all ranks are not busy before a measurement.

    Raises:
        CalibrationError: at all ranks, if a machine is busy and `force` is not set.
    """
    busy = "" if force else busy_text()
    if world is not None:
        busy = next((text for text in world.allgather(busy) if text), "")
    if busy:
        raise CalibrationError(f"{busy}. Measure when nothing else runs; --force measures in any case")
