"""Split a loop over ranks with dlp_mpi, managed by rank 0 and round robin, as in its README."""

import dlp_mpi

examples = list(range(10))
managed = [example * 2 for example in dlp_mpi.split_managed(examples, progress_bar=False)]
fixed = [example * 3 for example in dlp_mpi.split_round_robin(examples)]
managed, fixed = dlp_mpi.gather(managed), dlp_mpi.gather(fixed)
if dlp_mpi.IS_MASTER:
    print(sorted(x for part in managed for x in part), sum(x for part in fixed for x in part))
print(dlp_mpi.RANK, dlp_mpi.bcast("hello"))
