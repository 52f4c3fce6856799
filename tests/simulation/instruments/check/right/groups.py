"""Groups with communicators, windows and files of their own, which make different calls at a time."""

# ranks: 5

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.rank
mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
bytes_ = bytearray(8)


def use(group: MPI.Intracomm, times: int, name: str) -> None:
    """Use objects of the group `times` times, so that their handles are used again by groups of other ranks."""
    file = MPI.File.Open(group, name, mode)
    window = MPI.Win.Allocate(8, comm=group)
    for _ in range(times):
        group.Barrier()
        file.Write_ordered(bytes_)
        file.Write_at_all(0, bytes_)
        window.Fence()
    file.Read_ordered(bytes_)
    file.Set_view(0)
    file.Iread_all(bytes_).Wait()
    window.Free()
    file.Close()
    group.allreduce(1)


for turn in range(3):
    for colour in (rank % 2, int(rank >= 2), 0, rank % 3):
        part = world.Split(colour, rank)
        use(part, 1 + colour * turn, f"{turn}{colour}.bin")
        part.Free()
use(MPI.COMM_SELF, rank, f"self{rank}.bin")

# Groups that are made without the others, and in another order than theirs.
everybody = world.Get_group()
low, high = everybody.Incl([0, 1]), everybody.Incl([2, 3, 4])
mine, tags = (low, (4, 7)) if rank < 2 else (high, (7, 4))
made = [world.Create_group(mine, tag) for tag in tags]
for number, group in enumerate(made if rank < 2 else reversed(made)):
    for _ in range(rank // 2 if rank < 2 else 2):
        group.Dup().Free()
    use(group, number + (rank < 2), f"made{rank < 2}{number}.bin")

# The two sides of an intercommunicator make different calls on their own communicators.
between = made[0].Create_intercomm(0, world, 2 if rank < 2 else 0)
if rank < 2:
    made[1].Barrier()
between.Barrier()
merged = between.Merge(rank < 2)
if rank >= 2:
    made[1].allgather(rank)
merged.Barrier()

session = MPI.Session.Init()
of_session = session.Create_group("mpi://WORLD")
whole = MPI.Intracomm.Create_from_group(of_session, "tag")
whole.Barrier()
for communicator in (whole, merged, between, *made):
    communicator.Free()
for group in (of_session, low, high, everybody):
    group.Free()
session.Finalize()
