// Prefix reductions: scan and exscan.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule scan_linear(Runner& run, Arguments args);
Schedule scan_chain(Runner& run, Arguments args);
Schedule scan_recursive_doubling(Runner& run, Arguments args);
Schedule exscan_linear(Runner& run, Arguments args);
Schedule exscan_chain(Runner& run, Arguments args);
Schedule exscan_recursive_doubling(Runner& run, Arguments args);

}  // namespace pysmpi
