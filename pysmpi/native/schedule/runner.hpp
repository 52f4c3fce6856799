// The simulation as an algorithm sees it: the ranks of its communicator, and ways to send, receive, reduce, poll and
// wait.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "schedule/awaitables.hpp"
#include "schedule/driver.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

// One rank's view while its schedule runs. Simulated times follow SMPI's sequence of MPI calls, so there are two ways
// to communicate: in a round (MPI_Isend, MPI_Irecv … MPI_Waitall) and by single blocking calls. Peers are ranks of the
// communicator; on an intercommunicator, peers below `size` are ranks of the local group, and remote() returns the
// others.
class Runner final : public ScheduleDriver {
 public:
  Runner(std::uint32_t number, bool& polls_unsuccessfully) : ScheduleDriver(number, polls_unsuccessfully) {}

  std::int32_t rank = 0, size = 1;  // on an intercommunicator: rank in the local group, and its size
  std::int32_t remote_size = 0;     // size of the remote group; 0 unless on an intercommunicator

  // Messages between two ranks match in order of posting. If that order is not enough (a message is received from
  // kAnySource, or probed for), use streams, numbered 0 to 3: messages and probes match only within one stream. Do not
  // change the stream while a round is being posted.
  using ScheduleDriver::stream;

  using ScheduleDriver::combining_seconds;

  // Index of the program's schedule (pysmpi.Schedule) in which a look (one poll for a message) has found a message;
  // negative if none has.
  std::int64_t found_at = -1;
  bool looked_in_vain = false;  // a look of the program's schedules has found no message

  // Set the bytes of the buffers that the call touches: more than fit in a cache lie in memory
  // (schedule/local_work.hpp).
  void touches(double bytes) { touched_ = bytes; }

  // True if all ranks have discovered the node map of the communicator (collectives/nodes.hpp).
  bool knows_nodes = false;

  const Topology& topology() const { return *communicator_->topology; }
  Fiber& thread() const { return *owner_; }  // the thread that called the MPI function

  // Reserve memory for the messages of a round of this schedule. Without this call, the memory may grow to twice the
  // size.
  void expect_messages(std::int32_t count) {
    if (overheads_) to_post_.reserve(static_cast<std::size_t>(count));
  }

  // The whole communicator, even while the schedule sees only a part of it; for an intercommunicator, the
  // intracommunicator of the local group.
  Communicator& communicator() const { return communicator_->inter() ? *communicator_->local : *communicator_; }

  // Return the peer number of rank `other` of the remote group.
  std::int32_t remote(std::int32_t other) const { return size + other; }

  // A number that all ranks of the collective agree on and that differs between collectives under way.
  std::int32_t number() const { return tag_ & ~kInMeanwhile; }

  // Return what to add to a stream so that its messages also match those of the other collective, while a Meanwhile
  // object exists.
  std::int32_t outside_meanwhile() const { return number() - tag_; }

  // From now on, send and probe with this tag, as the program itself does in point-to-point calls.
  void speak_for_program(std::int32_t tag) {
    context_ = communicator_->context;
    tag_ = tag;
  }

  // From now on, send messages as the communicator's blocking collective with this sequence number.
  void speak_for_collective(std::uint32_t sequence) {
    context_ = communicator_->context + 1;
    tag_ = static_cast<std::int32_t>(sequence * 4 & 0x7fffffff);
  }

  // From now on, send messages on this communicator. Only for schedules that a program writes (pysmpi.Schedule), and
  // only while no message is under way.
  void turn_to(Communicator& communicator) { communicator_ = &communicator; }

  // From now on, continue the nonblocking schedule only while its rank is inside MPI, if the settings say so.
  void continue_in_calls() { continues_in_calls_ = options().rounds_by_calls && owner_; }

  bool has_met_fault() const { return fault_.error != 0; }
  const Fault& fault() const { return fault_; }

  // Record that expected data will not arrive: messages sent from now on carry the fault.
  void miss(const Fault& fault) {
    if (fault_.error == 0) fault_ = fault;
    missing_ = fault;
  }

  // While a Part object exists, the schedule sees only some ranks of its communicator, as if these had a communicator
  // of their own: `rank`, `size` and peers refer to these ranks only. Parts nest. Messages begun within a part must be
  // awaited within it.
  class Part {
   public:
    // `ranks` lists the ranks of the part in the part's order and contains the runner's own rank. The list must outlive
    // the part.
    Part(Runner& runner, std::span<const std::int32_t> ranks);
    Part(const Part&) = delete;
    ~Part();

   private:
    Runner& runner_;
    const std::int32_t rank_, size_;
    const std::int32_t* const members_;
    std::vector<std::int32_t> within_;  // for a nested part: its ranks, numbered as in the communicator
  };
  bool in_part() const { return members_ != nullptr; }

  // Return the peer's number in the communicator.
  std::int32_t in_communicator(std::int32_t peer) const { return members_ && peer >= 0 ? members_[peer] : peer; }

  // Return true if the runner already runs the schedule of a collective. A further collective must then run within that
  // schedule.
  bool has_begun() const { return !schedule_.done(); }

  // While a Meanwhile object exists, the schedule carries out another collective, although messages that it has posted
  // before are not complete. Afterwards the schedule can wait for those messages.
  class Meanwhile {
   public:
    explicit Meanwhile(Runner& runner) : runner_(runner), round_(std::exchange(runner.round_, {})) {
      runner_.tag_ ^= kInMeanwhile;
    }
    Meanwhile(const Meanwhile&) = delete;
    ~Meanwhile() {
      runner_.tag_ ^= kInMeanwhile;
      runner_.round_.insert(runner_.round_.end(), round_.begin(), round_.end());
    }

   private:
    Runner& runner_;
    std::vector<RequestId> round_;
  };

  // Messages of a round: send and receive post a message at once (MPI_Isend, MPI_Irecv), and `co_await round()` waits
  // for all posted messages (MPI_Waitall).
  void send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type);
  void receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type);
  // Receive a message and reduce it into the buffer; messages are reduced in order of arrival. Only for predefined
  // operations and contiguous datatypes. The reduction must outlive the round.
  void receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                          std::int32_t type);
  [[nodiscard]] Awaiting round() {
    if (overheads_) pace_ = Pace::kPostRound;
    return {*this, Wait::kRound};
  }

  // Wait for all posted messages as round() does. If only one message is under way, wait for it as MPI_Wait does, not
  // as MPI_Waitall does.
  [[nodiscard]] Awaiting round_or_one() {
    if (overheads_ || round_.size() != 1) return round();
    const RequestId one = round_.front();
    round_.clear();
    return finish(one);
  }

  // Send one message and receive another, as MPI_Sendrecv does.
  [[nodiscard]] Awaiting exchange(std::int32_t to, const void* out, std::int64_t out_count, std::int32_t out_type,
                                  std::int32_t from, void* in, std::int64_t in_count, std::int32_t in_type) {
    send(to, out, out_count, out_type);
    receive(from, in, in_count, in_type);
    return round();
  }

  // Post a send (MPI_Isend) of the next round early, although the schedule still waits for other messages before that
  // round. `co_await` posts the message; the next wait for a round also waits for it.
  [[nodiscard]] Awaiting start_send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                                    SendMode mode = SendMode::kStandard) {
    if (overheads_) return pace_send(Pace::kStartSend, in_communicator(to), buffer, count, type, mode);
    add_send(post_to(in_communicator(to), buffer, count, type, mode));
    return {*this, Wait::kNone};
  }

  // Single messages, as with MPI_Send, MPI_Recv, and MPI_Irecv with MPI_Wait. These functions do not wait for the
  // round. `from` may be kAnySource, which means any rank of the whole communicator even inside a part.
  [[nodiscard]] Awaiting send_now(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                                  SendMode mode = SendMode::kStandard) {
    if (overheads_) return pace_send(Pace::kSend, in_communicator(to), buffer, count, type, mode);
    single_ = post_to(in_communicator(to), buffer, count, type, mode);
    return {*this, Wait::kSingle};
  }
  [[nodiscard]] Awaiting receive_now(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
    return finish(start_receive(from, buffer, count, type));
  }
  RequestId start_receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type);
  [[nodiscard]] Awaiting finish(RequestId started) {
    if (overheads_) pace_ = Pace::kFinish;
    single_ = started;
    return {*this, Wait::kSingle};
  }
  // Wait (MPI_Wait) for the earliest started receive that has not been waited for.
  [[nodiscard]] Awaiting finish_first() { return finish(started_[first_started_]); }

  // Post a message now, without overhead. Pass the returned request to finish() or add_to_round() later.
  RequestId post(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                 SendMode mode = SendMode::kStandard) {
    return post_to(in_communicator(to), buffer, count, type, mode);
  }
  RequestId expect(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
    return post_from(in_communicator(from), buffer, count, type);
  }
  void add_to_round(RequestId posted) { round_.push_back(posted); }

  // Start another schedule of the rank beside this one, as a library does with a nonblocking collective of its own.
  // `start` takes the new schedule's runner, which sees the same ranks, and returns the schedule. Its messages use the
  // stream `in_stream` (1 to 3), which no other schedule under way may use. `finish` waits for the returned request.
  template <class Start>
  RequestId fork(std::int32_t in_stream, Start&& start) {
    Runner& side = beside(in_stream);
    return side.begin(start(side), call_, in_owner_);
  }

  // Poll as MPI_Iprobe does: return, after smpi/iprobe seconds, whether a message from this peer is available.
  [[nodiscard]] Probing probe(std::int32_t from) { return Probing{*this, in_communicator(from), false}; }
  // Poll in a loop that goes on until a message is available. The engine repeats polls without resuming the schedule
  // while no message can be found, so this returns false only from time to time.
  [[nodiscard]] Probing probe_on(std::int32_t from) { return Probing{*this, in_communicator(from), true}; }
  // Wait, without polls, until a message from this peer is available or the peer has failed.
  [[nodiscard]] Appearing appearance(std::int32_t from) { return Appearing{*this, in_communicator(from)}; }
  // After an unsuccessful probe, return whether further probes are pointless, because polls take no time or nothing but
  // polls is under way in the simulation. The schedule should then receive the message, so that a deadlock is detected.
  bool probes_are_pointless() const { return options().iprobe_cost <= 0.0 || only_polls_are_under_way(); }

  // Wait for the rank's next MPI call, if the schedule continues in calls only.
  [[nodiscard]] NextCall next_call() { return NextCall{*this}; }

  // Wait until wake() is called.
  [[nodiscard]] Woken until_woken() { return Woken{*this}; }

  // Remove an unmatched message between two ranks, which no rank will receive. Returns false if no message exists.
  // Takes no time.
  bool discard(std::int32_t from, std::int32_t to) {
    const Communicator& group = group_of(in_communicator(to));
    return discard_message(group.world(in_communicator(to)), group, envelope(in_communicator(from)));
  }

  // Let the rank sleep for `seconds`, or compute `flops` on its host.
  [[nodiscard]] Sleeping sleep(double seconds) { return Sleeping{*this, seconds}; }
  [[nodiscard]] Computing compute(double flops) { return Computing{*this, flops}; }

  // Set `inout` to `in op inout`. A user-defined operation runs in a greenlet of the rank, and only while the rank is
  // inside an MPI call. If the rank computes, the schedule waits for the rank's next call.
  [[nodiscard]] Reducing reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout,
                                std::int64_t count) {
    return Reducing{*this, reduction, type, in, inout, count};
  }

  // Take the time of a reduction whose operands have been combined already.
  [[nodiscard]] Sleeping pay_for_reduction(const Reduction& reduction, std::int32_t type, std::int64_t count) {
    return Sleeping{*this, combining_seconds(type, count), Spent::kWorkingOnData};
  }

  // Keep a datatype until the schedule ends, because the program may free it earlier. Ignores handles that are not
  // datatypes.
  void hold(std::int32_t type);

  // Keep memory until the schedule ends, because messages refer to the memory.
  char* keep(Scratch&& memory) { return kept_.emplace_back(std::move(memory)).data(); }

 private:
  static constexpr std::int32_t kInMeanwhile = 1 << 30;  // tag flag that separates the messages of two collectives

  friend Runner& take_runner(Communicator& communicator, std::uint32_t sequence);

  Runner& beside(std::int32_t in_stream);
  void add_send(RequestId posted);  // adds the send to the round unless it is complete
  Awaiting pace_send(Pace pace, std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                     SendMode mode) {
    pace_ = pace;
    posting_ = {true, mode, to, const_cast<void*>(buffer), count, type, tag_, nullptr};
    return {*this, pace == Pace::kSend ? Wait::kSingle : Wait::kNone};
  }

  const std::int32_t* members_ = nullptr;  // inside a part: its ranks, numbered as in the communicator; else null
};

}  // namespace pysmpi
