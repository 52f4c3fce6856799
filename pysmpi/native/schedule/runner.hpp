// Runs one rank's schedule: posts its messages, sleeps until they are complete and resumes it, all from the engine's
// loop. The rank of a blocking collective blocks once and wakes once, whatever the number of rounds; that of a
// nonblocking one gets a request, which is complete when the schedule has ended, and does what it likes meanwhile.
#pragma once

#include <coroutine>
#include <cstdint>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/copy.hpp"
#include "datatypes/reduction.hpp"
#include "engine/fiber.hpp"
#include "matching/communicator.hpp"
#include "matching/point_to_point.hpp"
#include "matching/probing.hpp"
#include "schedule/pool.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

// What a schedule sees of the engine. Simulated times follow SMPI's sequence of MPI calls, so there are two ways to
// communicate: a round (MPI_Isend, MPI_Irecv … MPI_Waitall) and single blocking calls.
class alignas(64) Runner final : public Waiter {
  struct Awaiting;
  struct Appearing;
  struct Probing;
  struct Reducing;
  struct Sleeping;
  struct Computing;
  struct Woken;
  class Alarm final : public Waiter {
   public:
    explicit Alarm(Runner& runner) : runner_(runner) {}
    void wake() override;

    Spent spent = Spent::kOther;  // what the time is for

   private:
    Runner& runner_;
  };

  // What is touched whenever the runner goes on comes first, in as few cache lines as possible: a simulation has as
  // many runners as ranks, which take turns.
  Alarm alarm_{*this};
  std::coroutine_handle<> suspended_;  // null: the schedule goes on, or has ended
  Communicator* communicator_ = nullptr;
  Fiber* owner_ = nullptr;  // blocking: who waits for the end; nonblocking: the rank's first thread
  RankId world_rank_ = -1;
  std::int32_t tag_ = 0;  // of stream 0
  std::uint32_t context_ = 0;
  RequestId single_ = kNone;
  bool overheads_ = false;                 // the costs of calls are simulated
  bool in_owner_ = false;                  // the schedule runs in its rank's greenlet, not in the engine's loop
  bool abandoned_ = false;                 // its rank has been stopped
  bool awaits_appearance_ = false;         // rather than its requests
  const std::int32_t* members_ = nullptr;  // of the part
  std::vector<RequestId> round_;
  // With the costs of calls (schedule/overheads.cpp).
  enum class Pace : std::uint8_t { kNone, kPostRound, kTakeRound, kStartSend, kSend, kFinish, kFinished, kLast };
  Pace pace_ = Pace::kNone;   // what the schedule waits for
  bool paid_ = false;         // what is posted next has cost what it costs
  std::uint32_t posted_ = 0;  // of to_post_
  struct Posting {            // a message that is posted only after its cost and those before it
    bool is_send = true;
    SendMode mode = SendMode::kStandard;
    std::int32_t peer = 0;
    void* buffer = nullptr;
    std::int64_t count = 0;
    std::int32_t type = 0, tag = 0;
    const Reduction* combine = nullptr;
  };
  std::vector<Posting> to_post_;  // of the round
  Posting posting_;               // a single one

 public:
  // `polls_in_vain`: where it says so. The engine looks at that again and again: those of all runners lie side by side.
  Runner(std::uint32_t number, bool& polls_in_vain) : poll_end_(*this, polls_in_vain), number_(number) {}

  std::int32_t rank = 0, size = 1;  // of an intercommunicator: in the local group
  std::int32_t remote_size = 0;     // of an intercommunicator: ranks in the other group

  // Messages between two ranks match in their order. Where that does not tell which is which (one of them may be
  // received from kAnySource, or probed for), they go in streams of their own: what is posted or probed for from here
  // on is of this one, 0 to 3. Not to be changed while a round is being posted.
  std::int32_t stream = 0;

  // What is posted or probed for from here on are the program's own point-to-point messages, with this tag.
  void speak_for_program(std::int32_t tag) {
    context_ = communicator_->context;
    tag_ = tag;
  }

  // The same for the communicator's blocking collective of this number.
  void speak_for_collective(std::uint32_t sequence) {
    context_ = communicator_->context + 1;
    tag_ = static_cast<std::int32_t>(sequence * 4 & 0x7fffffff);
  }

  // The program's messages go between the ranks of this communicator from here on. Nothing is under way.
  void turn_to(Communicator& communicator) { communicator_ = &communicator; }
  const Fiber& thread() const { return *owner_; }  // whose schedule it is
  bool has_met_fault() const { return fault_.error != 0; }
  const Fault& fault() const { return fault_; }

  // What was to come from a peer will not: what is sent from now on is worthless.
  void miss(const Fault& fault) {
    if (fault_.error == 0) fault_ = fault;
    missing_ = fault;
  }

  // Which ranks share a node has been looked for, as the same on all ranks (collectives/nodes.hpp).
  bool knows_nodes = false;

  // Of the collective that this is, or is part of, the same on all ranks, another one for each that is under way.
  std::int32_t number() const { return tag_ & ~kInMeanwhile; }

  // The peer that stands for a rank of the other group; those below `size` are the local group's.
  std::int32_t remote(std::int32_t other) const { return size + other; }
  const Topology& topology() const { return *communicator_->topology; }

  // The communicator of the group whose ranks the schedule sees, whole.
  Communicator& communicator() const { return communicator_->inter() ? *communicator_->local : *communicator_; }

  // While this lives, the schedule sees only some of its ranks, as a communicator of their own: `rank`, `size` and
  // peers are numbered among them. Parts may lie within parts. All that is begun within one is to be awaited there.
  class Part {
   public:
    // `ranks`: those of the part, in its order, among them the runner's own. They stay where they are for as long.
    Part(Runner& runner, std::span<const std::int32_t> ranks);
    Part(const Part&) = delete;
    ~Part();

   private:
    Runner& runner_;
    const std::int32_t rank_, size_;
    const std::int32_t* const members_;
    std::vector<std::int32_t> within_;  // a part within a part: its ranks as the communicator numbers them
  };
  bool has_begun() const { return !schedule_.done(); }  // it is inside a collective already
  bool in_part() const { return members_ != nullptr; }
  // As the communicator numbers them.
  std::int32_t in_communicator(std::int32_t peer) const { return members_ && peer >= 0 ? members_[peer] : peer; }

  // While this lives, the schedule carries out another collective, although messages of its own round are under way:
  // the round goes on afterwards.
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

  // A round: send and receive post at once (MPI_Isend, MPI_Irecv), `co_await round()` waits for all that was posted.
  void send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type);
  void receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type);
  // The message is reduced into the buffer, in whatever order messages come. Predefined operations, contiguous
  // datatypes; the reduction lives as long as the round.
  void receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                          std::int32_t type);
  [[nodiscard]] Awaiting round() {
    if (overheads_) pace_ = Pace::kPostRound;
    return {*this, Wait::kRound};
  }

  // The same by MPI_Wait where there is one message to wait for.
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

  // MPI_Isend between waits for other messages: it has left once this has been awaited. The next round waits for it.
  [[nodiscard]] Awaiting start_send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                                    SendMode mode = SendMode::kStandard) {
    if (overheads_) return pace_send(Pace::kStartSend, in_communicator(to), buffer, count, type, mode);
    add_send(post_to(in_communicator(to), buffer, count, type, mode));
    return {*this, Wait::kNone};
  }

  // MPI_Send and MPI_Recv, and MPI_Irecv with its MPI_Wait. What a round has posted so far is not waited for. A message
  // may be received from kAnySource; in a part, too, that is any rank of the communicator.
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

  // A message that is posted now and at no cost, to be finished or added to a round later. The cost of a send comes
  // before it (send_overhead).
  RequestId post(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                 SendMode mode = SendMode::kStandard) {
    return post_to(in_communicator(to), buffer, count, type, mode);
  }
  RequestId expect(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
    return post_from(in_communicator(from), buffer, count, type);
  }
  void add_to_round(RequestId posted) { round_.push_back(posted); }

  // Another schedule of the rank beside this one, made by `start` of its runner: what a library does with a nonblocking
  // collective of its own. It sees the ranks that this one sees now; its messages go in a stream, 1 to 3, where no
  // other is under way. `finish` waits for it.
  template <class Start>
  RequestId fork(std::int32_t in_stream, Start&& start) {
    Runner& side = beside(in_stream);
    return side.begin(start(side), call_, in_owner_);
  }

  // MPI_Iprobe: whether a message from this peer is there, once smpi/iprobe's cost has passed.
  [[nodiscard]] Probing probe(std::int32_t from) { return Probing{*this, in_communicator(from)}; }
  // Goes on once a message from this peer is there, or its rank has failed, without any polls.
  [[nodiscard]] Appearing appearance(std::int32_t from) { return Appearing{*this, in_communicator(from)}; }
  // After a probe that has found nothing: there is no hope either. Nothing else is under way in the whole simulation,
  // or time stands still. A schedule then receives what it has probed for, so that a deadlock shows.
  bool probes_in_vain() const { return options().iprobe_cost <= 0.0 || only_polls_are_under_way(); }

  // Goes on when somebody calls wake.
  [[nodiscard]] Woken until_woken() { return Woken{*this}; }

  // A message between two ranks of the group that nobody is to receive any more goes; false when there is none. Costs
  // nothing.
  bool discard(std::int32_t from, std::int32_t to) {
    const Communicator& group = group_of(in_communicator(to));
    return discard_message(group.world(in_communicator(to)), group, envelope(in_communicator(from)));
  }

  // The rank does nothing for so many seconds, or computes on its host.
  [[nodiscard]] Sleeping sleep(double seconds) { return Sleeping{*this, seconds}; }
  [[nodiscard]] Computing compute(double flops) { return Computing{*this, flops}; }

  // inout = in op inout; a program's own operation runs in a greenlet of the schedule's rank, while it is inside an MPI
  // call: a schedule of a rank that computes waits for the rank's next one.
  [[nodiscard]] Reducing reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout,
                                std::int64_t count) {
    return Reducing{*this, reduction, type, in, inout, count};
  }

  // A datatype that the program may free while the schedule runs; nothing when it is none.
  void hold(std::int32_t type);

  // Keeps memory that messages refer to for as long as the schedule runs.
  char* keep(Scratch&& memory) { return kept_.emplace_back(std::move(memory)).data(); }

  void wake() override;

 private:
  friend Runner& take_runner(Communicator& communicator, std::uint32_t sequence);
  friend void give_runner(Runner& runner);
  friend Fault run_blocking(Runner& runner, Schedule schedule, const char* call);
  friend bool run_as_rank(Runner& runner, Schedule schedule);
  friend RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call);
  friend RequestId schedule_under_way(RankId rank);
  friend void forget_schedules(RankId rank);
  friend void show_waiting_schedules();

  enum class Wait : std::uint8_t { kNone, kRound, kSingle };

  struct Awaiting {
    Runner& runner;
    Wait wait;
    bool await_ready() { return runner.overheads_ ? runner.has_kept_pace() : runner.is_settled(wait); }
    void await_suspend(std::coroutine_handle<> schedule) { runner.suspended_ = schedule; }
    void await_resume() { runner.settle(wait); }
  };

  struct Reducing {
    Runner& runner;
    Reduction reduction;
    std::int32_t type;
    const void* in;
    void* inout;
    std::int64_t count;
    bool await_ready() {
      if (reduction.kind == ReductionKind::kUser && !runner.in_owner_ && count > 0) return false;
      pysmpi::reduce(reduction, type, in, inout, count);
      return true;
    }
    void await_suspend(std::coroutine_handle<> schedule) {
      runner.suspended_ = schedule;
      runner.task_ = this;
      run_in_rank(runner.world_rank_, run_task, &runner);
    }
    void await_resume() {}
    static void run_task(void* runner);  // in a greenlet of the rank
  };

  // Of a poll. Who polls for the same message again watches for it meanwhile, which makes polls in vain cheap.
  class PollEnd final : public Waiter {
   public:
    PollEnd(Runner& runner, bool& vain) : runner_(runner), vain_(vain) {}
    void wake() override;
    void start(std::int32_t from);
    bool found(std::int32_t from) const;  // also when polls take no time, which none has started
    void stop() {
      stop_watching(runner_.world_rank_, &vain_);
      from_ = kNobody;
    }

   private:
    static constexpr std::int32_t kNobody = -100;
    Runner& runner_;
    std::int32_t from_ = kNobody;  // of the last poll
    Envelope envelope_ = {};
    bool& vain_;
  };

  struct Probing {
    Runner& runner;
    std::int32_t from;
    bool await_ready() const { return options().iprobe_cost <= 0.0; }
    void await_suspend(std::coroutine_handle<> schedule) {
      runner.suspended_ = schedule;
      runner.poll_end_.start(from);
    }
    bool await_resume() { return runner.poll_end_.found(from); }
  };

  struct Appearing {
    Runner& runner;
    std::int32_t from;
    bool await_ready() const;
    void await_suspend(std::coroutine_handle<> schedule);
    void await_resume() { runner.awaits_appearance_ = false; }
  };

  struct Sleeping {
    Runner& runner;
    double seconds;
    bool await_ready() const { return seconds <= 0.0; }
    void await_suspend(std::coroutine_handle<> schedule) {
      runner.suspended_ = schedule;
      runner.sleep_for(seconds, Spent::kAsleep);
    }
    void await_resume() {}
  };

  struct Woken {
    Runner& runner;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> schedule) { runner.suspended_ = schedule; }
    void await_resume() {}
  };

  struct Computing {
    Runner& runner;
    double flops;
    double begun = 0.0;
    bool await_ready() const { return flops <= 0.0; }
    void await_suspend(std::coroutine_handle<> schedule);
    void await_resume();
  };

  Runner& beside(std::int32_t stream);
  RequestId begin(Schedule schedule, const char* call, bool in_owner);

  void show_waiting();  // to deadlock reports
  // Whose messages those to and from this peer are, and what they bear.
  const Communicator& group_of(std::int32_t peer) const {
    return communicator_->inter() && peer < communicator_->size() ? *communicator_->local : *communicator_;
  }
  Envelope envelope(std::int32_t peer) const {
    const std::int32_t local = communicator_->size();
    return {peer < local ? peer : peer - local, tag_ + stream, context_};
  }
  RequestId post_to(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                    SendMode mode = SendMode::kStandard);
  void add_send(RequestId posted);  // to the round
  RequestId post_from(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type,
                      const Reduction* combine = nullptr);

  bool is_settled(Wait wait);  // has itself told when what is under way completes; true when all is complete
  void settle(Wait wait);      // takes note of errors and gives the requests back
  void settle(RequestId id);
  void remove_from_started(RequestId id);
  void resume();
  void end();
  void abandon();
  void let_go();

  // With the costs of calls: does what comes next, as far as it can; true once all has been done. Else an alarm or a
  // request wakes the runner.
  bool has_kept_pace();
  bool has_posted_round();
  bool has_taken_round();
  bool has_paid_for(const Posting& posting);  // true once its sender has slept for as long as it costs
  void sleep_for(double seconds, Spent spent);
  Awaiting pace_send(Pace pace, std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                     SendMode mode) {
    pace_ = pace;
    posting_ = {true, mode, to, const_cast<void*>(buffer), count, type, tag_, nullptr};
    return {*this, pace == Pace::kSend ? Wait::kSingle : Wait::kNone};
  }

  // For observers, while there are any: while this lives, a schedule that runs beside its rank acts.
  class Acting {
   public:
    explicit Acting(const Runner& runner);
    Acting(const Acting&) = delete;
    ~Acting();

   private:
    const std::uint32_t before_;
  };
  std::uint32_t beside() const { return request_ == kNone ? kNone : number_; }
  void tell_spent(Spent spent) const;

  RequestId request_ = kNone;                            // nonblocking: complete when the schedule has ended
  static constexpr std::int32_t kInMeanwhile = 1 << 30;  // in the tag: tells messages between the same ranks apart
  const char* call_ = "";                                // the MPI function
  Fault fault_;                                          // the first that a message has met
  Fault missing_;                 // why something has not been received: what is sent from then on is worthless
  const Runner* main_ = nullptr;  // whose fork it is: it refers to that one's memory
  std::vector<RequestId>
      started_;  // from first_started_ on: receives that are not of a round, until they are waited for
  std::size_t first_started_ = 0;
  std::vector<Scratch> kept_;
  std::vector<const Datatype*> held_;
  Reducing* task_ = nullptr;
  Schedule schedule_;
  PollEnd poll_end_;
  const std::uint32_t number_;  // among all
};

}  // namespace pysmpi
