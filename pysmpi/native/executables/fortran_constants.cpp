// Finds the variables by their names in MPICH's mpif.h and in its module mpi_f08.
#include "executables/fortran_constants.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "executables/image.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

struct StandIn {
  const char* symbol;
  std::size_t offset;  // in a common block
  FortranConstant constant;
};

constexpr StandIn kStandIns[] = {
    {"mpipriv1_", 0, FortranConstant::kBottom},
    {"mpipriv1_", 4, FortranConstant::kInPlace},
    {"mpipriv1_", 8, FortranConstant::kStatusIgnore},
    {"mpipriv2_", 0, FortranConstant::kStatusesIgnore},
    {"mpipriv2_", 20, FortranConstant::kErrcodesIgnore},
    {"mpiprivc_", 0, FortranConstant::kArgvsNull},
    {"mpiprivc_", 1, FortranConstant::kArgvNull},
    {"mpifcmb5_", 0, FortranConstant::kUnweighted},
    {"mpifcmb9_", 0, FortranConstant::kWeightsEmpty},
    {"MPIR_F08_MPI_BOTTOM", 0, FortranConstant::kBottom},
    {"MPIR_F08_MPI_IN_PLACE", 0, FortranConstant::kInPlace},
    {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0, FortranConstant::kStatusIgnore},
    {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0, FortranConstant::kStatusesIgnore},
    {"__mpi_f08_link_constants_MOD_mpi_argv_null", 0, FortranConstant::kArgvNull},
    {"__mpi_f08_link_constants_MOD_mpi_argvs_null", 0, FortranConstant::kArgvsNull},
    {"__mpi_f08_link_constants_MOD_mpi_errcodes_ignore", 0, FortranConstant::kErrcodesIgnore},
    {"__mpi_f08_link_constants_MOD_mpi_unweighted", 0, FortranConstant::kUnweighted},
    {"__mpi_f08_link_constants_MOD_mpi_weights_empty", 0, FortranConstant::kWeightsEmpty},
};

// The variables of programs that are not executables, which are those of the library itself.
const FortranConstants& constants_of_library() {
  static const FortranConstants constants = [] {
    FortranConstants found;
    found.add(nullptr);
    return found;
  }();
  return constants;
}

}  // namespace

void FortranConstants::add(const Image* image) {
  for (const auto& [symbol, offset, constant] : kStandIns) {
    const void* const found = image ? image->own_symbol(symbol) : dlsym(RTLD_DEFAULT, symbol);
    if (!found) continue;
    const void* const place = static_cast<const char*>(found) + offset;
    places_.emplace_back(place, constant);
    first_ = std::min(first_, place);
    last_ = std::max(last_, place);
  }
}

FortranConstant fortran_constant(const void* address) {
  if (const Process* const process = running_process()) {
    const FortranConstant found = process->constants.at(address);
    if (found != FortranConstant::kNone) return found;
  }
  return constants_of_library().at(address);
}

}  // namespace pysmpi
