// Functions of SMPI's header smpi/smpi.h: computation by its amount, sampled loops, and memory whose contents do not
// matter.
#include "mpi/smpi.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/c_api.h"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "executables/sampled_loops.hpp"
#include "rank_memory/c_api.h"
#include "rank_memory/folded.hpp"

using namespace pysmpi;

namespace {

// Let the time of a computation pass now, as under SMPI, and not together with that of the next one.
template <typename Add>
void execute(Add add) {
  if (!inside_rank()) return;
  if (account_computation()) {
    add();
    account_computation();
  }
  leave_call();
}

}  // namespace

extern "C" {

void smpi_execute_flops(double flops) {
  execute([=] { owe_flops(TimeSource::kInjected, flops); });
}
void smpi_execute_flops_benched(double flops) { smpi_execute_flops(flops); }

void smpi_execute(double seconds) {
  execute([=] { owe_measured_seconds(TimeSource::kInjected, seconds); });
}
void smpi_execute_benched(double seconds) {
  execute([=] { pysmpi_execute_seconds(seconds); });
}

int smpi_sample_cond(int global, const char* place, const char* tag, int iterations, double threshold) {
  if (inside_rank()) {
    SampledLoops::current().begin_iteration(std::string(place) + ':' + tag, global != 0, iterations, threshold);
  }
  return 1;
}
int smpi_sample_runs(void) { return !inside_rank() || SampledLoops::current().runs(); }
void smpi_sample_iter(void) {
  if (inside_rank()) SampledLoops::current().end_iteration();
}
int smpi_sample_exit(void) {
  if (inside_rank()) SampledLoops::current().end_loop();
  return 0;
}

void* smpi_shared_malloc(size_t size, const char*, int) {
  return inside_rank() && pysmpi_programs_fold() ? pysmpi_folded_map(size) : std::malloc(size);
}

// Parts between the given ones, from an offset to the next, are ordinary memory.
void* smpi_shared_malloc_partial(size_t size, const size_t* shared_block_offsets, int nb_shared_blocks) {
  if (!inside_rank() || !pysmpi_programs_fold()) return std::malloc(size);
  std::vector<std::uint64_t> own;
  std::uint64_t end = 0;
  for (int i = 0; i < nb_shared_blocks; ++i) {
    const std::uint64_t begin = shared_block_offsets[2 * i];
    if (begin > end) own.insert(own.end(), {end, begin});
    end = shared_block_offsets[2 * i + 1];
  }
  if (size > end) own.insert(own.end(), {end, size});
  return pysmpi_folded_map_zones(size, static_cast<int32_t>(own.size() / 2), own.data());
}

int smpi_shared_known_call(const char* function, const char* input) {
  return SampledLoops::current().results.contains({function, input});
}
void* smpi_shared_get_call(const char* function, const char* input) {
  return SampledLoops::current().results.at({function, input});
}
void* smpi_shared_set_call(const char* function, const char* input, void* result) {
  return SampledLoops::current().results[{function, input}] = result;
}

void smpi_shared_free(void* data) {
  if (data && is_folded(data)) return;
  if (pysmpi_is_zoned(data)) {
    pysmpi_folded_unmap_zones(data);
  } else {
    std::free(data);
  }
}

}  // extern C
