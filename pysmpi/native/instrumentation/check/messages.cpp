// Checks of messages: whether both sides agree, and the rules of send modes.
#include "engine/simulation.hpp"
#include "instrumentation/check/checker.hpp"
#include "instrumentation/check/signatures.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

namespace {

constexpr std::int64_t kOverhead = 96;                       // MPI_BSEND_OVERHEAD
const void* const kAutomatic = reinterpret_cast<void*>(-2);  // MPI_BUFFER_AUTOMATIC

// Return whether the request belongs to the implementation of a collective or a window.
bool is_inner(const Request& r) {
  if (r.context % 2 != 0) return true;
  const Communicator* const communicator = find_communicator_of(r.owner, r.communicator);
  return communicator && communicator->window != 0;
}

std::string rank_name(RankId rank) { return "rank " + std::to_string(rank); }

// Size of the rank's attached buffers in bytes; negative if it is unlimited.
std::int64_t room_of(RankId rank) {
  std::int64_t room = 0;
  for (const AttachedBuffer& buffer : simulation().fibers[rank].attached) {
    if (buffer.address == kAutomatic) return -1;
    room += buffer.size;
  }
  return room;
}

}  // namespace

const char* call_of(std::uint32_t id) {
  const Request& r = request(id);
  if (r.is_schedule()) return r.call;
  if (r.is_compound()) return "MPI_Isendrecv";
  const bool waits = (r.flags & (kNonblocking | kPersistent)) != 0, sends = r.is_send();
  if (!sends) return waits ? "MPI_Irecv" : "receive";
  switch (r.mode) {
    case SendMode::kBuffered:
      return waits ? "MPI_Ibsend" : "MPI_Bsend";
    case SendMode::kReady:
      return waits ? "MPI_Irsend" : "MPI_Rsend";
    default:
      return waits ? "MPI_Isend" : "send";
  }
}

// Returns the rank and call site of a request. A request without a recorded call site is being posted now, so the
// current call site of its rank is used.
Party MistakeFinder::party(std::uint32_t id) const {
  const Request& r = request(id);
  std::uint32_t site = site_of(id);
  if (site == kNowhere && simulation().running == r.owner) site = call_site();
  return {r.owner, site};
}

void MistakeFinder::message_copy_begins(const Request& send, const Request& receive) {
  const RequestId send_id = send.number, receive_id = receive.number;
  if (send.context % 2 != 0) return;
  if (send.mode == SendMode::kBuffered && static_cast<std::size_t>(send.owner) < buffered_.size() &&
      site_of(send_id) != kNowhere && send.sequence >= buffered_[send.owner].first) {
    buffered_[send.owner].bytes -= send.bytes + kOverhead;
  }
  ownership_.before_arrival(receive_id);
  const bool truncated = send.bytes > receive.bytes;
  if ((!truncated && match(*send.datatype, *receive.datatype, send.bytes)) || is_inner(send)) return;
  const Party sender = party(send_id), receiver = party(receive_id);
  Finding* const found = note_finding(truncated ? "truncated-message" : "mismatched-datatype", receiver, sender);
  if (!found) return;
  found->text = rank_name(receiver.rank) + " receives " + (truncated ? "at most " : "") +
                describe(receive.count, *receive.datatype) + at(receiver) + " from " + rank_name(sender.rank) +
                ", which sends " + describe(send.count, *send.datatype) + at(sender);
}

void MistakeFinder::message_matched(double, const Request& send, const Request& receive) {
  if (send.fault.error == 0) ownership_.after_arrival(receive.number);
}

void MistakeFinder::buffer_lent(std::uint32_t id, const Envelope&, Holding holding) {
  const Request& r = request(id);
  if (r.peer == kProcNull) return;
  const bool sends = r.is_send();
  const MemoryRegion region{static_cast<char*>(r.buffer), r.count, r.datatype};
  const bool waits = !(r.flags & kMatched);
  if (holding != Holding::kAlone || waits) ownership_.note_site(id);
  if (sends && waits) check_mode(id);
  if (holding == Holding::kAlone) {
    ownership_.look(call_of(id), region, !sends);
  } else {
    ownership_.take(id, region, !sends, holding == Holding::kUntilComplete);
  }
}

// Check a send for which no receive was posted: a ready send (MPI_Rsend) is then a mistake, and a buffered send
// (MPI_Bsend) must fit into the attached buffer.
void MistakeFinder::check_mode(std::uint32_t id) {
  const Request& r = request(id);
  const Party own = party(id);
  if (r.mode == SendMode::kReady) {
    if (Finding* const found = note_finding("ready-send-without-receive", own, own)) {
      found->text = rank_name(r.owner) + " calls " + call_of(id) + at(own) + " before " + rank_name(r.peer) +
                    " has posted the receive";
    }
  } else if (r.mode == SendMode::kBuffered) {
    if (buffered_.size() <= static_cast<std::size_t>(r.owner)) buffered_.resize(simulation().fibers.size());
    Buffered& waiting = buffered_[r.owner];
    waiting.newest = r.sequence;
    const std::int64_t used = waiting.bytes += r.bytes + kOverhead;
    const std::int64_t room = room_of(r.owner);
    if (room < 0 || used <= room) return;
    if (Finding* const found = note_finding("attached-buffer-too-small", own, own)) {
      found->text = rank_name(r.owner) + " calls " + call_of(id) + at(own) + ": its pending buffered messages need " +
                    std::to_string(used) + " bytes, including MPI_BSEND_OVERHEAD, but the attached buffers have " +
                    std::to_string(room);
    }
  }
}

void MistakeFinder::attached_buffers_emptied() {
  const auto rank = static_cast<std::size_t>(simulation().running);
  if (rank >= buffered_.size()) return;
  buffered_[rank].bytes = 0;
  buffered_[rank].first = buffered_[rank].newest + 1;
}

void MistakeFinder::request_handed_out(std::uint32_t id) {
  const Request& r = request(id);
  const bool is_message = r.datatype && !(r.flags & kPersistent);
  if (!is_message || site_of(id) == kNowhere) ownership_.note_site(id);
}

void MistakeFinder::request_released(std::uint32_t id) { ownership_.release(id); }

}  // namespace pysmpi
