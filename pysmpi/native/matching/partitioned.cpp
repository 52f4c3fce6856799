// Partitioned communication: channels between partitioned sends and receives.
#include "matching/partitioned.hpp"

#include <algorithm>

#include "datatypes/composition.hpp"
#include "matching/compound.hpp"

namespace pysmpi {
namespace {

constexpr std::int32_t kByte = 0x4c00010d;  // MPI_BYTE in MPICH's ABI

using End = PartitionedMessages::End;
using Channel = PartitionedMessages::Channel;

auto& ends() { return PartitionedMessages::current().ends; }

End& end_of(RequestId id) { return *ends().at(id); }
std::int64_t bytes_each(const Request& r) { return r.datatype->size * r.count; }

RankId world_of(const End& end) { return end.communicator->peer_world(end.envelope.peer, request(end.id).owner); }

// Return a datatype for the bytes [from, from + length) of the elements, relative to the buffer. The caller must free
// it.
Datatype& part_of(const Datatype& type, std::int64_t from, std::int64_t length) {
  Composition part;
  const Datatype& byte = *find_datatype(kByte);
  const auto take = [&](char* at, std::int64_t count, std::int64_t stride, std::int64_t bytes) {
    for (; count > 0; --count, at += stride) part.add(byte, bytes, reinterpret_cast<std::intptr_t>(at));
  };
  std::int64_t skip = from % type.size;
  for (std::int64_t element = from / type.size; length > 0; ++element) {
    char* const at = reinterpret_cast<char*>(element * type.extent);
    for (const Piece& piece : *type.layout) walk(piece, at, skip, length, take);
  }
  return *find_datatype(add_datatype(part.finish()));
}

// Post the receive's messages, one for each partition of the send. To be called when both the send and the receive
// exist.
void post_receives(End& end) {
  const Request r = request(end.id);
  const std::int64_t each = end.channel->sent_bytes, room = bytes_each(r) * end.partitions;
  end.messages.assign(end.channel->sent_partitions, kNone);
  expect_messages(r.partner, static_cast<std::int32_t>(end.messages.size()) - 1);
  for (std::size_t i = 0; i < end.messages.size(); ++i) {
    const Envelope envelope{end.envelope.peer, static_cast<std::int32_t>(i), end.channel->context};
    const std::int64_t from = std::min<std::int64_t>(i * each, room), length = std::min(each, room - from);
    RequestId& message = end.messages[i];
    if (length == 0 || r.datatype->contiguous) {
      message = post_receive(r.owner, *end.communicator, envelope, static_cast<char*>(r.buffer) + from, length,
                             *find_datatype(kByte));
    } else {
      Datatype& part = part_of(*r.datatype, from, length);
      message = post_receive(r.owner, *end.communicator, envelope, r.buffer, 1, part);
      free_datatype(part);
    }
    add_message(r.partner, message);
  }
}

// Connect a partitioned send or receive to the channel of its matching counterpart. If the counterpart does not exist
// yet, open a channel to which it will connect.
void join(End& end) {
  const Request& r = request(end.id);
  const bool sends = r.is_send();
  const RankId other = world_of(end);
  const PartitionedMessages::Key key{end.envelope.context, sends ? r.owner : other, sends ? other : r.owner,
                                     end.envelope.tag};
  auto& halves = PartitionedMessages::current().halves;
  std::deque<std::shared_ptr<Channel>>& waiting = halves[key];
  if (waiting.empty() || (sends ? waiting.front()->sent_partitions > 0 : waiting.front()->has_receive)) {
    end.channel = std::make_shared<Channel>(Channel{.context = new_context()});
    waiting.push_back(end.channel);
  } else {
    end.channel = waiting.front();
    waiting.pop_front();
  }
  if (waiting.empty()) halves.erase(key);
  if (sends) {
    end.channel->sent_partitions = end.partitions;
    end.channel->sent_bytes = bytes_each(r);
  } else {
    end.channel->has_receive = true;
    end.channel->receive = &end;
  }
  End* const receive = end.channel->receive;
  if (sends && receive && request(receive->id).partner != kNone) post_receives(*receive);
}

}  // namespace

RequestId make_partitioned(Role role, RankId owner, Communicator& communicator, Envelope envelope, void* buffer,
                           std::int32_t partitions, std::int64_t count, const Datatype& datatype) {
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kPartitioned;
  r.role = role;
  r.flags = kPersistent;
  r.owner = owner;
  r.peer = envelope.peer;
  r.tag = envelope.tag;
  r.communicator = communicator.handle;
  r.datatype = &datatype;
  hold_datatype(datatype);
  r.count = count;
  r.buffer = buffer;
  hold_communicator(communicator);
  const auto [place, _] =
      ends().insert_or_assign(id, std::make_unique<End>(End{id, &communicator, envelope, partitions, nullptr, {}}));
  if (envelope.peer != kProcNull) join(*place->second);
  return id;
}

void start_partitioned(RequestId id) {
  End& end = end_of(id);
  Request& r = request(id);
  const bool sends = r.is_send(), nobody = end.envelope.peer == kProcNull;
  // A receive waits for one message for each partition of the send. If the send does not exist yet, its number of
  // partitions is unknown: the receive then expects one message, and post_receives corrects the number.
  r.partner = begin_compound(r.owner, *end.communicator, r.role, end.envelope, nobody ? 0 : sends ? end.partitions : 1);
  end.messages.assign(sends ? end.partitions : 0, kNone);
  if (!sends && !nobody && end.channel->sent_partitions > 0) post_receives(end);
}

void free_partitioned(RequestId id) {
  End& end = end_of(id);
  if (end.channel && end.channel->receive == &end) end.channel->receive = nullptr;
  release_communicator(*end.communicator);
  ends().erase(id);
}

std::int32_t partitions_of(RequestId id) { return end_of(id).partitions; }
std::int64_t partition_bytes(RequestId id) { return bytes_each(request(id)); }

bool is_ready(RequestId id, std::int32_t partition) { return end_of(id).messages[partition] != kNone; }

void send_partition(RequestId id, std::int32_t partition) {
  End& end = end_of(id);
  const Request r = request(id);
  const Envelope envelope{end.envelope.peer, partition, end.channel ? end.channel->context : 0};
  char* const first = static_cast<char*>(r.buffer) + partition * r.count * r.datatype->extent;
  const RequestId message =
      post_send(r.owner, *end.communicator, envelope, SendMode::kStandard, first, r.count, *r.datatype);
  end.messages[partition] = message;
  if (end.channel) {
    add_message(r.partner, message);
  } else {
    release(message);
  }
}

std::optional<PartitionedState> find_partitioned(RequestId id) {
  for (const auto& [own, end] : ends()) {
    const Request& r = request(own);
    if (own != id && r.partner != id) continue;
    PartitionedState state{bytes_each(r) * end->partitions, 0, 0};
    if (!r.is_send() || r.partner == kNone) return state;
    const auto& messages = end->messages;
    state.not_ready = static_cast<std::int32_t>(std::ranges::count(messages, kNone));
    state.first = static_cast<std::int32_t>(std::ranges::find(messages, kNone) - messages.begin());
    return state;
  }
  return std::nullopt;
}

bool has_arrived(RequestId id, std::int32_t partition) {
  const End& end = end_of(id);
  const RequestId active = request(id).partner;
  if (active == kNone || is_complete(active)) return true;
  const auto sent = static_cast<std::int64_t>(end.messages.size());
  if (sent == 0) return false;
  // Both sides transfer the same number of bytes, so a partition of the receive covers a range of the send's
  // partitions.
  const std::int64_t first = partition * sent / end.partitions;
  const std::int64_t last = ((partition + 1) * sent + end.partitions - 1) / end.partitions;
  return std::all_of(end.messages.begin() + first, end.messages.begin() + last, is_complete);
}

}  // namespace pysmpi
