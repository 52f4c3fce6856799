// Environment variables of a rank's process.
#pragma once

namespace pysmpi {

struct Process;

// Return the value of a variable, or null.
char* variable_of(const Process& process, const char* name);

}  // namespace pysmpi
