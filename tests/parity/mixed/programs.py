"""Random programs that mix kinds of communication, each made from its seed.

A program is a text: its first line is the size of the buffers, each further line is ``RANK OPERATION ARGUMENT…``.
``mixed.c`` and ``mixed.py`` run it. `make_case` makes programs that mix all kinds of calls; `make_one_sided_case` makes
programs of one-sided communication and nonblocking collectives.
"""

import dataclasses
import random
from collections.abc import Callable

__all__ = ["Case", "make_case", "make_one_sided_case"]

SELECTORS = ("default", "ompi", "mpich", "impi", "mvapich2")
SIZES = (0, 1, 8, 100, 1000, 4000, 10000, 32768, 65535, 65536, 100000, 300000)
ROOM = 400_000  # bytes of a receive and of a window
BUFFER = 16 * ROOM
COLLECTIVES = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "scan",
    "exscan",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "rsb",
    "allgatherv",
    "gatherv",
    "scatterv",
    "alltoallv",
]
NONBLOCKING = [f"i{name}" for name in COLLECTIVES if name != "barrier"] + ["ireducescatter", "ialltoallw", "ibarrier"]


@dataclasses.dataclass(frozen=True)
class Case:
    """A program, the machine that it runs on, and the options of its run."""

    np: int
    platform: str
    hosts: list[str]
    cfg: list[str]
    program: str


class _Draw:
    """Draws that are the same in all versions of Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def of(self, *items):  # type: ignore[no-untyped-def]
        return items[self.below(len(items))]

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def shuffled(self, items):  # type: ignore[no-untyped-def]
        keyed = [(self._random(), index, item) for index, item in enumerate(items)]
        return [item for _, _, item in sorted(keyed, key=lambda entry: entry[:2])]

    def subset(self, items, least: int):  # type: ignore[no-untyped-def]
        count = least + self.below(len(items) - least + 1)
        return sorted(self.shuffled(items)[:count])


def _cluster(draw: _Draw) -> tuple[str, int]:
    hosts, shape = draw.of(
        (16, ""),
        (16, 'bb_bw="2GBps" bb_lat="1us"'),
        (16, 'topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"'),
        (12, 'topology="TORUS" topo_parameters="3,2,2"'),
        (16, 'topology="DRAGONFLY" topo_parameters="2,1;2,1;2,1;2"'),
    )
    speed, bandwidth, latency = draw.of("10Gf", "2.5Gf"), draw.of("1.25GBps", "125MBps", "12.5GBps"), draw.of(1, 5, 50)
    loopback = 'loopback_bw="5GBps" loopback_lat="200ns"' if "topology" in shape or draw.chance(0.5) else ""
    sharing = "" if "topology" in shape else draw.of("", 'sharing_policy="SHARED"', 'sharing_policy="FATPIPE"')
    return (
        f'<cluster id="c" prefix="n" suffix="" radical="0-{hosts - 1}" speed="{speed}" core="{draw.of(1, 2, 4)}" '
        f'bw="{bandwidth}" lat="{latency}us" {shape} {loopback} {sharing}/>'
    ), hosts


def _odd_zone(draw: _Draw) -> tuple[str, int]:
    hosts = 3 + draw.below(3)
    links = 4 + draw.below(5)
    lines = ['<zone id="z" routing="Full">']
    for host in range(hosts):
        lines.append(f'<host id="n{host}" speed="{draw.of("10Gf", "2.5Gf", "1Gf")}" core="{draw.of(1, 2)}"/>')
    for link in range(links):
        bandwidth = draw.of("125MBps", "12.5GBps", "1.25GBps", "1MBps", "5GBps")
        latency = draw.of("0us", "500ns", "2us", "10us", "33.3us", "1ms")
        policy = draw.of("", ' sharing_policy="FATPIPE"', ' sharing_policy="SHARED"')
        lines.append(f'<link id="l{link}" bandwidth="{bandwidth}" latency="{latency}"{policy}/>')
    for host in range(hosts):
        for other in range(host + 1, hosts):
            path = draw.subset(list(range(links)), 1)[:3]
            crossed = "".join(f'<link_ctn id="l{link}"/>' for link in draw.shuffled(path))
            lines.append(f'<route src="n{host}" dst="n{other}">{crossed}</route>')
    return "\n".join([*lines, "</zone>"]), hosts


class _Program:
    def __init__(self, draw: _Draw, ranks: int) -> None:
        self.draw = draw
        self.ranks = list(range(ranks))
        self.lines: list[str] = []
        self.requests = [0] * ranks
        self.tags = 10
        self.slots = 1
        self.windows = 0
        self.communicators: list[tuple[int, list[int]]] = [(0, self.ranks)]  # slot and world ranks, in order

    def add(self, rank: int, operation: str, *arguments: object) -> None:
        self.lines.append(" ".join(map(str, (rank, operation, *arguments))))

    def request(self, rank: int) -> int:
        self.requests[rank] += 1
        return self.requests[rank] - 1

    def tag(self) -> int:
        self.tags += 2
        return self.tags

    def size(self) -> int:
        return self.draw.of(*SIZES)

    def finish(self, rank: int, requests: list[int]) -> None:
        """Complete the rank's requests in one way or another."""
        if not requests:
            return
        requests = self.draw.shuffled(requests)
        if self.draw.chance(0.3):
            self.add(rank, "flops", self.draw.of(1e3, 1e5, 1e6, 3e6))
        way = self.draw.of("wait", "test", "waitall", "waitany", "waitsome", "testall", "testany", "testsome")
        if way in ("wait", "test"):
            for request in requests:
                self.add(rank, way, request)
        else:
            self.add(rank, way, *requests)

    def compute(self) -> None:
        for rank in self.draw.subset(self.ranks, 1):
            self.add(rank, *self.draw.of(("flops", 1e4), ("flops", 1e6), ("flops", 2.5e6), ("sleep", 100)))

    def messages(self) -> None:
        draw, tag = self.draw, self.tag()
        posts: list[list[tuple[object, ...]]] = [[] for _ in self.ranks]
        anywhere = [draw.chance(0.35) for _ in self.ranks]
        if draw.chance(0.4):
            target = draw.of(*self.ranks)
            pairs = [(source, target) for source in self.ranks if source != target and draw.chance(0.7)]
        else:
            pairs = [(draw.of(*self.ranks), draw.of(*self.ranks)) for _ in range(1 + draw.below(2 * len(self.ranks)))]
        for source, target in pairs:
            posts[source].append((draw.of("isend", "isend", "isend", "issend"), 0, target, tag, self.size()))
            wanted = -1 if anywhere[target] else source
            posts[target].append(("irecv", 0, wanted, tag if draw.chance(0.8) else -1, ROOM))
        for rank in self.ranks:
            requests = []
            mine = draw.shuffled(posts[rank])
            if draw.chance(0.3):
                self.add(rank, "flops", draw.of(1e3, 1e6))
            for operation, *arguments in mine:
                requests.append(self.request(rank))
                self.add(rank, str(operation), *arguments, requests[-1])
            self.finish(rank, requests)
        self.collective(0, self.ranks, "barrier")

    def server(self) -> None:
        """Let one rank answer the others in the order in which their messages come."""
        draw, tag = self.draw, self.tag()
        server = draw.of(*self.ranks)
        asked, answered = self.size(), self.size()
        clients = [rank for rank in self.ranks if rank != server]
        rounds = 1 + draw.below(2)
        for _ in range(rounds):
            for client in clients:
                if draw.chance(0.4):
                    self.add(client, "flops", draw.of(1e3, 1e5, 1e6))
                self.add(client, "send", 0, server, tag, asked)
                self.add(client, "recv", 0, server, tag + 1, answered)
        way = draw.of("reply", "preply", "ipreply")
        for _ in range(rounds * len(clients)):
            self.add(server, way, 0, tag, max(asked, 1), answered)

    def collective(self, slot: int, members: list[int], name: str | None = None) -> None:
        draw = self.draw
        name = name or draw.of(*COLLECTIVES)
        root, size, kind = draw.below(len(members)), self.size(), draw.of(1, 4)
        size -= size % 8
        for rank in members:
            if draw.chance(0.2):
                self.add(rank, "flops", draw.of(1e3, 1e6))
            self.add(rank, name, slot, root, size, kind)

    def any_collective(self) -> None:
        self.collective(*self.draw.of(*self.communicators))

    def communicator(self) -> None:
        draw = self.draw
        slot, members = draw.of(*self.communicators)
        new, self.slots = self.slots, self.slots + 1
        way = draw.of("split", "split", "split", "dup", "create")
        if way == "split":
            colours = [draw.below(3) - (1 if draw.chance(0.2) else 0) for _ in members]
            keys = [draw.below(4) for _ in members]
            for place, rank in enumerate(members):
                self.add(rank, "split", slot, new, colours[place], keys[place])
            for colour in range(3):
                order = sorted((keys[place], place) for place in range(len(members)) if colours[place] == colour)
                if order:
                    self.communicators.append((new, [members[place] for _, place in order]))
        elif way == "dup":
            for rank in members:
                self.add(rank, "dup", slot, new)
            self.communicators.append((new, members))
        else:
            chosen = draw.subset(list(range(len(members))), 1)
            for rank in members:
                self.add(rank, "create", slot, new, *chosen)
            self.communicators.append((new, [members[place] for place in chosen]))

    def one_sided(self) -> None:
        draw = self.draw
        slot, members = draw.of(*self.communicators[:3])
        window, self.windows = self.windows, self.windows + 1
        everybody = range(len(members))
        for rank in members:
            self.add(rank, "wincreate", slot, window, ROOM)
        style = draw.of("fence", "fence", "lock", "lockall", "pscw")
        if len(members) == 1:
            style = "fence"

        if style == "fence":
            for rank in members:
                self.add(rank, "fence", window, 1)
            for _ in range(1 + draw.below(2)):
                for rank in members:
                    for _ in range(draw.below(4)):
                        self._plain_access(rank, window, draw.of(*everybody))
                    self.add(rank, "fence", window, 0)
        elif style == "lock":
            for rank in members:
                for _ in range(draw.below(3)):
                    target = draw.of(*everybody)
                    self.add(rank, "lock", window, target)
                    for _ in range(1 + draw.below(3)):
                        self._plain_access(rank, window, target)
                    if draw.chance(0.2):
                        self.add(rank, "flush", window, target)
                    self.add(rank, "unlock", window, target)
        elif style == "lockall":
            for rank in members:
                self.add(rank, "lockall", window)
                for _ in range(draw.below(4)):
                    self._plain_access(rank, window, draw.of(*everybody))
                self.add(rank, "unlockall", window)
        else:
            self._post_and_start(slot, members, window)
        for rank in members:
            self.add(rank, "winfree", window)

    def _plain_access(self, rank: int, window: int, target: int) -> None:
        size = self.size()
        way = self.draw.of("put", "put", "get", "get", "acc", "acc", "gacc", "fop")
        self.add(rank, way, window, target, *([] if way == "fop" else [size - size % 8]))

    def _post_and_start(self, slot: int, members: list[int], window: int) -> None:
        draw, everybody = self.draw, range(len(members))
        origins = draw.subset(list(everybody)[: len(members) - 1], 1)
        targets = [place for place in everybody if place not in origins]
        for place, rank in enumerate(members):
            if place in targets:
                self.add(rank, "post", slot, window, *origins)
                self.add(rank, "waitw", window)
            else:
                self.add(rank, "startw", slot, window, *targets)
                for _ in range(draw.below(4)):
                    self._plain_access(rank, window, draw.of(*targets))
                self.add(rank, "complete", window)

    def nonblocking(self) -> None:
        """Start up to three nonblocking collectives, compute, and complete them in any order."""
        draw = self.draw
        slot, members = draw.of(*self.communicators)
        begun: list[list[int]] = [[] for _ in members]
        others = draw.chance(0.3)
        for _ in range(1 + draw.below(3)):
            name = draw.of(*NONBLOCKING)
            if name == "ibarrier":
                self._gather_nothing(slot, members)
            root, size, kind = draw.below(len(members)), self.size(), draw.of(1, 4)
            size -= size % 8
            for place, rank in enumerate(members):
                if name != "ibarrier" and draw.chance(0.2):
                    self.add(rank, "flops", draw.of(1e3, 1e6))
                begun[place].append(self.request(rank))
                self.add(rank, name, slot, root, size, kind, begun[place][-1])
        if others and len(members) > 1:
            tag, size = self.tag(), self.size()
            for place, rank in enumerate(members):
                for operation, peer in (("irecv", place - 1), ("isend", place + 1)):
                    begun[place].append(self.request(rank))
                    self.add(rank, operation, slot, peer % len(members), tag, size, begun[place][-1])
        for place, rank in enumerate(members):
            requests = draw.shuffled(begun[place])
            if draw.chance(0.4):
                self.add(rank, "flops", draw.of(1e3, 1e5, 1e6, 3e6))
            way = draw.of("wait", "wait", "waitall", "waitall", "test", "testall", "waitsome", "testsome", "waitany")
            # SMPI's MPI_Waitany and MPI_Waitsome wait for the first collective of the list, whatever else completes.
            if len(requests) > 1 and way in ("waitsome", "waitany"):
                way = "waitall"
            if way in ("wait", "test"):
                for request in requests:
                    self.add(rank, way, request)
            else:
                self.add(rank, way, *requests)

    def _gather_nothing(self, slot: int, members: list[int]) -> None:
        """Let the first member enter the next collective last: SMPI's MPI_Ibarrier waits for this member only."""
        tag = self.tag()
        for place in range(1, len(members)):
            self.add(members[place], "send", slot, 0, tag, 0)
            self.add(members[0], "recv", slot, place, tag, 0)

    def passive(self) -> None:
        """Access windows under locks, with requests, flushes of all kinds and exclusive locks."""
        draw = self.draw
        slot, members = draw.of(*self.communicators[:3])
        window, self.windows = self.windows, self.windows + 1
        everybody = range(len(members))
        for rank in members:
            self.add(rank, "wincreate", slot, window, ROOM)
        for _ in range(1 + draw.below(3)):
            style = draw.of("lock", "lockall", "lockall", "fence", "exclusive")
            for place, rank in enumerate(members):
                if draw.chance(0.2):
                    self.add(rank, "flops", draw.of(1e3, 1e6))
                if style == "lockall":
                    self.add(rank, "lockall", window)
                    for _ in range(draw.below(4)):
                        self._access(rank, window, draw.of(*everybody), True)
                    self.add(rank, "unlockall", window)
                elif style in ("lock", "exclusive"):
                    for _ in range(draw.below(3)):
                        target = draw.of(*everybody)
                        if style == "exclusive":  # SMPI does not let them wait for shared locks
                            target = (place + 1) % len(members)
                        self.add(rank, "lock" if style == "lock" else "xlock", window, target)
                        for _ in range(1 + draw.below(3)):
                            self._access(rank, window, target, True)
                        self.add(rank, "unlock", window, target)
                else:
                    self.add(rank, "fence", window, 1)
                    for _ in range(draw.below(4)):
                        self._access(rank, window, draw.of(*everybody), False)
                    self.add(rank, "fence", window, 0)
            self.collective(slot, members, "barrier")
        for rank in members:
            self.add(rank, "winfree", window)

    def _access(self, rank: int, window: int, target: int, locked: bool) -> None:
        draw = self.draw
        size = self.size()
        size -= size % 8
        ways = ["put", "get", "acc", "gacc", "fop", "cas"]
        if locked:
            ways += ["rput", "rget", "racc", "rgacc"] * 2
        way = draw.of(*ways)
        if way in ("fop", "cas"):
            self.add(rank, way, window, target)
        elif way[0] == "r":
            request = self.request(rank)
            self.add(rank, way, window, target, size, request)
            self.add(rank, draw.of("wait", "wait", "wait", "test"), request)
        else:
            self.add(rank, way, window, target, size)
        if locked and draw.chance(0.4):
            flush = draw.of("flush", "flushlocal", "flushlocal", "flushall", "flushlocalall")
            self.add(rank, flush, window, *([target] if flush in ("flush", "flushlocal") else []))

    def times(self) -> None:
        for rank in self.ranks:
            self.add(rank, "T")


def make_case(seed: int) -> Case:
    """Return the program, machine and options of a seed."""
    draw = _Draw(seed)
    case, program = _begin(draw, 15)
    parts = (
        program.compute,
        program.messages,
        program.messages,
        program.server,
        program.any_collective,
        program.any_collective,
        program.communicator,
        program.one_sided,
    )
    return _finish(draw, case, program, parts)


def make_one_sided_case(seed: int) -> Case:
    """Return the program of one-sided communication and nonblocking collectives of a seed, its machine and options."""
    draw = _Draw(1_000_000 + seed)
    case, program = _begin(draw, 8)
    if draw.chance(0.2):
        case.cfg.extend(f"smpi/{name}:0:{seconds}:0.0000000001" for name, seconds in (("ois", 2e-6), ("or", 3e-6)))
    parts = (
        program.compute,
        program.communicator,
        program.one_sided,
        program.passive,
        program.passive,
        program.passive,
        program.nonblocking,
        program.nonblocking,
        program.nonblocking,
        program.nonblocking,
    )
    return _finish(draw, case, program, parts)


def _finish(draw: _Draw, case: Case, program: _Program, parts: tuple[Callable[[], None], ...]) -> Case:
    for _ in range(2 + draw.below(5)):
        draw.of(*parts)()
        program.times()
    return dataclasses.replace(case, program="\n".join([str(BUFFER), *program.lines]) + "\n")


def _begin(draw: _Draw, most: int) -> tuple[Case, _Program]:
    """Draw a machine for 2 to `most` + 1 ranks, and options."""
    element, count = _odd_zone(draw) if draw.chance(0.4) else _cluster(draw)
    platform = (
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        f'<platform version="4.1">\n{element}\n</platform>\n'
    )
    ranks = 2 + draw.below(most)
    names = [f"n{host}" for host in range(count)]
    if draw.chance(0.3):
        names = draw.shuffled(names)
    if draw.chance(0.35):  # 4 ranks a host, in turn or in blocks
        names = names[: -(-ranks // 4)]
        in_blocks = draw.chance(0.5)
        hosts = [names[(rank // 4 if in_blocks else rank) % len(names)] for rank in range(ranks)]
    else:
        hosts = [names[rank % len(names)] for rank in range(ranks)]
    cfg = []
    if draw.chance(0.6):
        cfg.append(f"smpi/coll-selector:{draw.of(*SELECTORS)}")
    if draw.chance(0.25):
        cfg.append(f"smpi/async-small-thresh:{draw.of(1000, 65536)}")
    return Case(ranks, platform, hosts, cfg, ""), _Program(draw, ranks)
