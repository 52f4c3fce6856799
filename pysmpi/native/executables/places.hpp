// Places in the source of compiled programs.
#pragma once

namespace pysmpi {

// Let the engine find and describe the lines at which compiled programs call MPI, until forget_places.
void find_places();
void forget_places();

}  // namespace pysmpi
