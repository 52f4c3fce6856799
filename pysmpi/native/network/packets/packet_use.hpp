// Parts of the packet model that a run has used. Settings of the other parts had no effect.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

struct PacketUse {
  bool several_packets = false;   // a message had more than one packet
  bool several_messages = false;  // an adapter had several messages to inject at the same time
  bool bypassed = false;          // a message was short enough for packets/bypass
  bool lacked_room = false;       // a packet waited for room in a buffer
  // A link that is not shared and that would limit a message if its packets queued for the link; kNone if there is
  // none.
  LinkId ignored_limit = kNone;
};

}  // namespace pysmpi
