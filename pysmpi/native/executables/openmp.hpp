// OpenMP in executables. Ranks share its run-time library and its threads.
#pragma once

namespace pysmpi {

// Refuse waits for other ranks inside parallel regions, whose threads other ranks would use.
void watch_parallel_regions();

}  // namespace pysmpi
