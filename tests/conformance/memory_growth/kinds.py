"""Kinds of calls, each as a function that prepares objects and returns a function that makes the calls once.

All ranks make the calls together. Whatever is made is freed again, so that memory in use must not grow.
"""

import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["KINDS", "SLOW"]

Once = Callable[[], object]
Kind = Callable[[Any, Any], Once]

KINDS: dict[str, Kind] = {}
SLOW = {"spawn"}  # kinds that start ranks


def _kind(function: Kind) -> Kind:
    KINDS[function.__name__.strip("_").replace("_", " ")] = function
    return function


def _ends(comm: Any) -> tuple[int, int]:
    return (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size


@_kind
def _blocking(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        for send in (c.Send, c.Ssend):
            if c.rank % 2 == 0:
                send(a, right)
                c.Recv(b, left)
            else:
                c.Recv(b, left)
                send(a, right)
        c.Sendrecv(a, right, 0, b, left, 0)
        c.Sendrecv_replace(a, right, 0, left, 0)

    return once


@_kind
def _long_messages(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(20_000), np.zeros(20_000), _ends(c)
    strided = MPI.DOUBLE.Create_vector(10_000, 1, 2).Commit()

    def once() -> None:
        MPI.Request.Waitall([c.Isend(a, right), c.Irecv(b, left)])
        MPI.Request.Waitall([c.Isend([a, 1, strided], right), c.Irecv([b, 1, strided], left)])

    return once


@_kind
def _nonblocking(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        for send in (c.Isend, c.Issend):
            MPI.Request.Waitall([c.Irecv(b, left), send(a, right)])
        requests = [c.Irecv(b, left), c.Isend(a, right)]
        while MPI.Request.Waitany(requests) != MPI.UNDEFINED:
            pass
        requests = [c.Irecv(b, left), c.Isend(a, right)]
        while MPI.Request.Waitsome(requests):
            pass
        requests = [c.Irecv(b, left), c.Isend(a, right)]
        while not MPI.Request.Testall(requests):
            pass
        c.Isendrecv(a, right, 0, b, left, 0).Wait()
        c.Isendrecv_replace(a, right, 0, left, 0).Wait()

    return once


@_kind
def _buffered(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        MPI.Attach_buffer(bytearray(1000))
        c.Bsend(a, right)
        c.Recv(b, left)
        c.Ibsend(a, right).Wait()
        c.Recv(b, left)
        MPI.Detach_buffer()

    return once


@_kind
def _persistent(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)
    kept = [c.Send_init(a, right), c.Recv_init(b, left)]

    def once() -> None:
        MPI.Prequest.Startall(kept)
        MPI.Request.Waitall(kept)
        fresh = [c.Ssend_init(a, right), c.Recv_init(b, left)]
        MPI.Prequest.Startall(fresh)
        MPI.Request.Waitall(fresh)
        for request in fresh:
            request.Free()

    return once


@_kind
def _partitioned(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        requests = [c.Psend_init(a, 2, right), c.Precv_init(b, 2, left, 0)]
        for _ in range(2):
            MPI.Prequest.Startall(requests)
            requests[0].Pready(1)
            requests[0].Pready(0)
            requests[1].Parrived(0)
            MPI.Request.Waitall(requests)
        for request in requests:
            request.Free()

    return once


@_kind
def _probes(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        sends = [c.Isend(a, right) for _ in range(4)]
        c.Probe(left)
        c.Recv(b, left)
        while not c.Iprobe(left):
            pass
        c.Recv(b, left)
        c.Mprobe(left).Recv(b)
        c.Mprobe(MPI.ANY_SOURCE).Irecv(b).Wait()
        MPI.Request.Waitall(sends)

    return once


@_kind
def _cancelled(MPI: Any, c: Any) -> Once:
    b = np.zeros(4)

    def once() -> None:
        request = c.Irecv(b, c.rank, 5)
        request.Cancel()
        request.Wait()
        request = c.Issend(b, c.rank, 6)
        request.Cancel()
        request.Wait()

    return once


@_kind
def _freed_requests(MPI: Any, c: Any) -> Once:
    a, b, (right, left) = np.zeros(4), np.zeros(4), _ends(c)

    def once() -> None:
        c.Isend(a, right).Free()
        c.Recv(b, left)
        c.Irecv(b, left).Free()
        c.Send(a, right)
        c.Barrier()

    return once


@_kind
def _generalized_requests(MPI: Any, c: Any) -> Once:
    def once() -> None:
        request = MPI.Grequest.Start(lambda status: None, lambda: None, lambda done: None)
        request.Complete()
        request.Wait()

    return once


@_kind
def _errors(MPI: Any, c: Any) -> Once:
    a, b = np.zeros(4), np.zeros(4)

    def once(times: int = 1) -> None:
        for call in times * (
            lambda: c.Send(a, 99),
            lambda: c.Bcast(a, 99),
            MPI.GROUP_NULL.Get_size,
            lambda: MPI.Request.Waitall([c.Isend(a, c.rank), c.Irecv(b[:1], c.rank)]),
            lambda: MPI.File.Open(MPI.COMM_SELF, "/nonexistent/file"),
            lambda: MPI.DOUBLE.Create_contiguous(-1),
        ):
            try:
                call()
            except MPI.Exception:
                continue
            raise AssertionError

    once(1000)  # the texts of the last 4,096 errors are kept
    return once


def _collective(name: str, prepare: Callable[[Any, Any], tuple[Any, ...]]) -> None:
    def kind(MPI: Any, c: Any) -> Once:
        comm = c.Create_cart([c.size], [True]) if name.startswith("Neighbor") else c
        arguments = prepare(MPI, comm)
        kept = getattr(comm, name + "_init")(*arguments)

        def once() -> None:
            getattr(comm, name)(*arguments)
            getattr(comm, "I" + name.lower())(*arguments).Wait()
            kept.Start()
            kept.Wait()
            request = getattr(comm, name + "_init")(*arguments)
            request.Start()
            request.Wait()
            request.Free()

        return once

    KINDS[name.replace("_", " ").lower()] = kind


_A, _B = np.zeros(64), np.ones(64)


def _blocks(MPI: Any, c: Any, array: Any) -> list[Any]:
    blocks = max(c.size, 2)  # a ring of one rank has two neighbours
    return [array, [2] * blocks, [2 * i for i in range(blocks)], MPI.DOUBLE]


def _types(MPI: Any, c: Any, array: Any) -> list[Any]:
    ranks = max(c.size, 2)
    return [array, [2] * ranks, [16 * i for i in range(ranks)], [MPI.DOUBLE] * ranks]


_collective("Barrier", lambda MPI, c: ())
_collective("Bcast", lambda MPI, c: ([_A, 4, MPI.DOUBLE],))
_collective("Reduce", lambda MPI, c: (_A, _B))
_collective("Allreduce", lambda MPI, c: (_A, _B))
_collective("Scan", lambda MPI, c: (_A, _B))
_collective("Exscan", lambda MPI, c: (_A, _B))
_collective("Reduce_scatter_block", lambda MPI, c: (_A[: 2 * c.size], _B[:2]))
_collective("Reduce_scatter", lambda MPI, c: (_A[: 2 * c.size], _B[:2], [2] * c.size))
for _name in ("Gather", "Scatter", "Allgather", "Alltoall", "Neighbor_allgather", "Neighbor_alltoall"):
    _collective(_name, lambda MPI, c: ([_A, 2, MPI.DOUBLE], [_B, 2, MPI.DOUBLE]))
for _name in ("Gatherv", "Allgatherv", "Neighbor_allgatherv"):
    _collective(_name, lambda MPI, c: ([_A, 2, MPI.DOUBLE], _blocks(MPI, c, _B)))
_collective("Scatterv", lambda MPI, c: (_blocks(MPI, c, _A), [_B, 2, MPI.DOUBLE]))
for _name in ("Alltoallv", "Neighbor_alltoallv"):
    _collective(_name, lambda MPI, c: (_blocks(MPI, c, _A), _blocks(MPI, c, _B)))
for _name in ("Alltoallw", "Neighbor_alltoallw"):
    _collective(_name, lambda MPI, c: (_types(MPI, c, _A), _types(MPI, c, _B)))


@_kind
def _pickled(MPI: Any, c: Any) -> Once:
    (right, left), thing = _ends(c), {"key": [1, 2.5, "text"]}

    def once() -> None:
        request = c.isend(thing, right)
        c.recv(source=left)
        request.wait()
        request = c.irecv(source=left)
        c.send(thing, right)
        request.wait()
        c.sendrecv(thing, right, source=left)
        c.bcast(thing)
        c.gather(thing)
        c.scatter([thing] * c.size)
        c.allgather(thing)
        c.alltoall([thing] * c.size)
        for reduction in (c.reduce, c.allreduce, c.scan, c.exscan):
            reduction([1])

    return once


@_kind
def _communicators(MPI: Any, c: Any) -> Once:
    group = c.Get_group()

    def once() -> None:
        c.Dup().Free()
        fresh, request = c.Idup()
        request.Wait()
        fresh.Free()
        c.Split(c.rank % 2).Free()
        c.Split_type(MPI.COMM_TYPE_SHARED).Free()
        c.Create(group).Free()
        c.Create_group(group).Free()
        MPI.Intracomm.Create_from_group(group, "growth").Free()
        named = c.Dup()
        named.Set_name("name")
        named.Get_name()
        named.Free()

    return once


@_kind
def _intercommunicators(MPI: Any, c: Any) -> Once:
    half = c.Split(c.rank % 2)

    def once() -> None:
        inter = half.Create_intercomm(0, c, 1 - c.rank % 2, 3)
        inter.Merge().Free()
        inter.Dup().Free()
        inter.Barrier()
        inter.Free()

    return once


@_kind
def _topologies(MPI: Any, c: Any) -> Once:
    right, left = _ends(c)

    def once() -> None:
        cart = c.Create_cart([c.size, 1], [True, False])
        cart.Shift(0, 1)
        cart.Get_coords(0)
        cart.Sub([True, False]).Free()
        cart.Dup().Free()
        cart.Free()
        c.Create_graph([1 + i for i in range(c.size)], [0] * c.size).Free()
        c.Create_dist_graph_adjacent([left], [right]).Free()
        c.Create_dist_graph([c.rank], [1], [right]).Free()
        MPI.Compute_dims(12, 2)

    return once


@_kind
def _groups(MPI: Any, c: Any) -> Once:
    whole = c.Get_group()

    def once() -> None:
        made = [c.Get_group(), whole.Dup(), whole.Incl([0]), whole.Excl([0]), whole.Range_incl([(0, c.size - 1, 1)]),
                whole.Range_excl([(0, 0, 1)])]  # fmt: skip
        made += [function(whole, made[2]) for function in
                 (MPI.Group.Union, MPI.Group.Intersection, MPI.Group.Difference)]  # fmt: skip
        MPI.Group.Compare(whole, made[0])
        whole.Translate_ranks([0], made[2])
        for group in made:
            group.Free()

    return once


@_kind
def _datatypes(MPI: Any, c: Any) -> Once:
    D = MPI.DOUBLE
    buffer, array = bytearray(1000), np.zeros(64)

    def once() -> None:
        made = [
            D.Create_contiguous(3), D.Create_vector(3, 1, 2), D.Create_hvector(3, 1, 16),
            D.Create_indexed([1, 2], [0, 4]), D.Create_hindexed([1, 2], [0, 64]),
            D.Create_indexed_block(2, [0, 4]), D.Create_hindexed_block(2, [0, 64]),
            MPI.Datatype.Create_struct([1, 2], [0, 16], [D, MPI.INT]),
            D.Create_subarray([4, 4], [2, 2], [1, 1]),
            D.Create_darray(1, 0, [4], [MPI.DISTRIBUTE_BLOCK], [MPI.DISTRIBUTE_DFLT_DARG], [1]),
            D.Create_resized(0, 32),
        ]  # fmt: skip
        made += [each.Dup() for each in made] + [each.Create_contiguous(2) for each in made]
        MPI.Datatype.Create_f90_real(6, 30)
        for each in made:
            each.Commit()
            each.Get_envelope()
            for inner in each.Get_contents()[-1]:
                if not inner.is_predefined:
                    inner.Free()
        vector = made[1]
        vector.Set_name("name")
        D.Pack(array, buffer, 0, c)
        D.Unpack(buffer, 0, array, c)
        D.Pack_external("external32", array, buffer, 0)
        for each in made:
            each.Free()

    return once


@_kind
def _attributes(MPI: Any, c: Any) -> Once:
    def once() -> None:
        twin = c.Dup()
        window = MPI.Win.Create_dynamic(comm=c)
        datatype = MPI.DOUBLE.Dup()
        for thing in (twin, window, datatype):
            key = type(thing).Create_keyval(lambda *given: given[-1], lambda *given: None)
            thing.Set_attr(key, [1])
            thing.Get_attr(key)
            thing.Set_attr(key, [2])
            if thing is twin:
                thing.Dup().Free()
            thing.Delete_attr(key)
            thing.Set_attr(key, [3])
            type(thing).Free_keyval(key)
            thing.Free()

    return once


@_kind
def _infos(MPI: Any, c: Any) -> Once:
    def once() -> None:
        info = MPI.Info.Create({"a": "1"})
        info.Set("b", "2")
        info.Get("b")
        info.Delete("a")
        twin = info.Dup()
        c.Set_info(info)
        c.Get_info().Free()
        twin.Free()
        info.Free()

    return once


@_kind
def _error_handlers(MPI: Any, c: Any) -> Once:
    handler = MPI.Comm.Create_errhandler(lambda comm, code: None)  # mpi4py allows 32, and never takes one back

    def once() -> None:
        twin = c.Dup()
        twin.Set_errhandler(handler)
        twin.Get_errhandler().Free()
        twin.Call_errhandler(MPI.ERR_OTHER)
        twin.Free()
        number = MPI.Add_error_class()
        code = MPI.Add_error_code(number)
        MPI.Add_error_string(code, "text")
        MPI.Remove_error_string(code)
        MPI.Remove_error_code(code)
        MPI.Remove_error_class(number)

    return once


@_kind
def _operations(MPI: Any, c: Any) -> Once:
    a, b = np.zeros(4), np.zeros(4)

    def once() -> None:
        operation = MPI.Op.Create(lambda x, y, datatype: None, commute=True)
        c.Allreduce(a, b, operation)
        operation.Reduce_local(a, b)
        operation.Free()

    return once


@_kind
def _sessions(MPI: Any, c: Any) -> Once:
    def once() -> None:
        session = MPI.Session.Init()
        session.Get_num_psets()
        group = session.Create_group("mpi://WORLD")
        comm = MPI.Intracomm.Create_from_group(group, "growth")
        comm.Barrier()
        comm.Free()
        group.Free()
        session.Get_info().Free()
        session.Finalize()

    return once


@_kind
def _memory(MPI: Any, c: Any) -> Once:
    def once() -> None:
        MPI.Free_mem(MPI.Alloc_mem(100))
        c.Attach_buffer(bytearray(200))
        c.Detach_buffer()
        MPI.Close_port(MPI.Open_port())

    return once


@_kind
def _windows(MPI: Any, c: Any) -> Once:
    array = np.zeros(8)

    host = c.Split_type(MPI.COMM_TYPE_SHARED)

    def once() -> None:
        for window in (
            MPI.Win.Create(array, 8, comm=c),
            MPI.Win.Allocate(64, 8, comm=c),
            MPI.Win.Allocate_shared(64, 8, comm=host),
        ):
            window.Set_name("name")
            window.Get_group().Free()
            window.Fence()
            window.Free()
        window = MPI.Win.Create_dynamic(comm=c)
        window.Attach(array)
        window.Detach(array)
        window.Free()

    return once


def _accesses(name: str, open_epoch: Callable[..., None], close_epoch: Callable[..., None]) -> None:
    def kind(MPI: Any, c: Any) -> Once:
        window, a, b, (right, left) = MPI.Win.Allocate(64, 8, comm=c), np.zeros(2), np.zeros(2), _ends(c)
        i, j = np.zeros(1, "i8"), np.zeros(1, "i8")
        to, of = c.Get_group().Incl([right]), c.Get_group().Incl([left])

        def once() -> None:
            open_epoch(MPI, window, right, to, of)
            window.Put(a, right)
            window.Get(b, right)
            window.Accumulate(a, right)
            window.Get_accumulate(a, b, right)
            window.Fetch_and_op(a[:1], b[:1], right)
            window.Compare_and_swap(i, i, j, right)
            if "lock" in name:
                MPI.Request.Waitall([window.Rput(a, right), window.Rget(b, right), window.Raccumulate(a, right)])
                window.Flush(right)
                window.Flush_local(right)
            close_epoch(window, right)

        return once

    KINDS[name] = kind


def _post_and_start(MPI: Any, window: Any, right: int, to: Any, of: Any) -> None:
    window.Post(of)
    window.Start(to)


def _complete_and_wait(window: Any, right: int) -> None:
    window.Complete()
    window.Wait()


_accesses("fence", lambda MPI, window, *_: window.Fence(), lambda window, _: window.Fence())
_accesses("lock", lambda MPI, window, right, *_: window.Lock(right), lambda window, right: window.Unlock(right))
_accesses("lock all", lambda MPI, window, *_: window.Lock_all(), lambda window, _: window.Unlock_all())
_accesses("post and start", _post_and_start, _complete_and_wait)


@_kind
def _files(MPI: Any, c: Any) -> Once:
    path = str(pathlib.Path(tempfile.gettempdir()) / "growth.bin")
    a, b = np.zeros(4), np.zeros(4)

    def once() -> None:
        file = MPI.File.Open(c, path, MPI.MODE_CREATE | MPI.MODE_RDWR)
        filetype = MPI.DOUBLE.Create_resized(0, 16).Commit()
        file.Set_view(0, MPI.DOUBLE, filetype)
        filetype.Free()
        file.Write_at(0, a)
        file.Read_at(0, b)
        file.Seek(0)
        file.Write(a)
        file.Write_all(a)
        file.Read_at_all(0, b)
        file.Iwrite_at(0, a).Wait()
        file.Iread_at(0, b).Wait()
        file.Write_shared(a)
        file.Write_ordered(a)
        file.Write_all_begin(a)
        file.Write_all_end(a)
        file.Set_size(64)
        file.Get_info().Free()
        file.Close()

    return once


@_kind
def _connect(MPI: Any, c: Any) -> Once:
    half = c.Split(c.rank % 2)

    def once() -> None:
        if c.rank == 0:
            port = MPI.Open_port()
            MPI.Publish_name("growth", port)
        c.Barrier()
        name = MPI.Lookup_name("growth")
        inter = half.Accept(name) if c.rank % 2 == 0 else half.Connect(name)
        inter.Disconnect()
        c.Barrier()
        if c.rank == 0:
            MPI.Unpublish_name("growth", port)
            MPI.Close_port(port)

    return once


_CHILD = "from mpi4py import MPI; MPI.Comm.Get_parent().Disconnect()"


@_kind
def _spawn(MPI: Any, c: Any) -> Once:
    import sys

    def once() -> None:
        c.Spawn(sys.executable, ["-c", _CHILD], maxprocs=1).Disconnect()

    return once
