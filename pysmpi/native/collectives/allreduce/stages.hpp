// Building blocks of allreduce algorithms. They work in place: `result` is the rank's vector, `other` is scratch memory
// of the same size. The arguments `args` give the number and datatype of the elements.
#pragma once

#include "collectives/halving.hpp"

namespace pysmpi {

// combine_lower, combine_higher, fold_in and fold_out keep references to the caller's arguments. Therefore co_await
// each call directly, while the arguments still exist.

// combine_lower computes result = lower op result; combine_higher computes result = result op higher. The memory of
// `lower` or `higher` may be overwritten.
Schedule combine_lower(Runner& run, const Arguments& args, char* lower, char* result);
Schedule combine_higher(Runner& run, const Arguments& args, char* higher, char* result);

// Reduce the number of participating ranks to a power of two: fold_in sends a rank's vector to the neighbour that
// represents the rank, and fold_out sends the result back.
Schedule fold_in(Runner& run, const Arguments& args, PowerOfTwo among, char* result, char* other);
Schedule fold_out(Runner& run, const Arguments& args, PowerOfTwo among, char* result);

// A line is a sequence of ranks (collectives/line.hpp). reduce_to_first reduces the vectors of these ranks to the first
// of them; spread_from_first broadcasts the result to them. Both use a binomial tree.
Schedule reduce_to_first(Runner& run, Arguments args, Line line, char* result, char* other);
Schedule spread_from_first(Runner& run, Arguments args, Line line, char* result);

// Reduce the vectors of the ranks of `line` by recursive doubling, so that all these ranks get the result.
Schedule exchange_doubling(Runner& run, Arguments args, Line line, char* result, char* other);

// Reduce-scatter by recursive halving, then allgather by recursive doubling. The operation must commute. The parts of
// the second function differ by at most one element.
Schedule exchange_halves(Runner& run, Arguments args, Line line, char* result, char* other);
Schedule exchange_even_halves(Runner& run, Arguments args, Line line, char* result, char* other);

// Reduce-scatter and allgather round a ring. The operation must commute.
Schedule exchange_round(Runner& run, Arguments args, Line line, char* result, char* other);

}  // namespace pysmpi
