// Conversions of arguments and results between this library's ABI and that of mpi.h. Functions named own_… or own give
// what mpi.h means, functions named their_… or theirs what the program means.
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

// Error codes have their class in the low 7 bits, and the number of a text above (objects/errors.hpp). Codes that
// programs add are larger than MPI_ERR_LASTCODE and are the same numbers in all ABIs.
constexpr int kClassBits = 0x7f;

inline int their_error(int code) {
  if (code == MPI_SUCCESS || code >= MPI_ERR_LASTCODE || code < 0) return code;
  return their_value(kErrors, code & kClassBits) | (code & ~kClassBits);
}

inline int own_error(int code) {
  if (code == MPI_SUCCESS || code >= MPI_ERR_LASTCODE || code < 0) return code;
  const int own = own_value(kErrors, code & kClassBits);
  return own == kNoConstant ? MPI_ERR_UNKNOWN : own | (code & ~kClassBits);
}

constexpr Pair kRanks[] = {
    {MPI_ANY_SOURCE, kAnySource}, {MPI_PROC_NULL, kProcNull}, {MPI_ROOT, kRoot}, {MPI_UNDEFINED, MPI_UNDEFINED}};
constexpr Pair kTags[] = {{MPI_ANY_TAG, kAnyTag}};

inline int own_rank(int rank) { return rank >= 0 ? rank : own_value(kRanks, rank); }
inline int their_rank(int rank) { return rank >= 0 ? rank : their_value(kRanks, rank); }
inline int own_tag(int tag) { return tag >= 0 ? tag : own_value(kTags, tag); }
inline int their_tag(int tag) { return tag >= 0 ? tag : their_value(kTags, tag); }

// Numbers of keys that programs make are the same in all ABIs.
inline int own_key(int key) {
  if (key == kKeyvalInvalid) return MPI_KEYVAL_INVALID;
  const int own = own_value(kKeys, key);
  return own == kNoConstant ? key : own;
}
inline int their_key(int key) { return key == MPI_KEYVAL_INVALID ? kKeyvalInvalid : their_value(kKeys, key); }

inline int own_split_type(int type) { return type == MPI_UNDEFINED ? type : own_value(kSplitTypes, type); }
inline int own_distribution(int distribution) { return own_value(kDistributions, distribution); }
inline int their_combiner(int combiner) { return their_value(kCombiners, combiner); }
inline int their_access_mode(int mode) { return their_bits(kAccessModes, mode); }
inline int their_comparison(int result) { return their_value(kComparisons, result); }
inline int their_thread_level(int level) { return their_value(kThreadLevels, level); }
inline int their_topology(int kind) { return kind == MPI_UNDEFINED ? kind : their_value(kTopologies, kind); }

inline int own_darg(int argument) { return argument == kDefaultDarg ? MPI_DISTRIBUTE_DFLT_DARG : argument; }
inline int their_darg(int argument) { return argument == MPI_DISTRIBUTE_DFLT_DARG ? kDefaultDarg : argument; }

inline MPI_Offset own_displacement(MPI_Offset displacement) {
  return displacement == kDisplacementCurrent ? MPI_DISPLACEMENT_CURRENT : displacement;
}

// Return a buffer's address. Constants such as MPI_IN_PLACE are no addresses.
template <class Memory>
Memory* own_buffer(Memory* buffer) {
  return buffer == reinterpret_cast<void*>(kInPlace) ? static_cast<Memory*>(MPI_IN_PLACE) : buffer;
}

inline void* own_attached(void* buffer) {
  const bool automatic = kBufferAutomatic != 0 && buffer == reinterpret_cast<void*>(kBufferAutomatic);
  return automatic ? MPI_BUFFER_AUTOMATIC : buffer;
}

inline void restore_attached(void* place) {
  void*& buffer = *static_cast<void**>(place);
  if (kBufferAutomatic != 0 && buffer == MPI_BUFFER_AUTOMATIC) buffer = reinterpret_cast<void*>(kBufferAutomatic);
}

template <class Integer>
Integer* own_weights(Integer* weights) {
  const auto value = reinterpret_cast<std::uintptr_t>(weights);
  return value == kUnweighted ? MPI_UNWEIGHTED : value == kWeightsEmpty ? MPI_WEIGHTS_EMPTY : weights;
}

inline MPI_Status own(const Status& status) {
  MPI_Status own{};
  take_count(status, own);
  own.MPI_SOURCE = own_rank(status.MPI_SOURCE);
  own.MPI_TAG = own_tag(status.MPI_TAG);
  own.MPI_ERROR = own_error(status.MPI_ERROR);
  return own;
}

inline void store(const MPI_Status& own, Status& status) {
  give_count(own, status);
  status.MPI_SOURCE = their_rank(own.MPI_SOURCE);
  status.MPI_TAG = their_tag(own.MPI_TAG);
  status.MPI_ERROR = their_error(own.MPI_ERROR);
}

// A status that a function changes, or only some fields of it.
class ChangedStatus {
 public:
  explicit ChangedStatus(const Status* status) {
    if (status) own_ = own(*status);
    given_ = status != nullptr;
  }

  MPI_Status* pointer() { return given_ ? &own_ : MPI_STATUS_IGNORE; }

  void store(Status* status) const {
    if (given_) abi::store(own_, *status);
  }
  void store(const Status*) const {}  // of a function that only reads it

 private:
  MPI_Status own_{};
  bool given_;
};

class ChangedStatuses {
 public:
  ChangedStatuses(const Status* statuses, int count) : given_(statuses != nullptr) {
    if (!given_ || count <= 0) return;
    own_.reserve(count);
    for (int i = 0; i < count; ++i) own_.push_back(own(statuses[i]));
  }

  MPI_Status* pointer() { return !given_ ? MPI_STATUSES_IGNORE : own_.empty() ? &none_ : own_.data(); }

  void store(Status* statuses) const {
    for (std::size_t i = 0; i < own_.size(); ++i) abi::store(own_[i], statuses[i]);
  }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status none_{};
  bool given_;
};

// A text that a function writes, with at most `their_length` characters in this ABI.
template <int own_length, int their_length>
class ChangedText {
 public:
  explicit ChangedText(char* place) : place_(place) {}

  char* pointer() {
    if (!place_ || own_length <= their_length) return place_;
    return text_.data();
  }

  void store(int* length = nullptr) const {
    if (!place_ || own_length <= their_length) return;
    const int used = std::min<int>(std::strlen(text_.data()), their_length - 1);
    *std::copy_n(text_.data(), used, place_) = '\0';
    if (length) *length = used;
  }

 private:
  char* place_;
  std::array<char, own_length <= their_length ? 1 : own_length> text_{};
};

// An array of numbers that a function takes, each converted.
template <class Integer, int convert(int)>
class Converted {
 public:
  Converted(const Integer* numbers, int count) : given_(numbers != nullptr) {
    for (int i = 0; given_ && i < count; ++i) converted_.push_back(convert(numbers[i]));
  }

  int* pointer() { return !given_ ? nullptr : converted_.empty() ? &none_ : converted_.data(); }

 private:
  std::vector<int> converted_;
  bool given_;
  int none_ = 0;
};

// Number of blocks of MPI_Alltoallw, and of its form for neighbours, that a rank sends and receives.
struct Blocks {
  int sent = 0, received = 0;
};
Blocks blocks_of_all(MPI_Comm comm);
Blocks blocks_of_neighbours(MPI_Comm comm);

// Replace the constants among the integers of MPI_Type_get_contents: of the form for large counts, whose array has
// fewer of them, if `large`.
void restore_contents(MPI_Datatype datatype, bool large, int* integers);

}  // namespace pysmpi::abi
