// The simulation as an algorithm sees it: the ranks of its communicator, and ways to send, receive, reduce, poll and
// wait.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "datatypes/copy.hpp"
#include "schedule/awaitables.hpp"
#include "schedule/driver.hpp"

namespace pysmpi {

// One rank's view while its schedule runs. Simulated times follow SMPI's sequence of MPI calls, so there are two ways
// to communicate: in a round (MPI_Isend, MPI_Irecv … MPI_Waitall) and by single blocking calls. Peers are ranks of the
// communicator; on an intercommunicator those below `size` are ranks of the local group, see remote().
class Runner final : public ScheduleDriver {
 public:
  Runner(std::uint32_t number, bool& polls_unsuccessfully) : ScheduleDriver(number, polls_unsuccessfully) {}

  std::int32_t rank = 0, size = 1;  // on an intercommunicator: in the local group
  std::int32_t remote_size = 0;     // on an intercommunicator: size of the remote group; else 0

  // Messages between two ranks match in order of posting. Where that order does not say which message is which (one is
  // received from kAnySource, or probed for), use streams: messages and probes match within one stream, 0 to 3. Do not
  // change the stream while a round is being posted.
  using ScheduleDriver::stream;

  // The node map of the communicator has been discovered by all ranks (collectives/nodes.hpp).
  bool knows_nodes = false;

  const Topology& topology() const { return *communicator_->topology; }
  const Fiber& thread() const { return *owner_; }  // the thread that called

  // The communicator of the ranks that the schedule sees, regardless of parts; of an intercommunicator the local one.
  Communicator& communicator() const { return communicator_->inter() ? *communicator_->local : *communicator_; }

  // The peer that stands for a rank of the remote group.
  std::int32_t remote(std::int32_t other) const { return size + other; }

  // A number that all ranks of the collective agree on and that differs between collectives under way.
  std::int32_t number() const { return tag_ & ~kInMeanwhile; }

  // From here on messages and probes are the program's own point-to-point messages, with this tag.
  void speak_for_program(std::int32_t tag) {
    context_ = communicator_->context;
    tag_ = tag;
  }

  // From here on messages belong to the communicator's blocking collective of this number.
  void speak_for_collective(std::uint32_t sequence) {
    context_ = communicator_->context + 1;
    tag_ = static_cast<std::int32_t>(sequence * 4 & 0x7fffffff);
  }

  // From here on the program's messages use this communicator. No message may be under way.
  void turn_to(Communicator& communicator) { communicator_ = &communicator; }

  bool has_met_fault() const { return fault_.error != 0; }
  const Fault& fault() const { return fault_; }

  // Record that expected data will not arrive: messages sent from now on carry the fault.
  void miss(const Fault& fault) {
    if (fault_.error == 0) fault_ = fault;
    missing_ = fault;
  }

  // While a Part lives, the schedule sees only some of its ranks, as a communicator of their own: `rank`, `size` and
  // peers are numbered among them. Parts nest. Messages begun within a part must be awaited within it.
  class Part {
   public:
    // `ranks`: the ranks of the part in its order, the runner's own among them. They must outlive the part.
    Part(Runner& runner, std::span<const std::int32_t> ranks);
    Part(const Part&) = delete;
    ~Part();

   private:
    Runner& runner_;
    const std::int32_t rank_, size_;
    const std::int32_t* const members_;
    std::vector<std::int32_t> within_;  // of a nested part: its ranks in the communicator's numbering
  };
  bool in_part() const { return members_ != nullptr; }

  // The peer in the communicator's numbering.
  std::int32_t in_communicator(std::int32_t peer) const { return members_ && peer >= 0 ? members_[peer] : peer; }

  // Return true if the schedule of a collective already runs, so that another one is to run within it.
  bool has_begun() const { return !schedule_.done(); }

  // While a Meanwhile lives, the schedule carries out another collective although messages of its own round are under
  // way; the round continues afterwards.
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

  // A round: send and receive post at once (MPI_Isend, MPI_Irecv); `co_await round()` waits for all posted messages.
  void send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type);
  void receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type);
  // Reduces the message into the buffer, in order of arrival. Only for predefined operations and contiguous datatypes.
  // The reduction must outlive the round.
  void receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                          std::int32_t type);
  [[nodiscard]] Awaiting round() {
    if (overheads_) pace_ = Pace::kPostRound;
    return {*this, Wait::kRound};
  }

  // Like round(), but by MPI_Wait instead of MPI_Waitall if only one message is under way.
  [[nodiscard]] Awaiting round_or_one() {
    if (overheads_ || round_.size() != 1) return round();
    const RequestId one = round_.front();
    round_.clear();
    return finish(one);
  }

  // MPI_Sendrecv.
  [[nodiscard]] Awaiting exchange(std::int32_t to, const void* out, std::int64_t out_count, std::int32_t out_type,
                                  std::int32_t from, void* in, std::int64_t in_count, std::int32_t in_type) {
    send(to, out, out_count, out_type);
    receive(from, in, in_count, in_type);
    return round();
  }

  // MPI_Isend between waits for other messages. Awaiting it posts the message; the next round waits for its end.
  [[nodiscard]] Awaiting start_send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                                    SendMode mode = SendMode::kStandard) {
    if (overheads_) return pace_send(Pace::kStartSend, in_communicator(to), buffer, count, type, mode);
    add_send(post_to(in_communicator(to), buffer, count, type, mode));
    return {*this, Wait::kNone};
  }

  // MPI_Send, MPI_Recv, and MPI_Irecv with its MPI_Wait. They do not wait for the round. `from` may be kAnySource; in a
  // part, too, that means any rank of the communicator.
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
  // MPI_Wait for the earliest started receive that has not been waited for.
  [[nodiscard]] Awaiting finish_first() { return finish(started_[first_started_]); }

  // Post a message now and without overhead, to be finished or added to a round later.
  RequestId post(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                 SendMode mode = SendMode::kStandard) {
    return post_to(in_communicator(to), buffer, count, type, mode);
  }
  RequestId expect(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
    return post_from(in_communicator(from), buffer, count, type);
  }
  void add_to_round(RequestId posted) { round_.push_back(posted); }

  // Start another schedule of the rank beside this one, as a library does with a nonblocking collective of its own.
  // `start` makes it from its runner, which sees the same ranks. Its messages use `in_stream`, 1 to 3, which no other
  // schedule under way may use. `finish` waits for the returned request.
  template <class Start>
  RequestId fork(std::int32_t in_stream, Start&& start) {
    Runner& side = beside(in_stream);
    return side.begin(start(side), call_, in_owner_);
  }

  // MPI_Iprobe: returns whether a message from this peer is available, after smpi/iprobe has passed.
  [[nodiscard]] Probing probe(std::int32_t from) { return Probing{*this, in_communicator(from)}; }
  // Waits, without polls, until a message from this peer is available or its rank has failed.
  [[nodiscard]] Appearing appearance(std::int32_t from) { return Appearing{*this, in_communicator(from)}; }
  // After an unsuccessful probe: whether further probes are pointless, because nothing else is under way in the whole
  // simulation or polls take no time. The schedule should then receive the message, so that a deadlock is detected.
  bool probes_are_pointless() const { return options().iprobe_cost <= 0.0 || only_polls_are_under_way(); }

  // Waits until wake() is called.
  [[nodiscard]] Woken until_woken() { return Woken{*this}; }

  // Remove a message between two ranks of the group that none is to receive; false if none exists. Takes no time.
  bool discard(std::int32_t from, std::int32_t to) {
    const Communicator& group = group_of(in_communicator(to));
    return discard_message(group.world(in_communicator(to)), group, envelope(in_communicator(from)));
  }

  // The rank sleeps for `seconds`, or computes `flops` on its host.
  [[nodiscard]] Sleeping sleep(double seconds) { return Sleeping{*this, seconds}; }
  [[nodiscard]] Computing compute(double flops) { return Computing{*this, flops}; }

  // inout = in op inout. A program's own operation runs in a greenlet of the rank, and only while the rank is inside an
  // MPI call: the schedule of a rank that computes waits for the rank's next call.
  [[nodiscard]] Reducing reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout,
                                std::int64_t count) {
    return Reducing{*this, reduction, type, in, inout, count};
  }

  // Keep a datatype that the program may free while the schedule runs. Ignores handles that are not datatypes.
  void hold(std::int32_t type);

  // Keep memory that messages refer to until the schedule ends.
  char* keep(Scratch&& memory) { return kept_.emplace_back(std::move(memory)).data(); }

 private:
  static constexpr std::int32_t kInMeanwhile = 1 << 30;  // in the tag: keeps apart the messages of both collectives

  friend Runner& take_runner(Communicator& communicator, std::uint32_t sequence);

  Runner& beside(std::int32_t in_stream);
  void add_send(RequestId posted);  // to the round, unless it is complete
  Awaiting pace_send(Pace pace, std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                     SendMode mode) {
    pace_ = pace;
    posting_ = {true, mode, to, const_cast<void*>(buffer), count, type, tag_, nullptr};
    return {*this, pace == Pace::kSend ? Wait::kSingle : Wait::kNone};
  }

  const std::int32_t* members_ = nullptr;  // of a part: its ranks in the communicator's numbering
};

}  // namespace pysmpi
