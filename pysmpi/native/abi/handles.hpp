// Handles. In mpi.h they are numbers of 32 bits, and those of objects that programs make are at least 0x04000000. In
// other ABIs they are pointers. Such a pointer is the number itself, which is no address on any supported machine, or
// that of a predefined object: the address of a variable of the library in Open MPI's ABI, a small number in the
// standard's.
#pragma once

#include <cstdint>
#include <cstring>
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

// Return the pointer of a predefined object as the running program sees it, or null if the number is that of none.
template <class Handle>
Handle predefined(int number);

#define PYSMPI_FOR_EACH_HANDLE(X) \
  X(Comm) X(Datatype) X(Errhandler) X(File) X(Group) X(Info) X(Message) X(Op) X(Request) X(Session) X(Win)

constexpr std::uintptr_t kLeastNumber = 0x04000000, kLeastAddress = std::uintptr_t{1} << 32;

template <class Object>
int own(Object* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value >= kLeastNumber && value < kLeastAddress ? static_cast<int>(value) : number_of_predefined(value);
}

inline MPI_File own(File handle) {
  return reinterpret_cast<MPI_File>(static_cast<std::intptr_t>(own<struct FileObject>(handle)));
}

template <class Handle>
Handle theirs(int number) {
  const Handle found = predefined<Handle>(number);
  return found ? found : reinterpret_cast<Handle>(std::uintptr_t{static_cast<std::uint32_t>(number)});
}

template <class Handle>
Handle theirs(MPI_File file) {
  return theirs<Handle>(static_cast<int>(reinterpret_cast<std::intptr_t>(file)));
}

// Return a number of Fortran's handles. Files have numbers, too.
template <class Handle>
int fortran(Handle handle) {
  return own<std::remove_pointer_t<Handle>>(handle);
}

// A handle that a function gives, or gives and takes.
template <class Handle>
class Changed {
  using Own = decltype(own(Handle{}));

 public:
  // For a function that only gives it.
  explicit Changed(Handle* place) : place_(place) {}

  // For one that also takes it.
  struct Taken {};
  Changed(Handle* place, Taken) : place_(place) {
    if (place) before_ = after_ = own(*place);
  }

  Own* pointer() { return place_ ? &after_ : nullptr; }

  void store() const {
    if (place_ && after_ != before_) *place_ = theirs<Handle>(after_);
  }

 private:
  Handle* place_;
  Own before_{}, after_{};
};

// An array of handles that a function takes, or takes and changes.
template <class Handle>
class Handles {
 public:
  Handles(const Handle* places, int count) : given_(places != nullptr) {
    if (!given_ || count <= 0) return;
    numbers_.reserve(count);
    for (int i = 0; i < count; ++i) numbers_.push_back(own(places[i]));
  }

  int* pointer() { return !given_ ? nullptr : numbers_.empty() ? &none_ : numbers_.data(); }

  // Store those that the function has changed.
  void store(Handle* places) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (own(places[i]) != numbers_[i]) places[i] = theirs<Handle>(numbers_[i]);
    }
  }

 private:
  std::vector<int> numbers_;
  bool given_;
  int none_ = 0;
};

}  // namespace pysmpi::abi
