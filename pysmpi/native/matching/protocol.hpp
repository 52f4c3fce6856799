// SMPI's protocol of a message, by its size (SimGrid 3.32, src/smpi/mpi/smpi_request.cpp): whether it leaves before
// its receive is posted, whether its sender waits for it, and what it costs the ranks at its ends.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class SendMode : std::uint8_t { kStandard, kSynchronous, kBuffered, kReady };

// It leaves without waiting for its receive (below smpi/async-small-thresh).
bool is_eager(std::int64_t bytes, SendMode mode);

// Its bytes are copied and its sender goes on (below smpi/send-is-detached-thresh).
bool is_detached(std::int64_t bytes, SendMode mode);

// Seconds that the sender spends before it posts the message (smpi/os for blocking sends, smpi/ois for nonblocking
// ones), and the receiver once it has arrived (smpi/or; only for detached ones).
double send_overhead(std::int64_t bytes, bool nonblocking, SendMode mode);
double receive_overhead(std::int64_t bytes, bool detached);

}  // namespace pysmpi
