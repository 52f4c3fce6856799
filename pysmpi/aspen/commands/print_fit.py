"""Output of ``pysmpi aspen fit``: parameters fitted to measured or simulated times and amounts."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pysmpi.aspen.commands.words import application_of, single_flow
from pysmpi.aspen.errors import AspenError
from pysmpi.errors import LaunchError
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import counted

if TYPE_CHECKING:
    from pysmpi.aspen.fit import Fit
    from pysmpi.aspen.fit_problem import Scale

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print the fitted parameters, write the model with them if ``-o`` is given, and return the exit status."""
    single_flow(arguments)
    words = [word for word in arguments.values if "=" in word]
    tables = [word for word in arguments.values if "=" not in word]
    if len(tables) != 1:
        problem = f"{len(tables)} tables are given" if tables else "a table of measurements is required"
        raise LaunchError(f"{problem}; write: pysmpi aspen fit APPLICATION MACHINE MEASURED.csv")
    arguments.values = words
    from pysmpi.aspen.defaults import check_defaults, text_with_defaults
    from pysmpi.aspen.fit import fit
    from pysmpi.aspen.fit_problem import scales_of
    from pysmpi.aspen.machine_model import Machine
    from pysmpi.aspen.measurements import read_measurements

    application, machine = application_of(arguments), Machine.read(arguments.machine)
    measured = read_measurements(tables[0], application, machine)
    scales = scales_of(application, {name for each in measured for name in each.values})
    if arguments.output is not None:
        _check_output(arguments.output, [application.path, machine.path, tables[0]])
        check_defaults(application, scales)
    found = fit(
        application,
        machine,
        measured,
        socket=arguments.socket,
        control=arguments.control,
        kernel=arguments.kernel,
        rules=arguments.rules,
    )
    if arguments.output is not None:
        values = {name: each.value for name, each in found.parameters.items()}
        _write(arguments.output, text_with_defaults(application, values))
    if arguments.json:
        print(json.dumps(found.to_json()))
    else:
        _print(found, scales)
    return 0


def _print(found: "Fit", scales: "dict[str, Scale]") -> None:
    figures, parameters = counted(len(found.residuals), "figure"), counted(len(found.parameters), "parameter")
    print(f"{parameters} fitted to {figures}; 95 % confidence intervals")
    rows = [["parameter", "value", "from", "to", "default", "range"]]
    for name, each in found.parameters.items():
        scale = scales[name]
        numbers = [f"{value:.6g}" for value in (each.value, each.low, each.high, scale.default)]
        rows.append([name, *numbers, f"{scale.low:.6g} .. {scale.high:.6g}"])
    print("\n".join(aligned(rows, (1, 2, 3, 4), "  ")))
    print(f"relative errors: largest {found.largest:.3%}, root mean square {found.rms:.3%}")
    worst = int(abs(found.residuals).argmax())
    print(f"largest error at {found.places[worst]}")
    for first, second in found.undetermined:
        if first == second:
            print(f"not determined: {first} changes none of the figures")
        else:
            print(f"not determined: {first} and {second}; the figures determine a combination of them only")
    for name, each in found.parameters.items():
        for end in (scales[name].low, scales[name].high):
            if abs(each.value - end) <= 1e-9 * abs(end) and not any(name in pair for pair in found.undetermined):
                print(f"{name} is at the end of its range, which may hide a better value")


def _check_output(output: str, inputs: list[str]) -> None:
    if any(os.path.exists(output) and os.path.exists(each) and os.path.samefile(output, each) for each in inputs):
        raise LaunchError(f"-o {output}: refusing to overwrite an input file; choose another output path")


def _write(output: str, text: str) -> None:
    from pysmpi.util.whole_file import write_whole

    try:
        write_whole(Path(output), text.encode())
    except OSError as error:
        raise AspenError(f"cannot write {output!r}: {error.strerror}") from None
