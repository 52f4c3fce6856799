// An error text and an orderly end of the process when memory runs out in the simulator's own code.
#pragma once

namespace pysmpi {

// Switch the error text on or off; it is on while a simulation exists. While it is off, std::bad_alloc ends the process
// by abort.
void report_lack_of_memory(bool on);

}  // namespace pysmpi
