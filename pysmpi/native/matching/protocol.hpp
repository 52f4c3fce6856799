// SMPI's protocol of a message, by its size (SimGrid 3.32, src/smpi/mpi/smpi_request.cpp): whether it leaves before its
// receive is posted, whether its sender waits, and the overheads of both ranks.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class SendMode : std::uint8_t {
  kStandard,
  kSynchronous,
  kBuffered,
  kReady,
  kExchange,  // the sender receives in the same call (MPI_Sendrecv, rounds of collectives); otherwise as kStandard
  kAcknowledgement,  // sent by the library as the answer to a synchronous send; otherwise as kStandard
};

// Return whether the message leaves before its receive is posted (below smpi/async-small-thresh).
bool is_eager(std::int64_t bytes, SendMode mode);

// Return whether the bytes are copied and the sender continues at once (below smpi/send-is-detached-thresh).
bool is_detached(std::int64_t bytes, SendMode mode);

// Return the seconds that the sender spends before posting the message (smpi/os for blocking sends, smpi/ois for
// nonblocking ones), and the receiver after its arrival (smpi/or, only for detached sends).
double send_overhead(std::int64_t bytes, bool nonblocking, SendMode mode);
double receive_overhead(std::int64_t bytes, bool detached);

}  // namespace pysmpi
