"""Small programs whose messages are counted under a real library and under pysmpi."""

from typing import Any

import numpy as np
from mpi4py import MPI


def sends(world: Any) -> None:
    """All kinds of sends to the next rank, with and without data, and to no rank."""
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    data, room = np.arange(50.0), np.zeros(20_000)
    MPI.Attach_buffer(bytearray(2000 + MPI.BSEND_OVERHEAD))
    for start in (world.Isend, world.Ibsend, world.Issend):
        request = start(data, right)
        world.Recv(room, left)
        request.Wait()
    received = world.Irecv(room, left)
    world.Barrier()
    world.Irsend(data, right).Wait()
    received.Wait()
    MPI.Detach_buffer()
    long = world.Isend(np.zeros(20_000), right)
    empty = world.Isend(b"", right)
    world.Recv(room, left)
    world.Recv(room, left)
    MPI.Request.Waitall([long, empty])
    world.Send(data, MPI.PROC_NULL)
    world.Sendrecv(data, MPI.PROC_NULL, recvbuf=room, source=MPI.PROC_NULL)


def to_itself(world: Any) -> None:
    """Messages of a rank to itself."""
    data, room = np.arange(40.0), np.zeros(40)
    world.Sendrecv(data, world.rank, recvbuf=room, source=world.rank)
    world.Sendrecv_replace(room, world.rank, source=world.rank)
    received = world.Irecv(room, world.rank)
    world.Send(data, world.rank)
    received.Wait()
    MPI.COMM_SELF.Sendrecv(data, 0, recvbuf=room, source=0)
    MPI.COMM_SELF.Allreduce(data, room)
    MPI.COMM_SELF.Alltoall(data, room)
    MPI.COMM_SELF.Alltoallv([data, [40]], [room, [40]])


def both_ways(world: Any) -> None:
    """Combined sends and receives, blocking and not."""
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    data, room = np.arange(30.0), np.zeros(30)
    world.Sendrecv(data, right, recvbuf=room, source=left)
    world.Sendrecv_replace(data, left, source=right)
    world.Isendrecv(data, right, recvbuf=room, source=left).Wait()
    world.Isendrecv_replace(data, right, source=left).Wait()


def probes(world: Any) -> None:
    """Messages that are probed for, matched, or cancelled receives."""
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    request = world.Isend(np.arange(12.0), right)
    world.Probe(left)
    world.Recv(np.zeros(12), left)
    request.Wait()
    request = world.Isend(np.arange(12.0), right)
    world.Mprobe(left).Recv(np.zeros(12))
    request.Wait()
    request = world.Irecv(np.zeros(3), left, tag=99)
    request.Cancel()
    request.Wait()


def objects(world: Any) -> None:
    """Python objects."""
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    value = {"rank": "x" * 100}
    world.sendrecv(value, right, source=left)
    world.bcast(value, root=1)
    world.gather(value, root=0)
    world.scatter([value] * world.size if world.rank == 0 else None, root=0)
    world.allgather(value)
    world.alltoall([value] * world.size)
    world.reduce(7, root=1)
    world.allreduce(7)
    world.allreduce((7, world.rank), op=MPI.MINLOC)
    world.scan(7)
    world.exscan(7)
    world.barrier()


def datatypes(world: Any) -> None:
    """Derived datatypes: columns, and structures with gaps."""
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    matrix, room = np.zeros((12, 10)), np.zeros((12, 10))
    column = MPI.DOUBLE.Create_vector(12, 1, 10).Create_resized(0, 8).Commit()
    world.Sendrecv([matrix, 3, column], right, recvbuf=[room, 3, column], source=left)
    world.Bcast([matrix, 2, column], root=0)
    world.Gather([matrix, 1, column], [np.zeros(12 * world.size), 12, MPI.DOUBLE], root=0)
    column.Free()


def collectives(world: Any) -> None:
    """Blocking, nonblocking and persistent collectives, some in flight at once."""
    size = world.size
    one, room, long = np.zeros(1), np.zeros(1), np.zeros(5000)
    whole = np.zeros(size)
    world.Allreduce(one, room)
    world.Allreduce(long, np.zeros(5000))
    world.Bcast(long, root=size - 1)
    world.Reduce(long, np.zeros(5000), root=0)
    world.Alltoall(whole, np.zeros(size))
    counts = [1] * size
    world.Alltoallv([whole, counts], [np.zeros(size), counts])
    world.Allgather(one, whole)
    world.Scan(one, room)
    world.Reduce_scatter(np.zeros(size), room, counts)
    requests = [world.Iallreduce(one, room), world.Ibcast(long, root=0), world.Ibarrier()]
    MPI.Request.Waitall(requests)
    request = world.Allreduce_init(one, room)
    for _ in range(2):
        request.Start()
        request.Wait()
    request.Free()


def to_itself_in_vectors(world: Any) -> None:
    """Vector exchanges with blocks only between a rank and itself, or only with others."""
    size, rank = world.size, world.rank
    own = [5 if other == rank else 0 for other in range(size)]
    others = [0 if other == rank else 5 for other in range(size)]
    data, room = np.zeros(5 * size), np.zeros(5 * size)
    for counts in (own, others):
        world.Alltoallv([data, counts], [room, counts])
        world.Ialltoallv([data, counts], [room, counts]).Wait()
    kinds = [MPI.DOUBLE] * size
    begins = [40 * other for other in range(size)]
    world.Alltoallw([data, own, begins, kinds], [room, own, begins, kinds])


def parts_of_the_world(world: Any) -> None:
    """Messages on communicators of some ranks, which count for their ranks in MPI_COMM_WORLD."""
    half = world.Split(world.rank % 2, -world.rank)
    back = world.Split(0, -world.rank)
    return_to = (half, back)
    for comm in return_to:
        right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
        comm.Sendrecv(np.zeros(9), right, recvbuf=np.zeros(9), source=left)
        comm.Allreduce(np.zeros(9), np.zeros(9))
        comm.Bcast(np.zeros(9), root=comm.size - 1)
    for comm in return_to:
        comm.Free()


def duplicate(world: Any) -> None:
    world.Dup().Free()


def duplicate_later(world: Any) -> None:
    comm, request = world.Idup()
    request.Wait()
    comm.Free()


def split(world: Any) -> None:
    world.Split(world.rank % 2).Free()


def split_by_node(world: Any) -> None:
    world.Split_type(MPI.COMM_TYPE_SHARED).Free()


def create(world: Any) -> None:
    comm = world.Create(world.group.Incl([0, 1]))
    if comm != MPI.COMM_NULL:
        comm.Free()


def create_from_group(world: Any) -> None:
    group = world.group.Incl([0, 1])
    if world.rank < 2:
        world.Create_group(group).Free()


def grid(world: Any) -> None:
    """Messages between neighbours in a grid, and its rows."""
    cart = world.Create_cart([world.size], [True])
    source, destination = cart.Shift(0, 1)
    cart.Sendrecv(np.zeros(9), destination, recvbuf=np.zeros(9), source=source)
    cart.Neighbor_alltoall(np.zeros(2), np.zeros(2))
    cart.Free()


def graph(world: Any) -> None:
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    info = MPI.Info.Create({"ompi_comm_coll_preference": "^monitoring"})  # see openmpi_calls.topology
    comm = world.Create_dist_graph_adjacent([left], [right], info=info)
    info.Free()
    comm.Neighbor_allgather(np.zeros(2), np.zeros(2))
    comm.Free()


PROGRAMS = (
    *(sends, to_itself, both_ways, probes, objects, datatypes, collectives, to_itself_in_vectors),
    *(parts_of_the_world, duplicate, duplicate_later, split, split_by_node, create, create_from_group),
    *(grid, graph),
)
