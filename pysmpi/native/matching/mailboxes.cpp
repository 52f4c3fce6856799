// Counts the calls with which SMPI locks and searches mailboxes.
#include "matching/mailboxes.hpp"

#include "matching/requests.hpp"

namespace pysmpi {

namespace {

bool is_small(std::int64_t bytes) { return bytes < options().async_small_threshold; }

}  // namespace

std::uint32_t calls_before_send(RankId sender, RankId receiver, Envelope envelope, std::int64_t bytes, SendMode mode) {
  if (!is_small(bytes)) return 1;
  if (mode != SendMode::kSynchronous) return 2;
  const RequestId receive = queues().find_receive(receiver, envelope.context, sender, envelope.tag);
  return receive != kNone && !is_small(request(receive).bytes) ? 2 : 3;
}

std::uint32_t calls_before_receive(RankId receiver, RankId sender, Envelope envelope, std::int64_t bytes) {
  if (!is_small(bytes)) return 2;
  const RequestId send = queues().find_send(receiver, envelope.context, sender, envelope.tag);
  return send != kNone && is_eager(request(send).bytes, request(send).mode) ? 2 : 3;
}

}  // namespace pysmpi
