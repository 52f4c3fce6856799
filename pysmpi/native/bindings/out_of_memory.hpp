// An error text and an orderly end of the process when memory runs out in the simulator's own code.
#pragma once

namespace pysmpi {

// Switch the error text on, while a simulation exists, or off. Without it, std::bad_alloc would end the process by
// abort.
void report_lack_of_memory(bool on);

}  // namespace pysmpi
