// Conversion of the arguments of Fortran functions to those of C. Fortran passes addresses. Handles, statuses and
// integers are the same in both languages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executables/fortran_constants.hpp"
#include "mpi/mpi.h"

// Another name of a function.
#define SAME(name, function) extern decltype(function) name __attribute__((alias(#function)));

namespace pysmpi {

inline void return_code(MPI_Fint* ierror, int code) {
  if (ierror) *ierror = code;  // an optional argument in mpi_f08
}

inline MPI_Fint logical(int flag) { return flag != 0 ? 1 : 0; }
inline MPI_Fint fortran_index(int index) { return index == MPI_UNDEFINED ? index : index + 1; }
inline void to_fortran_indices(MPI_Fint* indices, int count) {
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) ++indices[i];
}

// Constants that Fortran programs pass as variables with certain addresses, such as MPI_IN_PLACE.
inline void* buffer(void* address) {
  switch (fortran_constant(address)) {
    case FortranConstant::kBottom:
      return MPI_BOTTOM;
    case FortranConstant::kInPlace:
      return MPI_IN_PLACE;
    default:
      return address;
  }
}
inline MPI_Status* status_at(void* address) {
  return fortran_constant(address) == FortranConstant::kStatusIgnore ? MPI_STATUS_IGNORE
                                                                     : static_cast<MPI_Status*>(address);
}
inline MPI_Status* statuses(void* address) {
  return fortran_constant(address) == FortranConstant::kStatusesIgnore ? MPI_STATUSES_IGNORE
                                                                       : static_cast<MPI_Status*>(address);
}
inline int* weights_at(MPI_Fint* address) {
  switch (fortran_constant(address)) {
    case FortranConstant::kUnweighted:
      return MPI_UNWEIGHTED;
    case FortranConstant::kWeightsEmpty:
      return MPI_WEIGHTS_EMPTY;
    default:
      return address;
  }
}

// A text of a Fortran program: no zero ends it, and blanks fill it up.
class InText {
 public:
  InText(const char* text, std::size_t length) : text_(text, length) {
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_.erase(0, text_.find_first_not_of(' '));
  }
  const char* begin() const { return text_.c_str(); }

 private:
  std::string text_;
};

// A text that an MPI function returns. The program's text stays as it is if the function returns none.
class OutText {
 public:
  OutText(char* text, std::size_t length) : text_(text), length_(length), own_(kMost) { own_[0] = kNone; }
  OutText(const OutText&) = delete;
  OutText& operator=(const OutText&) = delete;
  ~OutText();
  char* begin() { return own_.data(); }

 private:
  static constexpr std::size_t kMost = 8192;
  static constexpr char kNone = '\1';
  char* text_;
  std::size_t length_;
  std::vector<char> own_;
};

// A descriptor of an array, as the GNU Fortran compiler passes it (libgfortran.h, version 8 and later).
struct ArrayDescriptor {
  void* base;  // first element
  std::size_t offset;
  std::size_t element_length;
  int version;
  signed char rank, type;
  short attribute;
  std::ptrdiff_t span;
  struct Dimension {
    std::ptrdiff_t stride, lower, upper;
    std::ptrdiff_t extent() const { return upper - lower + 1; }
  } dimensions[];

  bool is_contiguous() const;
};

// The address of a buffer that is not a section of an array with gaps.
void* whole(const ArrayDescriptor* array);

// An array of Fortran as the arguments of a C function: address, count, datatype. For a section with gaps, the datatype
// is a new one that describes the gaps; the destructor frees it.
struct Section {
  Section(const ArrayDescriptor* array, MPI_Count count, MPI_Datatype datatype);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  ~Section();

  void* address;
  MPI_Count count;
  MPI_Datatype datatype;

 private:
  bool is_own_ = false;
};

}  // namespace pysmpi
