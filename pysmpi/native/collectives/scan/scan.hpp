// Prefix reductions: scan and exscan.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule scan_linear(Runner& run, Arguments a);
Schedule scan_chain(Runner& run, Arguments a);
Schedule scan_recursive_doubling(Runner& run, Arguments a);
Schedule exscan_linear(Runner& run, Arguments a);
Schedule exscan_chain(Runner& run, Arguments a);
Schedule exscan_recursive_doubling(Runner& run, Arguments a);

}  // namespace pysmpi
