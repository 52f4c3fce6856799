// Call sites: the line of the program that the running rank is executing, taken from the innermost Python frame that
// belongs neither to pysmpi nor to mpi4py.
#pragma once

#include <cstdint>
#include <string>

namespace pysmpi {

// Return the number of the call site, which stands for file and line and is the same on all ranks; 0 if it is outside
// the program. Takes some tenths of a microsecond. Call it inside a rank's own call, while the rank runs.
std::uint32_t call_site();

const std::string& call_site_text(std::uint32_t site);  // "solve.py:12", with the path as the program was given

std::uint32_t call_site_count();  // all numbers are below this

void forget_call_sites();  // called at the end of a simulation

}  // namespace pysmpi
