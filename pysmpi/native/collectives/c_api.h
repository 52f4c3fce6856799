/* Which algorithms carry out collectives (pysmpi/collectives). Operations have the names of their options
 * ("allreduce"). */
#ifndef PYSMPI_COLLECTIVES_C_API_H
#define PYSMPI_COLLECTIVES_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on this selector chooses the algorithms of all operations. -1 when there is none of that name. */
int32_t pysmpi_choose_selector(const char* name);

/* From now on this algorithm carries out the operation, or the one that this selector chooses. -1 when there is none
 * of that name. */
int32_t pysmpi_choose_algorithm(const char* operation, const char* name);

/* By number; null after the last. */
const char* pysmpi_operation_name(int32_t index);
const char* pysmpi_selector_name(int32_t index);
const char* pysmpi_algorithm_name(const char* operation, int32_t index);
const char* pysmpi_fallback(int32_t index); /* which algorithms have turned to others since the selector was chosen */

/* Of an algorithm that there is: who talks to whom, how many messages follow one another, bytes that the busiest rank
 * sends. */
const char* pysmpi_algorithm_shape(const char* operation, int32_t index);
const char* pysmpi_algorithm_rounds(const char* operation, int32_t index);
const char* pysmpi_algorithm_traffic(const char* operation, int32_t index);

/* MPICH's decision trees (collectives/selectors/decision_tree.hpp), by level (0: device, 1: flat) and operation. Nodes
 * are added from the root on, and joined; -1 when there is no such operation, condition or algorithm. */
int32_t pysmpi_decision_add(int32_t level, const char* operation, const char* condition, int32_t wanted, int64_t value);
int32_t pysmpi_decision_end(int32_t level, const char* operation, const char* algorithm, int32_t parameter);
void pysmpi_decision_join(int32_t level, const char* operation, int32_t node, int32_t then, int32_t otherwise);
void pysmpi_decision_clear(int32_t level, const char* operation);

/* By number; null after the last. */
const char* pysmpi_decision_condition(int32_t index);
const char* pysmpi_decision_algorithm(int32_t level, const char* operation, int32_t index);

/* The selector `best` (collectives/selectors/best.cpp) asks this for the number of the algorithm that carries out an
 * operation best among these world ranks, by its place in the catalogue; -1: none is known to be. */
void pysmpi_set_best_hook(int32_t (*hook)(const char* operation, int32_t ranks, const int32_t* world_ranks,
                                          int64_t bytes, int32_t* parameter));
void pysmpi_best_forget(void);
/* How often calls of the kind have been made that it has asked for as the one of this number. */
int64_t pysmpi_best_calls(int32_t number);

/* What one rank of a communicator tells others after a blocking collective, in messages of so many bytes that mean
 * nothing: group after group, in the order of `ranks`, and itself not; those that it tells each await it from there.
 * Both return an MPI error code. */
int32_t pysmpi_answer(int32_t communicator, int64_t bytes, int32_t groups, const int32_t* sizes, const int32_t* ranks);
int32_t pysmpi_await_answer(int32_t communicator, int64_t bytes, int32_t from);

/* bindings: extern "Python" */
int32_t py_best_algorithm(const char* operation, int32_t ranks, const int32_t* world_ranks, int64_t bytes,
                          int32_t* parameter);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
