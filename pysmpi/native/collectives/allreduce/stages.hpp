// What allreduces are put together from, in place: `result` is the rank's vector, `other` room for one. The call says
// how long it is, and of what.
#pragma once

#include "collectives/halving.hpp"

namespace pysmpi {

// These four are for those who await them at once: they refer to the caller's arguments.

// result = lower op result, or result op higher; the operand may be lost.
Schedule combine_lower(Runner& run, const Arguments& a, char* lower, char* result);
Schedule combine_higher(Runner& run, const Arguments& a, char* higher, char* result);

// The ranks that another one stands for leave it their vectors, and get the result from it.
Schedule fold_in(Runner& run, const Arguments& a, PowerOfTwo among, char* result, char* other);
Schedule fold_out(Runner& run, const Arguments& a, PowerOfTwo among, char* result);

// Up and down a binomial tree.
Schedule reduce_to_first(Runner& run, Arguments a, Line line, char* result, char* other);
Schedule spread_from_first(Runner& run, Arguments a, Line line, char* result);

// Recursive doubling.
Schedule exchange_doubling(Runner& run, Arguments a, Line line, char* result, char* other);

// Reduce-scatter by recursive halving, allgather by recursive doubling. Operations that commute.
Schedule exchange_halves(Runner& run, Arguments a, Line line, char* result, char* other);

// Reduce-scatter and allgather round a ring. Operations that commute.
Schedule exchange_round(Runner& run, Arguments a, Line line, char* result, char* other);

}  // namespace pysmpi
