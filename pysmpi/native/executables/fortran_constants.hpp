// Constants of MPI that Fortran programs pass as variables: an MPI function knows them by their addresses. Each copy of
// an executable has its own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace pysmpi {

class Image;

enum class FortranConstant : std::uint8_t {
  kNone,
  kBottom,
  kInPlace,
  kStatusIgnore,
  kStatusesIgnore,
  kErrcodesIgnore,
  kArgvNull,
  kArgvsNull,
  kUnweighted,
  kWeightsEmpty,
};

// The addresses of these variables in one process.
class FortranConstants {
 public:
  // Add those of an image, or of all libraries that are loaded globally (null).
  void add(const Image* image);

  FortranConstant at(const void* address) const {
    if (address < first_ || address > last_) return FortranConstant::kNone;
    for (const auto& [place, constant] : places_) {
      if (place == address) return constant;
    }
    return FortranConstant::kNone;
  }

 private:
  std::vector<std::pair<const void*, FortranConstant>> places_;
  const void *first_ = reinterpret_cast<const void*>(UINTPTR_MAX), *last_ = nullptr;
};

// Return what the running program means by an argument at this address.
FortranConstant fortran_constant(const void* address);

}  // namespace pysmpi
