// Texts and arrays of Fortran programs.
#include "fortran/conversions.hpp"

#include <algorithm>
#include <cstring>

namespace pysmpi {

OutText::~OutText() {
  if (own_[0] == kNone) return;
  const std::size_t used = std::min(std::strlen(own_.data()), length_);
  std::memcpy(text_, own_.data(), used);
  std::memset(text_ + used, ' ', length_ - used);
}

bool ArrayDescriptor::is_contiguous() const {
  std::ptrdiff_t expected = 1;
  for (int i = 0; i < rank; ++i) {
    if (dimensions[i].stride != expected && dimensions[i].extent() != 1) return false;
    expected *= dimensions[i].extent();
  }
  return true;
}

void* whole(const ArrayDescriptor* array) { return array->is_contiguous() ? buffer(array->base) : nullptr; }

// The datatype has as many elements of the section as `count` times the given datatype fill, in the section's order.
Section::Section(const ArrayDescriptor* array, MPI_Count count, MPI_Datatype datatype)
    : address(buffer(array->base)), count(count), datatype(datatype) {
  if (array->is_contiguous() || count == 0) return;
  MPI_Count bytes = 0;
  MPI_Type_size_x(datatype, &bytes);
  const auto element = static_cast<MPI_Count>(array->element_length);
  const MPI_Count elements = element > 0 ? count * bytes / element : 0;
  std::vector<MPI_Aint> places(static_cast<std::size_t>(elements));
  std::vector<std::ptrdiff_t> position(static_cast<std::size_t>(array->rank));
  for (MPI_Aint& place : places) {
    place = 0;
    for (int i = 0; i < array->rank; ++i) place += position[i] * array->dimensions[i].stride * array->span;
    for (int i = 0; i < array->rank && ++position[i] == array->dimensions[i].extent(); ++i) position[i] = 0;
  }
  MPI_Datatype one = MPI_DATATYPE_NULL;
  const bool splits = element % std::max<MPI_Count>(bytes, 1) != 0;
  MPI_Type_contiguous(static_cast<int>(splits ? element : element / bytes), splits ? MPI_BYTE : datatype, &one);
  MPI_Type_create_hindexed_block(static_cast<int>(elements), 1, places.data(), one, &this->datatype);
  MPI_Type_commit(&this->datatype);
  MPI_Type_free(&one);
  this->count = 1;
  is_own_ = true;
}

Section::~Section() {
  if (is_own_) MPI_Type_free(&datatype);
}

}  // namespace pysmpi
