/* Choice of collective algorithms (pysmpi/simulation/collectives). Operations are identified by the names of their
 * options
 * ("allreduce"). */
#ifndef PYSMPI_COLLECTIVES_C_API_H
#define PYSMPI_COLLECTIVES_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Let the selector with this name choose the algorithms of all operations. Returns -1 if the name is unknown. */
int32_t pysmpi_choose_selector(const char* name);

/* Set the algorithm of the operation, or the selector that chooses it. Returns -1 if the name is unknown. */
int32_t pysmpi_choose_algorithm(const char* operation, const char* name);

/* Return whether the operation has run since its algorithm was chosen, either called by a program or as a part of
 * another collective. */
int32_t pysmpi_choice_is_used(const char* operation);

/* Return the name of the operation, selector or algorithm with this index, or the text on the fallback with this index.
 * Indices count from 0; the result is null after the last one. */
const char* pysmpi_operation_name(int32_t index);
const char* pysmpi_selector_name(int32_t index);
const char* pysmpi_algorithm_name(const char* operation, int32_t index);
const char* pysmpi_fallback(int32_t index); /* algorithms replaced by others since the selector was chosen */

/* Return a property of an algorithm, which must exist: which ranks communicate, number of consecutive messages, bytes
 * sent by the busiest rank. */
const char* pysmpi_algorithm_shape(const char* operation, int32_t index);
const char* pysmpi_algorithm_rounds(const char* operation, int32_t index);
const char* pysmpi_algorithm_traffic(const char* operation, int32_t index);

/* MPICH's decision trees (collectives/selectors/decision_tree.hpp), by operation and level: 0 (device) for algorithms
 * that consider nodes, 1 (flat) for algorithms that do not, 2 (nonblocking) for nonblocking and persistent collectives.
 * pysmpi_decision_clear begins a tree, which a library reads: 0 for MPICH 4, 1 for MPICH 5, 2 for Intel MPI, which
 * derives from MPICH. Its nodes are first added one by one, beginning with the root; pysmpi_decision_join then connects
 * them. Functions with a result return -1 if the operation, condition or algorithm is unknown. */
int32_t pysmpi_decision_add(int32_t level, const char* operation, const char* condition, int32_t wanted, int64_t value);
int32_t pysmpi_decision_end(int32_t level, const char* operation, const char* algorithm, int32_t parameter);
void pysmpi_decision_join(int32_t level, const char* operation, int32_t node, int32_t then, int32_t otherwise);
void pysmpi_decision_clear(int32_t level, const char* operation, int32_t library);

/* Return the name of the condition or algorithm with this index. Indices count from 0; the result is null after the
 * last one. */
const char* pysmpi_decision_condition(int32_t index);
const char* pysmpi_decision_algorithm(int32_t level, const char* operation, int32_t index);

/* Set the function that the selector `best` (collectives/selectors/best.cpp) calls. The function returns the index of
 * the best algorithm in the list of the operation's algorithms, for these world ranks, or -1 if none is known. */
void pysmpi_set_best_hook(int32_t (*hook)(const char* operation, int32_t ranks, const int32_t* world_ranks,
                                          int64_t bytes, int32_t* parameter));
/* Return the number of calls that used answer `number` of the function set by pysmpi_set_best_hook. Its answers are
 * numbered from 0 in the order in which it gave them. */
int64_t pysmpi_best_calls(int32_t number);

/* Record that the running rank's program calls the MPI function that is under way in Python, which is collective over
 * the communicator. If `waits` is true, the function waits for the other ranks; their calls are compared with this one,
 * and if they differ, the communicator's error handler is called. Returns an MPI error code. */
int32_t pysmpi_enter_call(int32_t communicator, int32_t waits);

/* Send `bytes` bytes without contents from each rank to the first one, all at once, whatever algorithm is chosen for
 * gathers. Returns an MPI error code. */
int32_t pysmpi_gather_linearly(int32_t communicator, int64_t bytes);

/* Send `bytes` bytes without contents from each rank to all, by the algorithm that is chosen for allgathers. Long
 * results lie in folded memory, since a result for each of many ranks would fill the memory. Returns an MPI error code.
 */
int32_t pysmpi_allgather_nothing(int32_t communicator, int64_t bytes);

/* Send a message of `bytes` bytes without contents from the running rank to other ranks, after the last blocking
 * collective of the communicator. Receivers are served group after group in the order of `ranks`, skipping the sender.
 * Each receiver calls pysmpi_await_answer. Both functions return an MPI error code. */
int32_t pysmpi_answer(int32_t communicator, int64_t bytes, int32_t groups, const int32_t* sizes, const int32_t* ranks);
int32_t pysmpi_await_answer(int32_t communicator, int64_t bytes, int32_t from);

/* Let the ranks of a communicator agree on the context of a new one as in Open MPI, by allreduces of an integer, one
 * after the other. If `uses_tree` is true, they use a binary tree instead of the library's schedule. Returns an MPI
 * error code. */
int32_t pysmpi_agree_on_context(int32_t communicator, int32_t allreduces, int32_t uses_tree);
/* Start three such allreduces, and set `request` to the handle of their request. Returns an MPI error code. */
int32_t pysmpi_begin_agreement(int32_t communicator, int32_t* request);

/* bindings: extern "Python" */
int32_t py_best_algorithm(const char* operation, int32_t ranks, const int32_t* world_ranks, int64_t bytes,
                          int32_t* parameter);
/* bindings: end */

#ifdef __cplusplus
}  // extern C
#endif

#endif
