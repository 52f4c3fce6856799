// Behaviour that MPI leaves to the library; the setting mpi chooses the library. Its values are in
// pysmpi/simulation/settings/mpi_libraries, which also says what each matter is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pysmpi {

// Rules of reductions: `Reductions` of behaviour.py, in its order.
enum class ReductionRules : std::uint8_t { kOpenMpi, kOpenMpi40, kMpich5, kMpich4, kIntelMpi, kSmpi };
inline constexpr std::size_t kReductionRules = 6;

struct LibraryBehaviour {
  std::int32_t largest_tag = 0x7fffffff;   // MPI_TAG_UB
  std::int32_t io_rank = 0;                // MPI_IO
  bool clock_is_global = true;             // MPI_WTIME_IS_GLOBAL
  bool only_world_has_attributes = false;  // only MPI_COMM_WORLD and duplicates have predefined attributes
  bool checks_tags_first = false;          // an invalid tag is reported rather than an invalid rank
  bool asks_self_first = false;            // errors that concern no communicator call MPI_COMM_SELF's handler if set
  ReductionRules reductions = ReductionRules::kOpenMpi;
  bool scatters_nearest_first = false;  // binomial scatters send the smallest subtree first
  bool copies_to_itself = false;        // an MPI_Sendrecv of a rank with itself is a copy that takes no time
};

extern LibraryBehaviour current_behaviour;
inline const LibraryBehaviour& library_behaviour() { return current_behaviour; }

// Set the field with this name, such as "library/largest-tag". Return false if the name is unknown.
bool set_library_behaviour(std::string_view name, double value);

}  // namespace pysmpi
