"""Pictures of platforms: hosts, switches and the links between them, by matplotlib.

There are three layouts. Levels: switches in levels above the hosts (stars, fat trees, joined clusters). Rings: joined
switches of one level, or joined hosts (dragonflies, HyperX, hypercubes). Grid: topologies with a lattice; of links that
wrap around, only both ends are drawn. Colours show bandwidths. Only some blocks of hosts of a large machine are drawn,
as the title then states.
"""

import collections
import itertools
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from pysmpi.platform.graph import Edge, Graph, find_graph, representative_hosts
from pysmpi.platform.machine import Platform
from pysmpi.platform.topology import TOPOLOGIES, shape_of
from pysmpi.util.pictures import INK, check_format, new_figure, save
from pysmpi.util.quantities import counted, human_bandwidth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_HOSTS", "draw"]

MOST_HOSTS = 96
_MOST_NAMES = 40
_WIDTH = 400  # total width of the marks of one level, in points
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")  # Paul Tol's bright scheme
_OTHERS = "#bbbbbb"
_HEAT = ("#fec44f", "#ec7014", "#a50f15", "#49006a")  # colours of links by their use, from low to high

Positions = np.ndarray
"""x and y of each vertex, (vertices, 2) float64."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of the vertices, and the size of the picture in inches."""

    kind: Literal["levels", "rings", "grid"]
    positions: Positions
    size: tuple[float, float]
    strides: tuple[int, ...] = ()
    """Difference of vertex numbers between neighbours in each dimension of a grid."""


def draw(
    platform: Platform,
    path: str | os.PathLike[str],
    *,
    hosts: int = MOST_HOSTS,
    use: Mapping[str, float] | None = None,
    use_is: str = "",
) -> None:
    """Draw a platform into a file; the ending of its name is the format (svg, png or pdf).

    Args:
        platform: the platform to draw.
        path: path of the file, which is written whole or not at all.
        hosts: highest number of hosts to draw.
        use: number for each link by its name, such as its utilisation, which colours show; or None to show bandwidths.
        use_is: meaning of these numbers, as the label of the colour bar.

    Raises:
        LaunchError: the ending is not a format, matplotlib is not installed, or the file cannot be written.
    """
    target = os.fspath(path)
    check_format(target)
    shown = representative_hosts(platform, hosts)
    graph = find_graph(platform, shown)
    levels = _levels(graph)
    layout = _layout(platform, graph, levels)
    figure = new_figure(*layout.size)
    axes = figure.subplots()
    if use is None:
        _draw_edges(axes, graph, layout)
    else:
        _draw_use(axes, graph, layout, use, use_is)
    _draw_vertices(axes, graph, layout, levels)
    part = "" if len(shown) == len(platform.hosts) else f" ({len(shown)} of them drawn)"
    counts = f"{counted(len(platform.hosts), 'host')}{part}, {counted(len(platform.links), 'link')}"
    name = os.path.basename(platform.source) if os.path.exists(platform.source) else platform.source
    axes.set_title(f"{name}: {counts}", fontsize=12, color=INK)
    axes.set_axis_off()
    axes.margins(0.04, 0.12 if layout.kind == "levels" else 0.06)
    if layout.kind != "levels":
        axes.set_aspect("equal")
    save(figure, target)


def _levels(graph: Graph) -> list[int]:
    """Return the distance in links from each vertex to the nearest host."""
    neighbours = graph.neighbours()
    levels = [0 if vertex.host is not None else -1 for vertex in graph.vertices]
    waiting = collections.deque(index for index, level in enumerate(levels) if level == 0)
    while waiting:
        here = waiting.popleft()
        for each in neighbours[here]:
            if levels[each] < 0:
                levels[each] = levels[here] + 1
                waiting.append(each)
    return levels


def _layout(platform: Platform, graph: Graph, levels: Sequence[int]) -> Layout:
    if len(platform.clusters) == 1 and len(platform.hosts) == len(graph.vertices):
        (_, cluster), *_ = platform.clusters
        if sizes := TOPOLOGIES[cluster.topology].lattice(shape_of(cluster)):
            return Layout("grid", _in_grid(sizes), (10, 9), tuple(itertools.accumulate([1, *sizes], operator.mul)))
    inside = sum(edge.count for edge in graph.edges if levels[edge.ends[0]] == levels[edge.ends[1]])
    if inside * 4 > sum(edge.count for edge in graph.edges):
        return Layout("rings", _in_rings(graph, levels), (10, 9.5))
    return Layout("levels", _in_levels(graph, levels), (10, min(3.5 + 1.5 * max(levels, default=0), 8)))


def _in_grid(sizes: Sequence[int]) -> Positions:
    """Place hosts on a lattice: first dimension to the right, second upwards, third slanting, others in blocks."""
    steps = [np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([0.29, 0.21])]
    extent = np.array([1.0, 1.0])
    positions = np.zeros((1, 2))
    for dimension, size in enumerate(sizes):
        step = steps[dimension] if dimension < len(steps) else (extent + 1) * np.eye(2)[dimension % 2]
        positions = (np.arange(size)[:, None, None] * step + positions).reshape(-1, 2)
        extent = np.ptp(positions, axis=0)
    return positions


def _in_levels(graph: Graph, levels: Sequence[int]) -> Positions:
    """Place hosts in a row and each level of switches above, ordered by the positions of the vertices below."""
    neighbours = graph.neighbours()
    place = np.zeros(len(graph.vertices))
    for level in range(max(levels, default=0) + 1):
        members = [index for index, each in enumerate(levels) if each == level]
        if level:
            below = {index: np.mean([place[each] for each in neighbours[index] if levels[each] < level])
                     for index in members}  # fmt: skip
            members.sort(key=lambda index: (below[index], index))
        for order, index in enumerate(members):
            place[index] = (order + 0.5) / len(members)
    return np.column_stack([10 * place, np.asarray(levels, dtype=float)])


def _in_rings(graph: Graph, levels: Sequence[int]) -> Positions:
    """Place hosts on a ring in order, and switches on inner rings near their hosts."""
    neighbours = graph.neighbours()
    count = max(1, sum(level == 0 for level in levels))
    angle = np.zeros(len(levels))
    angle[:count] = np.pi / 2 - 2 * np.pi * np.arange(count) / count
    deepest = max(levels, default=0)
    for level in range(1, deepest + 1):
        members = [index for index, each in enumerate(levels) if each == level]
        for index in members:
            below = [angle[each] for each in neighbours[index] if levels[each] < level]
            angle[index] = np.angle(np.mean(np.exp(1j * np.array(below))))
        ordered = sorted(members, key=lambda index: (-((angle[index] - np.pi / 2 - 1e-9) % (2 * np.pi)), index))
        step = 2 * np.pi / len(members)
        start = np.angle(np.mean([np.exp(1j * (angle[index] + step * order)) for order, index in enumerate(ordered)]))
        for order, index in enumerate(ordered):
            angle[index] = start - step * order
    radius = 1 - 0.22 * np.asarray(levels) / max(1, deepest)
    return 5 * np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _draw_edges(axes: "Axes", graph: Graph, layout: Layout) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    by_bandwidth = sorted({edge.bandwidth for edge in graph.edges}, reverse=True)
    colours = {bandwidth: _COLOURS[i] if i < len(_COLOURS) else _OTHERS for i, bandwidth in enumerate(by_bandwidth)}
    alpha = float(np.clip(40 / max(1, len(graph.edges)), 0.4, 0.9))
    lines = [(edge, line) for edge in graph.edges for line in _lines(edge, layout)]
    axes.add_collection(
        LineCollection(
            [line for _, line in lines],
            colors=[colours[edge.bandwidth] for edge, _ in lines],
            linewidths=[min(0.9 + 0.6 * (edge.count - 1), 4) for edge, _ in lines],
            alpha=alpha,
            zorder=1,
        )
    )
    if 0 < len(by_bandwidth) <= len(_COLOURS):
        keys = [Line2D([], [], color=colours[each], linewidth=2) for each in by_bandwidth]
        texts = [human_bandwidth(each) for each in by_bandwidth]
        axes.figure.legend(keys, texts, loc="outside lower center", ncols=len(keys), frameon=False, fontsize=9)


def _draw_use(axes: "Axes", graph: Graph, layout: Layout, use: Mapping[str, float], use_is: str) -> None:
    """Colour each cable by the larger number in `use` of its directions; draw cables without a number thin and grey."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    def most(edge: Edge) -> float:
        return max(use.get(f"{cable}{way}", 0.0) for cable in edge.cables for way in ("", "_UP", "_DOWN"))

    lines = sorted(
        ((most(edge), line) for edge in graph.edges for line in _lines(edge, layout)), key=lambda one: one[0]
    )
    highest = max([value for value, _ in lines], default=0.0) or 1.0
    colours = LinearSegmentedColormap.from_list("use", _HEAT)
    norm = Normalize(0, highest)
    drawn = LineCollection(
        [line for _, line in lines],
        colors=[colours(norm(value)) if value > 0 else _OTHERS for value, _ in lines],
        linewidths=[0.6 if value <= 0 else 1.2 + 2.4 * value / highest for value, _ in lines],
        zorder=1,
    )
    drawn.set(cmap=colours, norm=norm)
    axes.add_collection(drawn)
    bar = axes.figure.colorbar(drawn, ax=axes, label=use_is, shrink=0.7, aspect=30, format="%.3g")
    bar.outline.set_visible(False)


def _lines(edge: Edge, layout: Layout) -> list[np.ndarray]:
    """Return the lines that draw an edge of the graph, each as (points, 2) float64.

    An edge is a straight line, a curve in the layout "rings", or two short stubs if it wraps around a grid.
    """
    first, second = (layout.positions[end] for end in edge.ends)
    apart = float(np.linalg.norm(first - second))
    if layout.kind == "rings":
        control = (first + second) / 2 * (1 - 0.09 * min(apart, 5))  # bend towards the middle, long lines more
        t = np.linspace(0, 1, 24)[:, None]
        return [np.asarray((1 - t) ** 2 * first + 2 * t * (1 - t) * control + t**2 * second)]
    if layout.kind == "grid" and edge.ends[1] - edge.ends[0] not in layout.strides:
        stub = 0.4 * (first - second) / apart
        return [np.array([first, first + stub]), np.array([second, second - stub])]
    return [np.array([first, second])]


def _draw_vertices(axes: "Axes", graph: Graph, layout: Layout, levels: Sequence[int]) -> None:
    positions = layout.positions
    hosts = [index for index, vertex in enumerate(graph.vertices) if vertex.host is not None]
    switches = [index for index, vertex in enumerate(graph.vertices) if vertex.host is None]
    widest = max(collections.Counter(levels).values(), default=1)
    size = float(np.clip((_WIDTH / widest) ** 2, 8, 120))
    axes.scatter(positions[hosts, 0], positions[hosts, 1], s=size, marker="o", color="#333333", zorder=3, linewidths=0)
    axes.scatter(
        positions[switches, 0],
        positions[switches, 1],
        s=size,
        marker="s",
        color="white",
        edgecolors="#333333",
        zorder=3,
    )
    for index in switches:
        if name := graph.vertices[index].name:
            text = name if len(name) <= 32 else f"{name[:29]}…"
            axes.annotate(text, positions[index], textcoords="offset points", xytext=(0, 8), ha="center", fontsize=8,
                          color="#333333")  # fmt: skip
    every = -(-len(hosts) // _MOST_NAMES)
    for index in hosts[::every]:
        name = graph.vertices[index].name
        if layout.kind == "levels":
            axes.annotate(name, positions[index], textcoords="offset points", xytext=(0, -9), ha="center", va="top",
                          rotation=90 if len(hosts) > 12 else 0, fontsize=7, color="#333333")  # fmt: skip
        elif layout.kind == "grid":
            axes.annotate(name, positions[index], textcoords="offset points", xytext=(4, -4), va="top", fontsize=7,
                          color="#333333")  # fmt: skip
        else:
            x, y = positions[index]
            angle = np.degrees(np.arctan2(y, x))
            flip = abs(angle) > 90
            axes.annotate(name, (x * 1.03, y * 1.03), ha="right" if flip else "left", va="center", fontsize=7,
                          rotation_mode="anchor", rotation=angle + 180 if flip else angle,
                          color="#333333")  # fmt: skip
