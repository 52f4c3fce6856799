// Settings that compiled libraries such as PyTorch keep once in the process or thread. Python functions exchange them
// when another rank runs (pysmpi/simulation/isolation/library_settings.py). Nothing is called unless such a library is
// loaded.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Give each rank its own settings: save those of rank `from` and restore those of rank `to` (-1: the main greenlet).
void exchange_library_settings(RankId from, RankId to);

// Exchange the variables of libraries of which each rank has its own (pysmpi_isolate_pointer, pysmpi_isolate_zeroed).
void exchange_library_variables(RankId from, RankId to);

}  // namespace pysmpi
