// Messages as flows over the links of their routes: the native model of SMPI, LV08, CM02 and raw.
#pragma once

#include "network/model.hpp"

namespace pysmpi {

std::unique_ptr<Carrier> make_flow_carrier(const Platform& platform, Network& network);
void explain_flow(const pysmpi_lone_message& message, pysmpi_lone_terms& out);

}  // namespace pysmpi
