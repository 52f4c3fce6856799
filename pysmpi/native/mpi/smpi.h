/* Functions and macros of SimGrid's header smpi/smpi.h, for programs that were written for SMPI. pysmpicc finds this
 * file as smpi/smpi.h. Under a real MPI, SMPI's programs do without it. */
#ifndef PYSMPI_SMPI_H
#define PYSMPI_SMPI_H

/* Programs for SMPI rely on it that its header includes these. */
#include <getopt.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Add computation: an amount in flops; in seconds of this machine, which are scaled as measured computation is
 * (smpi/host-speed); or in seconds of the simulated host (the last function). */
void smpi_execute_flops(double flops);
void smpi_execute_flops_benched(double flops);
void smpi_execute(double seconds);
void smpi_execute_benched(double seconds);

/* Parts of a sampled loop. */
int smpi_sample_cond(int global, const char* place, const char* tag, int iterations, double threshold);
int smpi_sample_runs(void);
void smpi_sample_iter(void);
int smpi_sample_exit(void);

/* Allocate memory of which all ranks share a few pages, because its contents do not matter. In a partial one, the parts
 * [offsets[0], offsets[1]), [offsets[2], offsets[3]), ... are shared. */
void* smpi_shared_malloc(size_t size, const char* file, int line);
void* smpi_shared_malloc_partial(size_t size, const size_t* shared_block_offsets, int nb_shared_blocks);
void smpi_shared_free(void* data);

/* Results of functions that ranks share (SMPI_SHARED_CALL). */
int smpi_shared_known_call(const char* function, const char* input);
void* smpi_shared_get_call(const char* function, const char* input);
void* smpi_shared_set_call(const char* function, const char* input, void* result);

#ifdef __cplusplus
}
#endif

#define PYSMPI_TEXT_OF(text) #text
#define PYSMPI_TEXT(text) PYSMPI_TEXT_OF(text)
#define PYSMPI_PLACE __FILE__ ":" PYSMPI_TEXT(__LINE__)

/* A loop of which `iters` iterations at most are run and timed: fewer if the relative standard error of their mean is
 * below `thres`. All iterations take the mean. LOCAL: each rank measures for itself; GLOBAL: all together. */
#define PYSMPI_SAMPLED_LOOP(begin, condition, step, global, iters, thres, tag)                                      \
  for (begin; (condition) ? smpi_sample_cond((global), PYSMPI_PLACE, (tag), (iters), (thres)) : smpi_sample_exit(); \
       smpi_sample_iter(), (step))                                                                                  \
    if (!smpi_sample_runs()) {                                                                                      \
    } else
#define SMPI_SAMPLE_LOCAL(loop_init, loop_end, loop_iter, iters, thres) \
  PYSMPI_SAMPLED_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, "")
#define SMPI_SAMPLE_LOCAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag) \
  PYSMPI_SAMPLED_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, tag)
#define SMPI_SAMPLE_GLOBAL(loop_init, loop_end, loop_iter, iters, thres) \
  PYSMPI_SAMPLED_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, "")
#define SMPI_SAMPLE_GLOBAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag) \
  PYSMPI_SAMPLED_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, tag)

/* A block that does not run, and takes seconds of this machine or an amount in flops. */
#define SMPI_SAMPLE_DELAY(duration) for (smpi_execute(duration); 0;)
#define SMPI_SAMPLE_FLOPS(flops) for (smpi_execute_flops(flops); 0;)

#define SMPI_SHARED_MALLOC(size) smpi_shared_malloc((size), __FILE__, __LINE__)
#define SMPI_PARTIAL_SHARED_MALLOC(size, shared_block_offsets, nb_shared_blocks) \
  smpi_shared_malloc_partial((size), (shared_block_offsets), (nb_shared_blocks))
#define SMPI_SHARED_FREE(data) smpi_shared_free(data)

/* Call a function that returns an address, and return the same address for later calls of the function with this input,
 * by any rank. */
#define SMPI_SHARED_CALL(func, input, ...)                                       \
  (smpi_shared_known_call(#func, (input)) ? smpi_shared_get_call(#func, (input)) \
                                          : smpi_shared_set_call(#func, (input), ((func)(__VA_ARGS__))))

#endif
