"""Draw the pictures of docs/aspen.md and docs/aspen_figures.md from the models that come with pysmpi.

``python tools/aspen_figures.py [NAME …]`` draws the pictures of these names, or all, into the working directory. The
picture ``exchanges`` needs simulations, which take some seconds.
"""

import pathlib
import sys
import tempfile
from typing import Any

import numpy

import pysmpi
from pysmpi import aspen
from pysmpi.util.pictures import COLOURS, new_figure, save

ROOT = pathlib.Path(__file__).parents[1]
MODELS = ROOT / "models"
FFT = aspen.read_application(str(MODELS / "fft3d.aspen"))
MD = aspen.read_application(str(MODELS / "md.aspen"))
KEENELAND = aspen.read_machine(str(MODELS / "machines" / "keeneland.aspen"))
WESTMERE = str(MODELS / "machines" / "westmere.aspen")
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(TEMPORARY.name)
LINK = 4e9  # bytes a second

MACHINE = """
core pe {{ flops [67.2 * giga] }}
memory ram {{ bandwidth [25.584 * giga] }}
interconnect net {{ latency [1 * nano] bandwidth [4 * giga] }}
socket cpu {{ [1] pe core ram memory }}
node single {{ [1] cpu socket connected with [1] of net as {topology} }}
machine m {{ [{nodes}] single nodes }}
"""

SHAPES = {
    "torus": [("torus(2, 2, 2)", 8), ("torus(3, 3, 3)", 27), ("torus(4, 4, 4)", 64), ("torus(5, 5, 5)", 125),
              ("torus(6, 6, 6)", 216)],
    "hypercube": [(f"hypercube({d})", 2**d) for d in range(3, 9)],
    "fat tree": [(f"fatTree({down})", nodes) for down, nodes in ((8, 64), (16, 128), (16, 256))],
}  # fmt: skip
ALGORITHMS = {"all at once": ["smpi/alltoall:basic_linear"], "default": []}
EXACT = ["network/model:CM02", "network/bandwidth-factor:1", "network/latency-factor:1", "network/crosstraffic:no"]


def machine(topology: str, nodes: str | int) -> aspen.Machine:
    """Return a machine of one socket a node on a topology."""
    path = FOLDER / f"{len(list(FOLDER.iterdir()))}.aspen"
    path.write_text(MACHINE.format(topology=topology, nodes=nodes))
    return aspen.read_machine(str(path))


def axes_of(width: float, height: float, columns: int = 1) -> tuple[Any, list[Any]]:
    """Return an empty figure of a size in inches, with its panels side by side."""
    figure = new_figure(width, height)
    panels = list(figure.subplots(1, columns, squeeze=False).flat)
    for each in panels:
        each.spines[["top", "right"]].set_visible(False)
        each.tick_params(labelsize=8)
    return figure, panels


def finish(figure: Any, panels: list[Any], name: str, x: str, y: str) -> None:
    """Label the axes of all panels and write the picture."""
    for each in panels:
        each.set_xlabel(x, fontsize=9)
        each.set_ylabel(y, fontsize=9)
        each.legend(fontsize=8, frameon=False)
    save(figure, f"{name}.svg")


def intensity() -> None:
    """Figure 3: operations for each byte of the FFT over n, for two sizes of the cache."""
    n = 2.0 ** numpy.linspace(6, 26, 200)
    figure, panels = axes_of(6.4, 3.6)
    for colour, cache in zip(COLOURS, (2.4e6, 24e6), strict=False):
        values = FFT.intensity(kernel="localFFT", n=n, Z=cache)
        panels[0].plot(n, values, color=colour, label=f"Z = {cache / 1e6:g} MB")
    panels[0].set_xscale("log", base=2)
    panels[0].set_ylim(0)
    finish(figure, panels, "figure3", "n", "flop for each byte")


def attainable() -> None:
    """Figure 5: speed that the memory allows at the FFT's intensity."""
    n = 2.0 ** numpy.linspace(6, 20, 200)
    found = FFT.intensity(kernel="localFFT", n=n)
    figure, panels = axes_of(6.4, 3.6)
    for colour, (label, bandwidth, peak) in zip(COLOURS, (
        ("two X5660", 51.168e9, 134.4e9), ("M2090 without ECC", 177.6e9, 665.6e9), ("M2090 with ECC", 133.2e9, 665.6e9)
    ), strict=False):  # fmt: skip
        panels[0].plot(n, numpy.minimum(peak, bandwidth * found) / 1e9, color=colour, label=label)
    panels[0].set_xscale("log", base=2)
    panels[0].set_ylim(0)
    finish(figure, panels, "figure5", "n", "attainable Gflop/s")


def exchanges() -> None:
    """Figure 7: seconds of an exchange over P, n = 2^16."""
    processors = 2.0 ** numpy.linspace(10, 16.6, 100)
    one = (2.0**16) ** 3 * 16 / processors / LINK
    figure, panels = axes_of(6.4, 3.6)
    cubes = numpy.arange(10.0, 47.0) ** 3
    torus = FFT.cost(machine("torus", "P"), kernel="exchange", n=2**16, P=cubes).seconds
    panels[0].plot(processors, one, color=COLOURS[0], label="hypercube (equation 3)")
    panels[0].plot(cubes, torus, color=COLOURS[2], label="3-D torus, bisection (cost)")
    panels[0].plot(processors, one * processors ** (1 / 6), color=COLOURS[1], label="equation 4")
    panels[0].plot(processors, one * processors ** (1 / 3), color=COLOURS[3], label="equation 5")
    panels[0].set_xscale("log")
    panels[0].set_yscale("log")
    finish(figure, panels, "figure7", "P", "seconds")


def slab_and_pencil() -> None:
    """Figure 8: seconds of slab and pencil over P, n = 2^16, as the listings say and with other exchanges."""
    found = aspen.read_machine(WESTMERE)
    processors = 2.0 ** numpy.linspace(10, 18, 120)
    slab = FFT.cost(found, control="slab", n=2**16, P=processors).seconds
    pencil = FFT.cost(found, control="pencil", n=2**16, P=processors).seconds
    exchange = FFT.cost(found, kernel="exchange", n=2**16, P=processors).seconds
    more = (numpy.log2(processors) / 2 - 1) * exchange
    figure, panels = axes_of(8.6, 3.6, 2)
    for panel, extra, title in zip(panels, (0.0, more), ("as in the listings", "exchanges of log2(P) / 2 rounds"),
                                   strict=True):  # fmt: skip
        possible = processors <= 2**16
        panel.plot(processors[possible], (slab + extra)[possible], color=COLOURS[0], label="slab, P ≤ n")
        panel.plot(processors, pencil + 2 * extra, color=COLOURS[3], label="pencil")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_title(title, fontsize=9)
    finish(figure, panels, "figure8", "P", "seconds")


def molecules() -> None:
    """Figure 9: flops of the forces and one transform for each byte of its messages, over the number of atoms."""
    atoms = 10.0 ** numpy.linspace(3, 6, 200)
    figure, panels = axes_of(6.4, 3.6)
    for colour, mesh in zip(COLOURS, (64, 128), strict=False):
        chosen = MD.set(atoms=atoms, meshDim=mesh, nCellsX=mesh / 2, nCellsY=mesh / 2, nCellsZ=mesh / 2, P=1)
        force, transform = chosen.amounts("ljForce").resources, chosen.amounts("3DFFT.pencil").resources
        ratio = (force["flops"] + transform["flops"]) / transform["messages"]
        panels[0].plot(atoms, ratio, color=colour, label=f"mesh of {mesh}³, {mesh // 2}³ cells")
    panels[0].set_xscale("log")
    panels[0].set_yscale("log")
    finish(figure, panels, "figure9", "atoms", "flop for each byte of messages")


def simulate() -> dict[str, dict[str, dict[str, float]]]:
    """Return simulated times of an all-to-all over those of its bytes on one link, by network, algorithm and P."""
    (FOLDER / "exchange.aspen").write_text("kernel main { execute [P] { messages [1e8] as allToAll } }\n")
    program = aspen.read_application(str(FOLDER / "exchange.aspen"))
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, shapes in SHAPES.items():
        for topology, nodes in shapes:
            platform = machine(topology, nodes)
            for algorithm, cfg in ALGORITHMS.items():
                result = pysmpi.simulate(program.program(), np=nodes, platform=platform, cfg=[*EXACT, *cfg])
                rows = found.setdefault(name, {}).setdefault(algorithm, {})
                rows[str(nodes)] = result.simulated_time / (1e8 / LINK)
            rows = found[name].setdefault("cost", {})
            rows[str(nodes)] = float(program.cost(platform, P=nodes).seconds) / (1e8 / LINK)
    return found


def compared() -> None:
    """Predicted and simulated exchanges over P on torus, hypercube and fat tree."""
    found = simulate()
    figure, panels = axes_of(9.6, 3.4, 3)
    styles = {"cost": ("--", None), "all at once": ("-", "o"), "default": ("-", "s")}
    labels = {"cost": "predicted (cost)", "all at once": "simulated, all at once", "default": "simulated, default"}
    for panel, (name, lines) in zip(panels, found.items(), strict=True):
        for colour, (line, (style, marker)) in zip(COLOURS, styles.items(), strict=False):
            x = [float(each) for each in lines[line]]
            panel.plot(
                x, list(lines[line].values()), style, marker=marker, markersize=4, color=colour, label=labels[line]
            )
        panel.set_xscale("log", base=2)
        panel.set_ylim(0)
        panel.set_title(name, fontsize=9)
    finish(figure, panels, "exchanges", "P", "time / time on one link")


DRAWERS = {"figure3": intensity, "figure5": attainable, "figure7": exchanges, "figure8": slab_and_pencil,
           "figure9": molecules, "exchanges": compared}  # fmt: skip

if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWERS:
        if name not in DRAWERS:
            sys.exit(f"aspen_figures.py: unknown picture {name!r} (valid: {', '.join(DRAWERS)})")
        DRAWERS[name]()
