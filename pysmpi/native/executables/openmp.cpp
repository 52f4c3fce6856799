// Asks the run-time library whether the running rank is in a parallel region.
#include "executables/openmp.hpp"

#include <dlfcn.h>

#include "engine/fiber.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

using InParallel = int (*)();

const char* find_reason() {
  static const auto in_parallel = [] {
    for (const char* const library : {"libgomp.so.1", "libomp.so.5", "libiomp5.so"}) {
      if (void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
        return reinterpret_cast<InParallel>(dlsym(handle, "omp_in_parallel"));
      }
    }
    return static_cast<InParallel>(nullptr);
  }();
  if (!in_parallel || !running_process() || !in_parallel()) return nullptr;
  return "MPI call inside a parallel region of OpenMP that waits for other ranks: all ranks share OpenMP's threads; "
         "call "
         "MPI outside parallel regions";
}

}  // namespace

void watch_parallel_regions() { reason_not_to_wait = find_reason; }

}  // namespace pysmpi
