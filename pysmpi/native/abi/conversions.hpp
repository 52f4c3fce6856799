// Conversions of arguments and results between the program's ABI (Open MPI's or the standard's) and the simulator's,
// which is that of mpi.h (MPICH's). internal_…() converts from the program to the simulator, program_…() back. Example
// for Open MPI: internal_rank(-2) is MPI_PROC_NULL of mpi.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include PYSMPI_ABI_HEADER
#include "abi/handles.hpp"
#include "mpi/mpi.h"

namespace pysmpi::abi {

// Error codes have their class in the low 7 bits, and the number of their text in the higher bits (objects/errors.hpp).
// MPI_ERR_LASTCODE, and the larger codes that programs add, are the same numbers in all ABIs.
constexpr int kClassBits = 0x7f;

inline int program_error(int code) {
  if (code == MPI_SUCCESS || code >= MPI_ERR_LASTCODE || code < 0) return code;
  return program_value(kErrors, code & kClassBits) | (code & ~kClassBits);
}

inline int internal_error(int code) {
  if (code == MPI_SUCCESS || code >= MPI_ERR_LASTCODE || code < 0) return code;
  const Pair* const found = find_program(kErrors, code & kClassBits);
  return found ? found->internal | (code & ~kClassBits) : MPI_ERR_UNKNOWN;
}

constexpr Pair kRanks[] = {
    {MPI_ANY_SOURCE, kAnySource}, {MPI_PROC_NULL, kProcNull}, {MPI_ROOT, kRoot}, {MPI_UNDEFINED, MPI_UNDEFINED}};
constexpr Pair kTags[] = {{MPI_ANY_TAG, kAnyTag}, {MPI_UNDEFINED, MPI_UNDEFINED}};

inline int internal_rank(int rank) { return rank >= 0 ? rank : internal_value(kRanks, rank); }
inline int program_rank(int rank) { return rank >= 0 ? rank : program_value(kRanks, rank); }
inline int internal_tag(int tag) { return tag >= 0 ? tag : internal_value(kTags, tag); }
inline int program_tag(int tag) { return tag >= 0 ? tag : program_value(kTags, tag); }

// Numbers of keys that programs make are the same in all ABIs.
inline int internal_key(int key) {
  if (key == kKeyvalInvalid) return MPI_KEYVAL_INVALID;
  const Pair* const found = find_program(kKeys, key);
  return found ? found->internal : key;
}
inline int program_key(int key) { return key == MPI_KEYVAL_INVALID ? kKeyvalInvalid : program_value(kKeys, key); }

inline int internal_split_type(int type) { return type == MPI_UNDEFINED ? type : internal_value(kSplitTypes, type); }
inline int internal_distribution(int distribution) { return internal_value(kDistributions, distribution); }
inline int program_combiner(int combiner) { return program_value(kCombiners, combiner); }
inline int program_access_mode(int mode) { return program_bits(kAccessModes, mode); }
inline int program_comparison(int result) { return program_value(kComparisons, result); }
inline int program_thread_level(int level) { return program_value(kThreadLevels, level); }
inline int program_topology(int kind) { return kind == MPI_UNDEFINED ? kind : program_value(kTopologies, kind); }

inline int internal_darg(int argument) { return argument == kDefaultDarg ? MPI_DISTRIBUTE_DFLT_DARG : argument; }
inline int program_darg(int argument) { return argument == MPI_DISTRIBUTE_DFLT_DARG ? kDefaultDarg : argument; }

inline MPI_Offset internal_displacement(MPI_Offset displacement) {
  return displacement == kDisplacementCurrent ? MPI_DISPLACEMENT_CURRENT : displacement;
}

// Convert the address of a buffer, or MPI_IN_PLACE.
template <class Memory>
Memory* internal_buffer(Memory* buffer) {
  return buffer == reinterpret_cast<void*>(kInPlace) ? static_cast<Memory*>(MPI_IN_PLACE) : buffer;
}

inline void* internal_attached(void* buffer) {
  const bool automatic = kBufferAutomatic != 0 && buffer == reinterpret_cast<void*>(kBufferAutomatic);
  return automatic ? MPI_BUFFER_AUTOMATIC : buffer;
}

inline void program_attached(void* place) {
  void*& buffer = *static_cast<void**>(place);
  if (kBufferAutomatic != 0 && buffer == MPI_BUFFER_AUTOMATIC) buffer = reinterpret_cast<void*>(kBufferAutomatic);
}

template <class Integer>
Integer* internal_weights(Integer* weights) {
  const auto value = reinterpret_cast<std::uintptr_t>(weights);
  return value == kUnweighted ? MPI_UNWEIGHTED : value == kWeightsEmpty ? MPI_WEIGHTS_EMPTY : weights;
}

inline MPI_Status internal(const Status& status) {
  MPI_Status internal{};
  take_count(status, internal);
  internal.MPI_SOURCE = internal_rank(status.MPI_SOURCE);
  internal.MPI_TAG = internal_tag(status.MPI_TAG);
  internal.MPI_ERROR = internal_error(status.MPI_ERROR);
  return internal;
}

inline void store(const MPI_Status& internal, Status& status) {
  give_count(internal, status);
  status.MPI_SOURCE = program_rank(internal.MPI_SOURCE);
  status.MPI_TAG = program_tag(internal.MPI_TAG);
  status.MPI_ERROR = program_error(internal.MPI_ERROR);
}

// Contents of a status that a function has not written yet.
constexpr int kUnwritten = -0x5a5a5a5b;
constexpr MPI_Status kUnwrittenStatus = {kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten};

// Store the fields of a status that differ from what they were before.
inline void store_changes(const MPI_Status& before, const MPI_Status& after, Status& status) {
  Status written{};
  store(after, written);
  if (after.count_lo != before.count_lo || after.count_hi_and_cancelled != before.count_hi_and_cancelled) {
    give_count(after, status);
  }
  if (after.MPI_SOURCE != before.MPI_SOURCE) status.MPI_SOURCE = written.MPI_SOURCE;
  if (after.MPI_TAG != before.MPI_TAG) status.MPI_TAG = written.MPI_TAG;
  if (after.MPI_ERROR != before.MPI_ERROR) status.MPI_ERROR = written.MPI_ERROR;
}

// A status that is output, input, or both.
class StatusArgument {
 public:
  struct Input {};
  explicit StatusArgument(const Status* status) : given_(status != nullptr) {}
  StatusArgument(const Status* status, Input) : given_(status != nullptr) {
    if (given_) before_ = after_ = internal(*status);
  }

  MPI_Status* pointer() { return given_ ? &after_ : MPI_STATUS_IGNORE; }

  void store(Status* status) const {
    if (given_) store_changes(before_, after_, *status);
  }

 private:
  MPI_Status before_ = kUnwrittenStatus, after_ = kUnwrittenStatus;
  bool given_;
};

// An array of statuses that is output.
class StatusArray {
 public:
  StatusArray(const Status* statuses, int count) : given_(statuses != nullptr) {
    if (given_ && count > 0) written_.assign(count, kUnwrittenStatus);
  }

  MPI_Status* pointer() { return !given_ ? MPI_STATUSES_IGNORE : written_.empty() ? &none_ : written_.data(); }

  // Store the first `count` of them.
  void store(Status* statuses, int count) const {
    for (int i = 0; i < std::min<int>(count, written_.size()); ++i) {
      store_changes(kUnwrittenStatus, written_[i], statuses[i]);
    }
  }

 private:
  std::vector<MPI_Status> written_;
  MPI_Status none_{};
  bool given_;
};

// A text that a function writes. It is shortened if the program's buffer (`program_length` bytes, with the null at the
// end) is smaller than that of mpi.h.
template <int internal_length, int program_length>
class TextArgument {
 public:
  explicit TextArgument(char* place) : place_(place) {}

  char* pointer() {
    if (!place_ || internal_length <= program_length) return place_;
    return text_.data();
  }

  void store(int* length = nullptr) const {
    if (!place_ || internal_length <= program_length) return;
    const int used = std::min<int>(std::strlen(text_.data()), program_length - 1);
    *std::copy_n(text_.data(), used, place_) = '\0';
    if (length) *length = used;
  }

 private:
  char* place_;
  std::array<char, internal_length <= program_length ? 1 : internal_length> text_{};
};

// An array of numbers that a function takes, each converted.
template <int convert(int)>
class IntegerArray {
 public:
  IntegerArray(const int* numbers, int count) : given_(numbers != nullptr) {
    for (int i = 0; given_ && i < count; ++i) converted_.push_back(convert(numbers[i]));
  }

  int* pointer() { return !given_ ? nullptr : converted_.empty() ? &none_ : converted_.data(); }

 private:
  std::vector<int> converted_;
  bool given_;
  int none_ = 0;
};

// Convert codes for which a function has written an array.
inline void program_errors(int* codes, int count) {
  for (int i = 0; codes && i < count; ++i) codes[i] = program_error(codes[i]);
}

// Number of blocks of MPI_Alltoallw, and of its form for neighbours, that a rank sends and receives.
struct Blocks {
  int sent = 0, received = 0;
};
Blocks blocks_of_all(MPI_Comm comm);
Blocks blocks_of_neighbours(MPI_Comm comm);

// Return whether the running rank is the root of a communicator.
bool is_root(MPI_Comm comm, int root);

// Convert the constants in the array of integers of MPI_Type_get_contents and MPI_Type_get_contents_c.
void program_contents(MPI_Datatype datatype, int* integers);

}  // namespace pysmpi::abi
