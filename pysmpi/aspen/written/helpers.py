"""Functions that written programs have if they need them, as texts."""

__all__ = ["HELPERS", "NEEDS", "RESERVED"]

HELPERS = {
    "compute": '''
def compute(seconds):
    """Compute for a number of seconds on the simulated host; in a real run, do nothing."""
    if pysmpi.is_simulated() and seconds > 0:
        pysmpi.execute_flops(seconds * pysmpi.host().speed)
''',
    "Time": '''
class Time:
    """Seconds of computation, and those in which each resource is busy."""

    def __init__(self, seconds=0.0, busy=()):
        self.seconds, self.busy = seconds, dict(busy)

    def __add__(self, other):
        busy = dict(self.busy)
        for name, seconds in other.busy.items():
            busy[name] = busy.get(name, 0.0) + seconds
        return Time(self.seconds + other.seconds, busy)

    def __mul__(self, count):
        return Time(self.seconds * count, {name: seconds * count for name, seconds in self.busy.items()})


def overlapped(parts, copies=1.0):
    """Return the time of parts side by side: that of the longest part or of the busiest resources."""
    total, together = Time(), {}
    for part in parts:
        total += part * copies
    for name, seconds in total.busy.items():
        group = CONFLICTS.get(name, name)
        together[group] = together[group] + seconds if group in together else seconds
    longest = [part.seconds * min(copies, 1.0) for part in parts]
    return Time(max([*longest, *together.values()], default=0.0), total.busy)
''',
    "drawn": '''
def drawn(place, chances):
    """Return the number of an alternative, drawn by chance and the same on all ranks."""
    rest = randoms.setdefault(place, random.Random(f"{arguments.seed} {place}")).random()
    for number, chance in enumerate(chances):
        rest -= chance
        if rest < 0:
            return number
    return len(chances)


randoms = {}
''',
    "communicator": '''
def communicator(lane):
    """Return the communicator of a lane: parts side by side need their own."""
    if lane not in lanes:
        lanes[lane] = comm.Dup()
    return lanes[lane]


lanes = {(): comm}
''',
    "group": '''
def group(size, stride=1, lane=()):
    """Return the communicator of this rank's group: `size` ranks that are `stride` apart."""
    size, stride = round(size), round(stride)
    if (lane, size, stride) not in groups:
        color = comm.rank // (size * stride) * stride + comm.rank % stride
        groups[lane, size, stride] = communicator(lane).Split(color, comm.rank)
    return groups[lane, size, stride]


groups = {}
''',
    "memory": '''
def memory(size, number=0):
    """Return a buffer of a number of bytes whose contents do not matter."""
    if (size, number) not in buffers:
        buffers[size, number] = pysmpi.folded_empty(max(1, size), "u1")
    return buffers[size, number]


buffers = {}
''',
    "share": '''
def share(amount, elements):
    """Return the bytes of each rank if each of a number of elements has an amount."""
    return round(amount if elements == comm.size else amount * elements / comm.size)
''',
    "allToAll": '''
def all_to_all(comm, size):
    """Start to send an equal part of `size` bytes to each rank."""
    block = size // comm.size
    return [comm.Ialltoall([memory(size), block, MPI.BYTE], [memory(size, 1), block, MPI.BYTE])]
''',
    "allReduce": '''
def all_reduce(comm, size):
    """Start to combine buffers of `size` bytes."""
    return [comm.Iallreduce([memory(size), size, MPI.BYTE], [memory(size, 1), size, MPI.BYTE], MPI.BOR)]
''',
    "broadcast": '''
def broadcast(comm, size):
    """Start to send `size` bytes of rank 0 to all ranks."""
    return [comm.Ibcast([memory(size), size, MPI.BYTE], 0)]
''',
    "reduce": '''
def reduce(comm, size):
    """Start to combine buffers of `size` bytes on rank 0."""
    return [comm.Ireduce([memory(size), size, MPI.BYTE], [memory(size, 1), size, MPI.BYTE], MPI.BOR, 0)]
''',
    "gather": '''
def gather(comm, size):
    """Start to send `size` bytes of each rank to rank 0."""
    return [comm.Igather([memory(size), size, MPI.BYTE], [memory(size * comm.size, 1), size, MPI.BYTE], 0)]
''',
    "scatter": '''
def scatter(comm, size):
    """Start to send an equal part of `size` bytes of rank 0 to each rank."""
    block = size // comm.size
    return [comm.Iscatter([memory(size), block, MPI.BYTE], [memory(size, 1), block, MPI.BYTE], 0)]
''',
    "allGather": '''
def all_gather(comm, size):
    """Start to send `size` bytes of each rank to all ranks."""
    return [comm.Iallgather([memory(size), size, MPI.BYTE], [memory(size * comm.size, 1), size, MPI.BYTE])]
''',
    "reduceScatter": '''
def reduce_scatter(comm, size):
    """Start to combine buffers of `size` bytes, of which each rank gets an equal part."""
    block = size // comm.size
    sent, received = [memory(size), block, MPI.BYTE], [memory(size, 1), block, MPI.BYTE]
    return [comm.Ireduce_scatter_block(sent, received, MPI.BOR)]
''',
    "scan": '''
def scan(comm, size):
    """Start to combine buffers of `size` bytes of all ranks up to each."""
    return [comm.Iscan([memory(size), size, MPI.BYTE], [memory(size, 1), size, MPI.BYTE], MPI.BOR)]
''',
    "barrier": '''
def barrier(comm, size):
    """Start a barrier."""
    return [comm.Ibarrier()]
''',
    "send_all": '''
def send_all(comm, sent, received):
    """Start to send bytes to ranks and to receive bytes from ranks: pairs (rank, bytes)."""
    requests = [comm.Irecv([memory(size, 1), size, MPI.BYTE], rank) for rank, size in received]
    return requests + [comm.Isend([memory(size), size, MPI.BYTE], rank) for rank, size in sent]
''',
    "to_neighbours": '''
def to_neighbours(comm, dimensions, side, size, *words):
    """Start to send side^d elements of `size` bytes to each neighbour on a grid, if d dimensions touch."""
    sides = MPI.Compute_dims(comm.size, dimensions)
    here, rest = [], comm.rank
    for length in sides:
        here.append(rest % length)
        rest //= length
    sent, received = [], []
    for step in itertools.product((-1, 0, 1), repeat=dimensions):
        touching = step.count(0)
        if touching == dimensions or ("face" in words and touching < dimensions - 1):
            continue
        amount = round(side**touching * (2**touching if "nodal" in words else 1) * size)
        for sign, pairs in ((1, sent), (-1, received)):
            rank, stride, exists = 0, 1, True
            for place, change, length in zip(here, step, sides):
                moved = place + sign * change
                exists = exists and ("periodic" in words or 0 <= moved < length)
                rank += moved % length * stride
                stride *= length
            first, second = (comm.rank, rank) if pairs is sent else (rank, comm.rank)
            if exists and not ("pwave" in words and second <= first) and not ("nwave" in words and second >= first):
                pairs.append((rank, amount))
    return send_all(comm, sent, received)
''',
    "to_random": '''
def to_random(comm, size):
    """Start to send `size` bytes to a random rank."""
    numbers = random.Random(arguments.seed)
    targets = [numbers.randrange(comm.size) for _ in range(comm.size)]
    received = [(rank, size) for rank, to in enumerate(targets) if to == comm.rank]
    return send_all(comm, [(targets[comm.rank], size)], received)
''',
    "side_by_side": '''
def side_by_side(*parts):
    """Execute parts side by side: messages of all at once, computation of one after the other.

    A part is a generator: it yields seconds to compute, or lists of requests of which one must be complete.
    """
    ready, computing, waiting, has_computed = list(range(len(parts))), {}, {}, False
    while ready or computing or waiting:
        for number in sorted(ready):
            each = next(parts[number], None)
            if isinstance(each, list):
                waiting[number] = each
            elif each is not None:
                computing[number] = each
        ready = []
        if computing and has_computed and waiting:
            for requests in (each for lists in waiting.values() for each in lists):
                MPI.Request.Testall(requests)
            has_computed = False
        elif computing:
            first = min(computing)
            yield computing.pop(first)
            ready, has_computed = [first], True
        elif waiting:
            yield [requests for lists in waiting.values() for requests in lists]
            has_computed = False
        complete = [number for number, lists in waiting.items() if any(map(is_complete, lists))]
        ready += complete
        for number in complete:
            del waiting[number]


def is_complete(requests):
    """Return whether all requests of a list are complete."""
    return all(each == MPI.REQUEST_NULL for each in requests)


def run(steps):
    """Compute and wait as steps say."""
    for each in steps:
        if not isinstance(each, list):
            compute(each)
        elif len(each) == 1:
            MPI.Request.Waitall(each[0])
            each[0][:] = []
        else:
            while not any(map(is_complete, each)):
                MPI.Request.Waitany([one for requests in each for one in requests if one != MPI.REQUEST_NULL])
''',
}
"""Texts by name, in an order in which each uses earlier ones only."""

NEEDS = {
    "group": ("communicator",),
    **dict.fromkeys(
        (
            "allToAll",
            "allReduce",
            "broadcast",
            "reduce",
            "gather",
            "scatter",
            "allGather",
            "reduceScatter",
            "scan",
            "send_all",
        ),
        ("memory",),
    ),
    "to_neighbours": ("send_all", "memory"),
    "to_random": ("send_all", "memory"),
    "side_by_side": ("compute",),
}
"""Other texts that a text needs."""

RESERVED = frozenset({
    "argparse", "itertools", "numpy", "random", "pysmpi", "MPI", "math", "comm", "arguments", "parser", "lane",
    "seconds", "requests", "once", "case", "rest", "size", "compute", "Time", "overlapped", "CONFLICTS", "drawn",
    "randoms", "communicator", "lanes", "group", "groups", "memory", "buffers", "share", "all_to_all", "all_reduce",
    "broadcast", "reduce", "gather", "scatter", "all_gather", "reduce_scatter", "scan", "barrier", "send_all",
    "to_neighbours", "to_random", "side_by_side", "is_complete", "run", "sockets", "nodes", "ceil", "floor", "log",
    "log2", "log10", "sqrt", "exp",
})  # fmt: skip
"""Names that parameters and kernels cannot have in a written program."""
