"""Steps with messages between two ranks."""

import numpy as np
from mpi4py import MPI
from state import State

__all__ = ["STEPS"]


def _ring(s: State) -> tuple[int, int]:
    distance = s.draw.between(1, s.size - 1)
    return (s.rank + distance) % s.size, (s.rank - distance) % s.size


def persistent(s: State) -> None:
    to, source = _ring(s)
    count, rounds = s.draw.count(), s.draw.between(1, 3)
    sent, received = s.data(count), np.zeros(count, "i8")
    way = s.draw.of(("Send_init", "Ssend_init", "Bsend_init"))
    if way == "Bsend_init":
        MPI.Attach_buffer(bytearray(8 * count * rounds + 4096))
    requests = [getattr(s.comm, way)(sent, to, 1), s.comm.Recv_init(received, source, 1)]
    for each in range(rounds):
        sent += each
        received[:] = 0
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        s.take(received)
    for request in requests:
        request.Free()
    if way == "Bsend_init":
        MPI.Detach_buffer()


def partitioned(s: State) -> None:
    to, source = _ring(s)
    parts, count = s.draw.between(1, 5), s.draw.of((1, 10, 2000))
    rounds, order = s.draw.between(1, 2), s.draw.shuffled(range(parts))
    sent, received = s.data(parts * count), np.zeros(parts * count, "i8")
    send, receive = s.comm.Psend_init(sent, parts, to, 2), s.comm.Precv_init(received, parts, source, 2)
    for each in range(rounds):
        received[:] = 0
        MPI.Prequest.Startall([send, receive])
        sent += each
        for part in order:
            send.Pready(part)
        MPI.Request.Waitall([send, receive])
        s.take(received)
    send.Free()
    receive.Free()


def _types(s: State) -> tuple[MPI.Datatype, int]:
    """Return a derived datatype, and the bytes that a few of its elements span."""
    base = s.draw.of((MPI.LONG, MPI.INT32_T, MPI.DOUBLE, MPI.BYTE))
    kind = s.draw.of(("vector", "indexed", "struct", "subarray", "resized", "nested", "hvector"))
    if kind == "vector":
        made = base.Create_vector(s.draw.between(1, 5), s.draw.between(1, 3), s.draw.between(3, 6))
    elif kind == "hvector":
        made = base.Create_hvector(s.draw.between(1, 5), s.draw.between(1, 2), 24)
    elif kind == "indexed":
        made = base.Create_indexed([2, 0, 3], [7, 1, 0])
    elif kind == "struct":
        made = MPI.Datatype.Create_struct([1, 3], [0, 16], [MPI.INT32_T, base])
    elif kind == "subarray":
        made = base.Create_subarray([5, 6], [2, 3], [s.draw.below(3), s.draw.below(3)])
    elif kind == "resized":
        inner = base.Create_contiguous(2)
        made = inner.Create_resized(0, 40)
        inner.Free()
    else:
        inner = base.Create_vector(2, 1, 3)
        wide = inner.Create_resized(0, 64)
        made = wide.Create_contiguous(2)
        inner.Free()
        wide.Free()
    made.Commit()
    return made, 400


def typed(s: State) -> None:
    to, source = _ring(s)
    (sends, span), count = _types(s), s.draw.between(1, 3)
    sent, received = s.data(span * 4, dtype="u1"), np.zeros(span * 4, "u1")
    if s.draw.chance(0.5):
        request = s.comm.Irecv([received, count, sends], source, 3)
    else:  # packed bytes for the receiver
        request = s.comm.Irecv([received, count * sends.Get_size(), MPI.BYTE], source, 3)
    s.comm.Send([sent, count, sends], to, 3)
    status = MPI.Status()
    request.Wait(status)
    s.take(received, status.Get_count(MPI.BYTE), status.source, status.tag)
    packed = np.zeros(sends.Pack_size(count, s.comm), "u1")
    length = count * sends.Get_extent()[1]
    place = sends.Pack(sent[:length], packed, 0, s.comm)
    into = np.zeros_like(sent)
    sends.Unpack(packed, 0, into[:length], s.comm)
    s.take(into, place)
    sends.Free()


def anywhere(s: State) -> None:
    """Receive from any source; the data are put in the order of their senders."""
    target, count = s.draw.below(s.size), s.draw.count()
    way = s.draw.of(("Recv", "Probe", "Mprobe", "Improbe", "Iprobe"))
    tags = [s.draw.between(1, 4) for _ in range(s.size)]
    lengths = [(count + rank) % 4000 for rank in range(s.size)]
    comm = s.comm.Dup()  # messages of other steps must not match
    if s.rank != target:
        getattr(comm, s.draw.of(("Send", "Ssend")))(s.data(lengths[s.rank]), target, tags[s.rank])
    else:
        s.take(sorted(_received(comm, way)))
    comm.Free()


def _received(comm: MPI.Intracomm, way: str) -> list[tuple[int, int, int, bytes]]:
    """Receive a message from each other rank; return source, tag, length and data of each."""
    found = []
    status = MPI.Status()
    for _ in range(comm.size - 1):
        into = np.zeros(5000, "i8")
        if way == "Recv":
            comm.Recv(into, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
        elif way == "Probe":
            comm.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG, status)
            comm.Recv(into, status.source, status.tag, status)
        elif way == "Iprobe":
            while not comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG, status):
                pass
            comm.Recv(into, status.source, status.tag, status)
        else:
            message = None
            while message is None:
                message = getattr(comm, way)(MPI.ANY_SOURCE, MPI.ANY_TAG, status)
            message.Recv(into, status)
        found.append((status.source, status.tag, status.Get_count(MPI.LONG), into.tobytes()))
    return found


def exchanges(s: State) -> None:
    to, source = _ring(s)
    count = s.draw.count()
    sent, received = s.data(count), np.zeros(count, "i8")
    way = s.draw.of(("sendrecv", "replace", "isendrecv", "bsend", "nobody"))
    if way == "sendrecv":
        s.comm.Sendrecv(sent, to, 4, received, source, 4)
    elif way == "replace":
        s.comm.Sendrecv_replace(sent, to, 4, source, 4)
    elif way == "isendrecv":
        s.comm.Isendrecv(sent, to, 4, received, source, 4).Wait()
    elif way == "bsend":
        MPI.Attach_buffer(bytearray(8 * count + 4096))
        s.comm.Bsend(sent, to, 4)
        s.comm.Recv(received, source, 4)
        MPI.Detach_buffer()
    else:
        s.comm.Sendrecv(sent, MPI.PROC_NULL, 4, received, MPI.PROC_NULL, 4)
    s.take(sent, received)


def many(s: State) -> None:
    """Several messages between random pairs, completed in one way or another."""
    pairs = [(s.draw.below(s.size), s.draw.below(s.size), s.draw.count()) for _ in range(s.draw.between(3, 12))]
    ways = [s.draw.of(("Waitall", "Waitany", "Waitsome", "Testall", "Testany", "Testsome")) for _ in range(s.size)]
    late = [s.draw.chance(0.5) for _ in pairs]
    into, requests = [], []
    for tag, (source, target, count) in enumerate(pairs):
        if s.rank == target and not late[tag]:
            into.append(np.zeros(count, "i8"))
            requests.append(s.comm.Irecv(into[-1], source, tag))
    kept = []
    for tag, (source, target, count) in enumerate(pairs):
        if s.rank == source:
            kept.append(s.data(count, tag))
            requests.append(s.comm.Isend(kept[-1], target, tag))
        if s.rank == target and late[tag]:
            into.append(np.zeros(count, "i8"))
            requests.append(s.comm.Irecv(into[-1], source, tag))
    _complete(requests, ways[s.rank])
    s.take(*into)


def _complete(requests: list[MPI.Request], way: str) -> None:
    if way == "Waitall":
        MPI.Request.Waitall(requests)
    elif way == "Waitany":
        while MPI.Request.Waitany(requests) != MPI.UNDEFINED:
            pass
    elif way == "Waitsome":
        while MPI.Request.Waitsome(requests) is not None:
            pass
    elif way == "Testall":
        while not MPI.Request.Testall(requests):
            pass
    elif way == "Testany":
        while MPI.Request.Testany(requests) != (MPI.UNDEFINED, True):
            pass
    else:
        while MPI.Request.Testsome(requests) is not None:
            pass


def cancelled(s: State) -> None:
    """Cancel a receive for which no message comes, and receive one that does."""
    to, source = _ring(s)
    never, received = np.zeros(3, "i8"), np.zeros(3, "i8")
    lost = s.comm.Irecv(never, source, 77)
    wanted = s.comm.Irecv(received, source, 5)
    s.comm.Send(s.data(3), to, 5)
    wanted.Wait()
    lost.Cancel()
    status = MPI.Status()
    lost.Wait(status)
    s.take(never, received, status.Is_cancelled())


def pickled(s: State) -> None:
    to, source = _ring(s)
    root = s.draw.below(s.size)
    thing = {"rank": s.rank, "list": list(range(s.draw.below(2000))), "text": "é" * (s.rank + 1)}
    way = s.draw.of(("ring", "bcast", "gather", "scatter", "allgather", "alltoall", "allreduce", "scan", "mprobe"))
    if way == "ring":
        request = s.comm.isend(thing, to, 6)
        s.take(s.comm.recv(source=source, tag=6))
        request.wait()
    elif way == "mprobe":
        request = s.comm.issend(thing, to, 6)
        s.take(s.comm.mprobe(source, 6).recv())
        request.wait()
    elif way == "bcast":
        s.take(s.comm.bcast(thing if s.rank == root else None, root))
    elif way == "gather":
        s.take(s.comm.gather(thing, root))
    elif way == "scatter":
        s.take(s.comm.scatter([(thing["list"], i) for i in range(s.size)] if s.rank == root else None, root))
    elif way in ("allgather", "alltoall"):
        s.take(getattr(s.comm, way)(thing if way == "allgather" else [(s.rank, i) for i in range(s.size)]))
    else:
        s.take(getattr(s.comm, way)((s.rank, "x"), op=MPI.SUM))


STEPS = (persistent, partitioned, typed, typed, anywhere, exchanges, many, cancelled, pickled)
