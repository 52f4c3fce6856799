"""Command ``pysmpi codesign``: upgrades and systems for programs whose requirements are known as formulas."""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError, ModelError, did_you_mean
from pysmpi.requirements.commands.codesign_simulate import add_option, lines_of, scaled_systems
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser
from pysmpi.util.commands.placed import printing_places
from pysmpi.util.quantities import parse_bytes

if TYPE_CHECKING:
    from pysmpi.requirements.codesign import Point, Requirements, System, Upgrade

__all__ = ["main"]

_TOO_SMALL = 1  # exit status if a program does not fit on a machine


def main(words: list[str]) -> int:
    """Run ``pysmpi codesign`` and return the exit status, which is 1 if a program does not fit on a machine."""
    parser = Parser(
        prog="pysmpi codesign",
        description="Compare machines for programs whose requirements are known as formulas. MODELS is a TOML file\n"
        "with a table for each program: formulas in p (processes) and n (problem size a process), one of them\n"
        "named memory, in bytes a process. docs/requirements.md explains the tables.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    upgrade = commands.add_parser("upgrade", help="print how requirements change when a machine is upgraded")
    upgrade.add_argument("models", nargs="+", metavar="MODELS", help="file of models: NAME.toml")
    upgrade.add_argument("--processes", metavar="P", help="number of processes of the machine")
    upgrade.add_argument("--memory", metavar="BYTES", help="memory of each process, such as 2GB, 512MiB or 2e9")
    upgrade.add_argument("--upgrade", action="append", default=[], metavar="TEXT",
                         help='further upgrade, such as "fat nodes: processes*2 memory*0.5" (repeatable)')  # fmt: skip
    upgrade.add_argument("--leading", action="store_true",
                         help="print the ratios of the leading powers, which need no base machine")  # fmt: skip
    systems = commands.add_parser("systems", help="print problem sizes, least times and bottlenecks of machines")
    systems.add_argument("models", nargs="+", metavar="MODELS", help="file of models: NAME.toml")
    systems.add_argument("--systems", required=True, metavar="FILE",
                         help="TOML file with a table for each system: processes, memory and rates")  # fmt: skip
    add_option(systems)
    for command, picture in ((upgrade, "ratios by upgrade"), (systems, "least times by system")):
        command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument("--plot", metavar="PICTURE", help=f"draw the {picture}: NAME.svg, .png or .pdf")
    arguments = parser.parse_args(words)
    act = {"upgrade": _upgrade, "systems": _systems}[arguments.command]
    return printing_places(lambda: act(arguments))


def _upgrade(arguments: argparse.Namespace) -> int:
    from pysmpi.requirements.codesign import UPGRADES, leading_ratios, linear_ratios, parse_upgrade

    _check_picture(arguments)
    models = _models(arguments.models)
    upgrades = [*UPGRADES, *map(parse_upgrade, arguments.upgrade)]
    for name in {each.name for each in upgrades}:
        if sum(each.name == name for each in upgrades) > 1:
            raise LaunchError(f"option --upgrade: two upgrades have the name {name!r}; choose another one")
    machine = _machine(arguments)
    answers: dict[str, Any] = {}
    for name, model in models.items():
        leading = {each.name: leading_ratios(model, each) for each in upgrades} if arguments.leading else {}
        if machine is None:
            answers[name] = {"base": None, "upgrades": {each: {"ratios": leading[each]} for each in leading}}
            rows = [_ratio_cells(each, leading[each.name], linear_ratios(model, each)) for each in upgrades]
            _print_table(arguments, f"{name}: leading powers, at any base machine", model, rows)
        else:
            answers[name] = _upgrades_of(arguments, name, model, machine, upgrades, leading)
    if arguments.plot is not None:
        from pysmpi.requirements.codesign.upgrade_plots import plot_upgrades

        drawn = {
            name: {each: point.get("ratios", {}) for each, point in answer["upgrades"].items()}
            for name, answer in answers.items()
        }
        plot_upgrades(drawn, arguments.plot)
    if arguments.json:
        print(json.dumps({"models": answers}))
    points = [point for answer in answers.values() for point in (answer["base"], *answer["upgrades"].values())]
    return _TOO_SMALL if machine is not None and not all(point["fits"] for point in points) else 0


def _upgrades_of(
    arguments: argparse.Namespace,
    name: str,
    model: "Requirements",
    machine: tuple[float, float],
    upgrades: "Sequence[Upgrade]",
    leading: Mapping[str, Mapping[str, float | None]],
) -> dict[str, Any]:
    """Print the table of one program's upgrades of a base machine, and return its part of the JSON."""
    from pysmpi.requirements.codesign import fill, linear_ratios, upgraded

    base = fill(model, *machine)
    points = {each.name: upgraded(model, base, each) for each in upgrades}
    ratios = {each: leading.get(each, point.ratios) if point.ratios else {} for each, point in points.items()}
    rows = [_upgrade_cells(each, points[each.name], ratios[each.name], linear_ratios(model, each))
            for each in upgrades]  # fmt: skip
    known = [_knowledge(model, [base, *points.values()])]
    _print_table(arguments, f"{name}: {_described(base)}", model, rows, known)
    return {
        "base": {**base.to_json(), **({"ratios": _ones(model)} if base.n is not None else {})},
        "upgrades": {
            each: {**point.to_json(), **({"ratios": ratios[each]} if ratios[each] else {})}
            for each, point in points.items()
        },
    }


def _ones(model: "Requirements") -> dict[str, float]:
    return dict.fromkeys(["n", "problem", *model], 1.0)


def _systems(arguments: argparse.Namespace) -> int:
    from pysmpi.requirements.codesign import benchmark, on_systems, read_systems

    _check_picture(arguments)
    models = _models(arguments.models)
    systems = read_systems(Path(arguments.systems))
    _note_unused_rates(models, systems)
    points = {name: on_systems(model, systems) for name, model in models.items()}
    common = {name: benchmark(model, systems, points[name]) for name, model in models.items()}
    scaled = scaled_systems(arguments, models, systems) if arguments.simulate else {}
    if not arguments.json:
        for name, model in models.items():
            _print_systems(name, model, systems, points[name], common[name])
            if name in scaled:
                print("\n".join([f"{name}: simulated on few processes of each system", *lines_of(scaled[name])]))
    if arguments.plot is not None:
        from pysmpi.requirements.codesign.upgrade_plots import plot_systems

        plot_systems(points, systems, arguments.plot)
    if arguments.json:
        least = {name: {"problem": found[0], "seconds": found[1]} for name, found in common.items() if found}
        by_model = {name: {system: point.to_json() for system, point in each.items()} for name, each in points.items()}
        simulated = {
            name: {system: [each.to_json() for each in found] for system, found in by_system.items()}
            for name, by_system in scaled.items()
        }
        more = {"simulated": simulated} if scaled else {}
        print(json.dumps({"models": by_model, "benchmark": {"models": least}, **more}))
    return _TOO_SMALL if any(point.n is None for each in points.values() for point in each.values()) else 0


def _print_systems(
    name: str,
    model: "Requirements",
    systems: "Mapping[str, System]",
    points: "Mapping[str, Point]",
    common: tuple[float, Mapping[str, float]] | None,
) -> None:
    rated = [each for each in model if any(each in system.rates for system in systems.values())]
    rows = [_system_cells(system, point, rated) for system, point in points.items()]
    head = ["system", "processes", "memory", "n", "problem", *(f"{each}, s" for each in rated), "bottleneck"]
    _print_rows(f"{name}: memory full, least time of each resource", [head, *rows], range(1, 5 + len(rated)))
    if common is not None:
        problem, seconds = common
        times = [f"{system} {value:.6g} s" for system, value in seconds.items()]
        times += [
            f"{system} has less than n = 1 a process"
            for system, each in systems.items()
            if points[system].n is not None and problem < each.processes
        ]
        print(f"  same problem everywhere, {_short(problem)}: {', '.join(times) or 'no rates are known'}")
    print(_knowledge(model, list(points.values())))


def _models(files: Sequence[str]) -> "dict[str, Requirements]":
    from pysmpi.formulas import read_models
    from pysmpi.requirements.codesign import MEMORY, PARAMETERS

    models: dict[str, Requirements] = {}
    for file in files:
        for name, model in read_models(Path(file), PARAMETERS).items():
            if name in models:
                place = _line_of(file, name)
                raise ModelError(f"{place}: model {name!r} is in another file, too; rename one of the tables")
            if MEMORY not in model:
                hint = did_you_mean(MEMORY, model)
                raise ModelError(f"{_line_of(file, name)}: model {name!r} has no formula named memory{hint}")
            models[name] = model
    return models


def _line_of(file: str, model: str) -> str:
    from pysmpi.util.documents import Document

    return Document.read(Path(file), ModelError).place([model])


def _machine(arguments: argparse.Namespace) -> tuple[float, float] | None:
    """Return processes and memory of the base machine, or None if --leading needs none."""
    if arguments.processes is None and arguments.memory is None and arguments.leading:
        return None
    if arguments.processes is None or arguments.memory is None:
        raise LaunchError("the base machine is required: give --processes P and --memory BYTES, or only --leading")
    processes = _number(arguments.processes)
    if processes is None or processes < 1 or not processes.is_integer():
        raise LaunchError(f"option --processes: {arguments.processes!r} is not a whole number, 1 or more")
    memory = _number(arguments.memory)
    if memory is None:
        try:
            memory = float(parse_bytes(arguments.memory))
        except ValueError as error:
            raise LaunchError(f"option --memory: {error}") from None
    if memory <= 0:
        raise LaunchError(f"option --memory: {arguments.memory!r} is not a positive number of bytes")
    return processes, memory


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _check_picture(arguments: argparse.Namespace) -> None:
    if arguments.plot is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.plot)


def _note_unused_rates(models: "Mapping[str, Requirements]", systems: "Mapping[str, System]") -> None:
    names = {name for model in models.values() for name in model}
    for system in systems.values():
        for name, rate in system.rates.items():
            if name not in names:
                hint = did_you_mean(name, sorted(names))
                print(f"{rate.place}: note: no model has a formula named {name!r}{hint}", file=sys.stderr)


def _described(point: "Point") -> str:
    noun = "process" if point.processes == 1 else "processes"
    machine = f"{point.processes:,.0f} {noun} with {_short(point.memory)} bytes each"
    if point.n is None or point.problem is None:
        return f"{machine}: {_misfit(point)}"
    return f"{machine}: n = {_short(point.n)}, problem {_short(point.problem)}"


def _misfit(point: "Point") -> str:
    assert point.largest_processes is not None
    if point.largest_processes == 0:
        return "does not fit, even with n = 1; nor with fewer processes"
    noun = "process" if point.largest_processes == 1 else "processes"
    return f"does not fit, even with n = 1; on up to {point.largest_processes:,} {noun} it does"


def _upgrade_cells(
    upgrade: "Upgrade", point: "Point", ratios: "Mapping[str, float | None]", linear: "Mapping[str, float | None]"
) -> list[list[str]]:
    if ratios:
        return _ratio_cells(upgrade, ratios, linear)
    text = _misfit(point) if point.n is None else f"fits: n = {_short(point.n)}"
    return [[_title(upgrade), *("-" for _ in linear), text]]


def _ratio_cells(
    upgrade: "Upgrade", ratios: "Mapping[str, float | None]", linear: "Mapping[str, float | None]"
) -> list[list[str]]:
    return [
        [_title(upgrade), *map(_ratio, ratios.values()), ""],
        ["  linear program", *map(_ratio, linear.values()), ""],
    ]


def _title(upgrade: "Upgrade") -> str:
    return f"{upgrade.name}: {upgrade.meaning}" if upgrade.meaning else upgrade.name


def _ratio(ratio: float | None) -> str:
    return "from 0" if ratio is None else f"{ratio:.5g}"


def _print_table(
    arguments: argparse.Namespace,
    title: str,
    model: "Requirements",
    rows: list[list[list[str]]],
    after: Sequence[str] = (),
) -> None:
    if arguments.json:
        return
    head = ["upgrade, in multiples", "n", "problem", *model, ""]
    _print_rows(title, [head, *(row for pair in rows for row in pair)], range(1, len(head) - 1))
    for line in after:
        print(line)


def _print_rows(title: str, rows: list[list[str]], right: Sequence[int]) -> None:
    print("\n".join([title, *aligned(rows, right=right, indent="  ")]))


def _system_cells(system: str, point: "Point", requirements: Sequence[str]) -> list[str]:
    head = [system, f"{point.processes:,.0f}", _short(point.memory)]
    if point.n is None or point.problem is None:
        return [*head, "-", "-", *("-" for _ in requirements), _misfit(point)]
    seconds = [f"{point.seconds[name]:.6g}" if name in point.seconds else "" for name in requirements]
    return [*head, _short(point.n), _short(point.problem), *seconds, point.bottleneck or "no rates"]


def _knowledge(model: "Requirements", points: "Sequence[Point]") -> str:
    """Return a line that says how the formulas are known: exact, extrapolated with an error, or as written."""
    from pysmpi.formulas.model import rounded_up

    groups: dict[str, list[str]] = {}
    for name, formula in model.items():
        if formula.exact is None:
            known = "as written in the file"
        elif formula.exact:
            known = "exact"
        else:
            known = "fitted" if formula.error is None else f"extrapolated within {rounded_up(100 * formula.error)} %"
            if any(formula.needs_verification({"p": each.processes, "n": each.n or 1}) for each in points):
                known += " and far beyond the measurements ! verify"
        groups.setdefault(known, []).append(name)
    return "  formulas: " + "; ".join(f"{', '.join(names)} {known}" for known, names in groups.items())


def _short(number: float) -> str:
    return f"{number:,.7g}" if abs(number) < 1e7 else f"{number:.6g}".replace("e+0", "e").replace("e+", "e")
