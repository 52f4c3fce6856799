// Where in the program the running rank is: the innermost Python frame that is neither pysmpi's nor mpi4py's.
#pragma once

#include <cstdint>
#include <string>

namespace pysmpi {

// A small number that stands for file and line, the same for all ranks; 0: nowhere in a program. A look at the frame
// and into a table: some tenths of a microsecond. To be asked inside a rank's own call, while the rank runs.
std::uint32_t call_site();

const std::string& call_site_text(std::uint32_t site);  // "solve.py:12"; the path as the program was given

std::uint32_t call_site_count();  // numbers are below this

void forget_call_sites();  // a simulation ends

}  // namespace pysmpi
