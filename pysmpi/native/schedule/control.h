/* Collective exchanges that the Python side of MPI needs for itself. */
#ifndef PYSMPI_SCHEDULE_CONTROL_H
#define PYSMPI_SCHEDULE_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of the running rank, to make communicators and the like: `count` integers of each member of the communicator, in rank
   order, in all[size * count]. Blocks; the simulated cost is that of SMPI's MPI_Comm_split: a gather of 4-byte integers
   at rank 0, then a short message to each other rank. Returns an MPI error code. */
int pysmpi_allgather_integers(int communicator, const long long* mine, int count, long long* all);

/* Forgets what the ranks of a simulation that ends were about. */
void pysmpi_end_collectives(void);

#ifdef __cplusplus
} // extern C
#endif

#endif
