// Routines of BLAS and LAPACK: the names of their functions in libraries, and the positions of sizes among the
// arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "blas/entries.hpp"

namespace pysmpi::blas {

// Sizes of a call by their names in the reference documentation; those that a routine lacks are 0. For routines that
// multiply by a matrix from the left or right (argument `side`) and have no k, k is the order of that matrix. For
// laswp, k is the number of exchanges. For CBLAS's gemv, m is the length of the result and n that of the vector, also
// if the matrix is transposed.
struct Sizes {
  std::int64_t m = 0, n = 0, k = 0, nrhs = 0;
  bool operator==(const Sizes&) const = default;
};

// A function of a library, by its symbol: cblas_dgemm64_ of OpenBLAS is dgemm with whole numbers of 64 bits that are
// passed by value, dgesv_ is dgesv with addresses of numbers of 32 bits.
struct FunctionName {
  std::string routine;  // such as "dgemm"
  bool by_value = false;
  bool is_wide = false;
};

// Return the function that a symbol names, or nothing for a symbol of something else.
std::optional<FunctionName> function_named(const char* symbol);

// Positions of the arguments of a function that describe its size, and of those that change its cost.
class Signature {
 public:
  explicit Signature(const FunctionName& name);

  bool has_sizes() const { return at_[kM] >= 0 || at_[kN] >= 0; }
  // Return whether the call is a workspace query: with a workspace of size -1, LAPACK computes nothing and returns the
  // best size.
  bool asks_for_memory(const Arguments& arguments) const;
  // Return whether the call computes eigenvalues or singular values, but none of their vectors.
  bool lacks_vectors(const Arguments& arguments) const;
  Sizes sizes(const Arguments& arguments) const;

 private:
  enum Place : std::uint8_t {
    kM,
    kN,
    kK,
    kRightSides,
    kSide,
    kTransposed,
    kFirst,
    kLast,
    kMemory,
    kJob,
    kSecondJob,
    kPlaces
  };

  std::int64_t number(const Arguments& arguments, Place place) const;
  bool is_transposed_by_value(const Arguments& arguments) const;
  char letter(const Arguments& arguments, Place place) const;

  std::array<std::int8_t, kPlaces> at_;
  bool by_value_, is_wide_;
};

}  // namespace pysmpi::blas
