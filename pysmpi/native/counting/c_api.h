/* Counts of what ranks do with NumPy: floating-point operations, and bytes of the operands of operations
 * (counting/operations.hpp). Python counts operations on folded arrays, which NumPy does not execute. */
#ifndef PYSMPI_COUNTING_C_API_H
#define PYSMPI_COUNTING_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of NumPy, as addresses of Python objects. `scalar_type` is the class of NumPy's scalars. `folded_type` is the
 * class of folded arrays, whose operations pass uncounted, and `functions` the module whose functions are counted.
 * `version` is the first number of NumPy's version, which decides the layout of element types. `count_product(name,
 * operands, result, flops)` is called for products and other operations on matrices, whose number of operations depends
 * on more than the size of the result; `flops` is the number of those that functions of BLAS and LAPACK made. With the
 * name "watch" it has to call pysmpi_forget_array when the operand is freed. */
typedef struct {
  void *array_type, *ufunc_type, *scalar_type, *folded_type, *functions, *count_product;
  int32_t version;
} pysmpi_numpy;

/* Count from now on until pysmpi_end_counting. */
void pysmpi_begin_counting(const pysmpi_numpy* numpy);
void pysmpi_end_counting(void);

/* Count calls of a universal function: `real` and `complex` operations for each element of its result, by the kind of
 * numbers. `special` is 1 for functions such as sqrt, which are counted apart as well. `core` is 1 for functions on
 * matrices or vectors, which are passed to `count_product`. */
void pysmpi_count_calls_of(void* ufunc, const char* name, int32_t inputs, double real, double complex, int32_t special,
                           int32_t core);

/* Count calls of the objects of a type, such as the routines that f2py wraps: each is passed to `count_product` as
 * "routine", with its arguments and its keyword arguments as operands. */
void pysmpi_count_routines_of(void* type);

/* Add to the counts of the running rank. Does nothing outside ranks and while nothing is counted. */
void pysmpi_count(double flops, double special, double accesses);
/* While `paused` is 1, NumPy's operations are not counted; pysmpi_count still counts. */
void pysmpi_pause_counting(int32_t paused);

/* Counts of one rank: floating-point operations, those of special functions among them, bytes of operands, and number
 * of operations. */
typedef struct {
  double flops, special, accesses;
  uint64_t operations;
} pysmpi_counts;
/* Write the counts of ranks 0 to `ranks` - 1. To be called before pysmpi_end_counting. */
void pysmpi_read_counts(int32_t ranks, pysmpi_counts* out);

/* Record that an operation of the running rank reads (`operand` from 1), or writes (0), an array or a view of one. */
void pysmpi_access_array(void* array, int32_t operand);
/* The array at this address is being freed; `rank` has made or accessed it. */
void pysmpi_forget_array(int32_t rank, const void* array);

/* Stack distances of an operand at a place of the program (pysmpi_call_site) on a rank, in bytes: the median, and the
 * values that 10 % and 90 % of the accessed bytes do not exceed. The operand is 0 for results. */
typedef struct {
  uint32_t site, operand, rank, unused;
  double quantiles[3];
} pysmpi_distance_place;
/* Write the three numbers of all operands together, for each of ranks 0 to `ranks` - 1. */
void pysmpi_read_distances(int32_t ranks, double* out);
uint32_t pysmpi_distance_places(void);
void pysmpi_read_distance_places(pysmpi_distance_place* out);
/* Write the stack distances of a list of accesses to data with these keys and lengths; -1 for first accesses. */
void pysmpi_trace_distances(uint64_t accesses, const uint64_t* data, const uint64_t* bytes, double* out);

/* Return an allocator for NumPy (struct PyDataMem_Handler) that counts, from now until the simulation ends, the bytes
 * that ranks hold. It folds arrays of ranks from `threshold` bytes on; 0: none. */
void* pysmpi_counting_allocator(uint64_t threshold);
/* Add to the bytes that a rank holds, for memory that NumPy does not allocate; negative to release them. */
void pysmpi_hold_memory(int32_t rank, int64_t bytes);
/* Write the largest number of bytes that each of ranks 0 to `ranks` - 1 has held at a time. */
void pysmpi_read_memory(int32_t ranks, int64_t* peaks);
/* Note how many bytes of Python objects the running rank holds; it does so by itself at some of the rank's MPI calls.
 */
void pysmpi_note_objects(void);
/* Write the largest number of bytes of Python objects that each of ranks 0 to `ranks` - 1 has held when they were
 * noted. */
void pysmpi_read_objects(int32_t ranks, int64_t* peaks);

#ifdef __cplusplus
}  // extern C
#endif

#endif
