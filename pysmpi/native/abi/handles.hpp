// Handles. In the simulator they are numbers of 32 bits (files: pointers with such a value), and those of objects that
// programs make are at least 0x04000000. In other ABIs they are pointers. That of an object which a program has made
// has the simulator's number as its value, which is no address on any supported machine. That of a predefined object is
// the address of a variable of the library (Open MPI), or a small number (the standard).
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/mpi.h"

namespace pysmpi::abi {

using Comm = struct CommObject*;
using Datatype = struct DatatypeObject*;
using Errhandler = struct ErrhandlerObject*;
using File = struct FileObject*;
using Group = struct GroupObject*;
using Info = struct InfoObject*;
using Message = struct MessageObject*;
using Op = struct OpObject*;
using Request = struct RequestObject*;
using Session = struct SessionObject*;
using Win = struct WinObject*;

// Return the number of a predefined object, or 0 if the pointer is that of none (*_handles.cpp).
int number_of_predefined(std::uintptr_t handle);

// Return the result of MPI_Comm_toint and its relatives.
int integer_of(std::uintptr_t handle);

template <class Object>
int integer_of(Object* handle) {
  return integer_of(reinterpret_cast<std::uintptr_t>(handle));
}

// Return the pointer of a predefined object as the running program sees it, or null if the number is that of none.
template <class Handle>
Handle predefined(int number);

#define PYSMPI_FOR_EACH_HANDLE(X) \
  X(Comm) X(Datatype) X(Errhandler) X(File) X(Group) X(Info) X(Message) X(Op) X(Request) X(Session) X(Win)

constexpr std::uintptr_t kLeastNumber = 0x04000000, kLeastAddress = std::uintptr_t{1} << 32;

template <class Object>
int internal(Object* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value >= kLeastNumber && value < kLeastAddress ? static_cast<int>(value) : number_of_predefined(value);
}

inline MPI_File internal(File handle) {
  return reinterpret_cast<MPI_File>(static_cast<std::intptr_t>(internal<struct FileObject>(handle)));
}

template <class Handle>
Handle program_handle(int number) {
  const Handle found = predefined<Handle>(number);
  return found ? found : reinterpret_cast<Handle>(std::uintptr_t{static_cast<std::uint32_t>(number)});
}

template <class Handle>
Handle program_handle(MPI_File file) {
  return program_handle<Handle>(static_cast<int>(reinterpret_cast<std::intptr_t>(file)));
}

// A handle that is output, or input and output.
template <class Handle>
class HandleArgument {
  using Own = decltype(internal(Handle{}));

 public:
  // Output.
  explicit HandleArgument(Handle* place) : place_(place) {}

  // Input and output.
  struct Input {};
  HandleArgument(Handle* place, Input) : place_(place) {
    if (place) before_ = after_ = internal(*place);
  }

  Own* pointer() { return place_ ? &after_ : nullptr; }

  void store() const {
    if (place_ && after_ != before_) *place_ = program_handle<Handle>(after_);
  }

 private:
  Handle* place_;
  Own before_{}, after_{};
};

// An array of handles that is input, or input and output.
template <class Handle>
class HandleArray {
 public:
  HandleArray(const Handle* places, int count) : given_(places != nullptr) {
    if (!given_ || count <= 0) return;
    numbers_.reserve(count);
    for (int i = 0; i < count; ++i) numbers_.push_back(internal(places[i]));
  }

  int* pointer() { return !given_ ? nullptr : numbers_.empty() ? &none_ : numbers_.data(); }

  // Store those that the function has changed.
  void store(Handle* places) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (internal(places[i]) != numbers_[i]) places[i] = program_handle<Handle>(numbers_[i]);
    }
  }

 private:
  std::vector<int> numbers_;
  bool given_;
  int none_ = 0;
};

}  // namespace pysmpi::abi
