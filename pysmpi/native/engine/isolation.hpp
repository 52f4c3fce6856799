// Hook that exchanges the interpreter's private state of ranks.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Exchange the private state; called with the GIL held whenever the running rank changes (-1: the main greenlet).
void isolation_switch(RankId from, RankId to);

}  // namespace pysmpi
