// The engine's side of a running schedule: the class that posts and awaits the schedule's messages and resumes the
// schedule.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/datatype.hpp"
#include "datatypes/reduction.hpp"
#include "engine/fiber.hpp"
#include "matching/communicator.hpp"
#include "matching/point_to_point.hpp"
#include "matching/probing.hpp"
#include "schedule/pool.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

class Runner;

// Drives one rank's schedule from the engine's event loop. The rank of a blocking collective blocks once and wakes
// once, whatever the number of rounds. The rank of a nonblocking collective gets a request, which completes when the
// schedule ends, and computes meanwhile. Algorithms see the derived class Runner (schedule/runner.hpp) only; the
// functions of schedule/running.hpp start and stop a driver.
class alignas(64) ScheduleDriver : public Waiter {
 public:
  ScheduleDriver(const ScheduleDriver&) = delete;
  ScheduleDriver& operator=(const ScheduleDriver&) = delete;

  void wake() final;
  void list(std::uint32_t place) final;

 protected:
  friend Runner& take_runner(Communicator& communicator, std::uint32_t sequence);
  friend void give_runner(Runner& runner);
  friend Fault run_blocking(Runner& runner, Schedule schedule, const char* call);
  friend bool run_as_rank(Runner& runner, Schedule schedule);
  friend RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call);
  friend RequestId schedule_under_way(RankId rank);
  friend void forget_schedules(RankId rank);
  friend void show_waiting_schedules();

  // The messages that a schedule waits for: none, all messages of its round (those posted since it last waited for a
  // round), or the message `single_`.
  enum class Wait : std::uint8_t { kNone, kRound, kSingle };

  // Objects that a schedule may co_await (schedule/awaitables.hpp).
  struct Awaiting;
  struct Reducing;
  struct Probing;
  struct Appearing;
  struct Sleeping;
  struct Computing;
  struct Woken;
  struct NextCall;

  // Wakes the driver at the end of an overhead, a sleep or a computation.
  class Alarm final : public Waiter {
   public:
    explicit Alarm(ScheduleDriver& driver) : driver_(driver) {}
    void wake() override;

    Spent spent = Spent::kOther;  // use of the time, for observers

   private:
    ScheduleDriver& driver_;
  };

  // Wakes the driver at the end of a poll. While the polls of a loop remain unsuccessful, the driver watches for the
  // message, so that the engine can repeat them without waking it.
  class PollEnd final : public Waiter {
   public:
    PollEnd(ScheduleDriver& driver, bool& unsuccessful) : driver_(driver), unsuccessful_(unsuccessful) {}
    void wake() override;
    void start(std::int32_t from, bool repeats);
    bool found(std::int32_t from);  // start() is not needed when polls take no time
    // If the polls of a loop go on, set what the thread waits for, for a report of a deadlock, and return true.
    bool shows_awaited(Fiber* thread) const;
    void stop() {
      stop_watching(driver_.world_rank_, &unsuccessful_);
      from_ = first_ = kNobody;
    }

   private:
    static constexpr std::int32_t kNobody = -100;
    double lengthening(std::int32_t from);

    ScheduleDriver& driver_;
    std::int32_t from_ = kNobody;  // peer of the last poll
    Envelope envelope_ = {};
    bool& unsuccessful_;
    // State of a loop that polls several peers in turn, as long as its polls are unsuccessful and no other time passes.
    std::int32_t first_ = kNobody;    // peer of the loop's first poll
    std::uint64_t rounds_ = 0;        // how often this peer was polled again
    double ended_at_ = 0.0;           // simulated time at which the last poll ended
    bool is_lengthened_ = false;      // the poll under way is lengthened
    std::uint64_t polls_before_ = 0;  // result of Polls::begin_lengthened
  };

  // While this object lives, observers attribute events to a nonblocking schedule, not to its rank.
  class Attribution {
   public:
    explicit Attribution(const ScheduleDriver& driver);
    Attribution(const Attribution&) = delete;
    ~Attribution();

   private:
    const std::uint32_t before_;
  };

  // A message that is posted later: when the earlier messages have been posted and its own call overhead has passed.
  struct Posting {
    bool is_send = true;
    SendMode mode = SendMode::kStandard;
    std::int32_t peer = 0;
    void* buffer = nullptr;
    std::int64_t count = 0;
    std::int32_t type = 0, tag = 0;
    const Reduction* combine = nullptr;
  };

  // The step that a schedule has reached, if call overheads are simulated (schedule/overheads.cpp).
  enum class Pace : std::uint8_t { kNone, kPostRound, kTakeRound, kStartSend, kSend, kFinish, kFinished, kLast };

  // `polls_unsuccessfully` is a flag that is true while the driver's polls cannot find a message. The engine often
  // reads the flags of all drivers, so the flags are stored side by side, outside the drivers.
  ScheduleDriver(std::uint32_t number, bool& polls_unsuccessfully)
      : poll_end_(*this, polls_unsuccessfully), number_(number) {}
  ~ScheduleDriver() = default;

  // On an intercommunicator, peers below its size are ranks of the local group, and the others are ranks of the remote
  // group.
  const Communicator& group_of(std::int32_t peer) const {
    return communicator_->inter() && peer < communicator_->size() ? *communicator_->local : *communicator_;
  }
  Envelope envelope(std::int32_t peer) const {
    const std::int32_t local = communicator_->size();
    return {peer < local ? peer : peer - local, tag_ + stream, context_};
  }

  RequestId post_to(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                    SendMode mode = SendMode::kStandard) {
    ++sent_;
    if (observers) return post_observed(to, buffer, count, type, mode);
    return post_send(world_rank_, group_of(to), envelope(to), mode, buffer, count, *find_datatype(type), missing_);
  }
  RequestId post_observed(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type, SendMode mode);
  RequestId post_from(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type,
                      const Reduction* combine = nullptr) {
    return post_receive(world_rank_, group_of(from), envelope(from), buffer, count, *find_datatype(type), combine);
  }

  bool is_settled(Wait wait);  // true if all awaited requests are complete; otherwise they wake the driver
  void settle(Wait wait);      // releases the complete requests and keeps their first fault
  void settle(RequestId id);
  void remove_from_started(RequestId id);

  RequestId begin(Schedule schedule, const char* call, bool in_owner);  // begins a nonblocking schedule
  void resume();
  void end();
  void abandon();
  void recycle();
  // The rank itself computes or sleeps in its schedule (a step of a program's schedule, an action of a trace), and goes
  // on. A nonblocking schedule computes beside its rank.
  void leave_mpi();
  void enter_mpi();
  void show_waiting();  // records the awaited message for deadlock reports

  // For schedules with call overheads: carry out the next steps as far as possible. Returns true if the schedule may
  // continue; otherwise an alarm or a request wakes the driver.
  bool has_kept_pace();
  bool has_posted_round();
  bool has_taken_round();
  bool has_paid_for(const Posting& posting);  // true once the overhead of the posting has passed
  void sleep_for(double seconds, Spent spent);

  // The schedule owes the time of its local copies (schedule/local_work.hpp), which pass at its next step.
  // Return the seconds of combining `count` elements; none for operations of the program, whose own code takes time.
  double combining_seconds(std::int32_t type, std::int64_t count) const;
  double take_debt();  // returns the seconds that the schedule owes, and from now on owes nothing
  bool pays_debt();    // true if the schedule owes time: it sleeps, and an alarm wakes the driver
  void note_debt();    // the schedule's code has run

  std::uint32_t observed_number() const { return request_ == kNone ? kNone : number_; }
  void notify_spent(Spent spent) const;

  // The driver uses these members whenever it resumes its schedule. They come first and share two cache lines, because
  // a simulation has as many drivers as ranks, and the drivers take turns.
  Alarm alarm_{*this};
  std::coroutine_handle<> suspended_;  // null while the schedule runs and after its end
  Communicator* communicator_ = nullptr;
  Fiber* owner_ = nullptr;  // blocking: the fiber that waits for the end; nonblocking: the rank's first thread
  RankId world_rank_ = -1;
  std::int32_t tag_ = 0;    // tag of stream 0
  std::int32_t stream = 0;  // added to the tag; see Runner::stream
  double owed_ = 0.0;       // seconds
  std::uint32_t context_ = 0;
  RequestId single_ = kNone;
  bool overheads_ = false;  // call overheads are simulated
  bool in_owner_ = false;   // the schedule runs in its rank's greenlet, not in the engine's loop
  bool abandoned_ = false;  // the schedule's rank has been stopped
  // The schedule continues only while its rank is inside MPI. What it has begun there, such as posting the messages of
  // a round with their overheads, it also ends if the rank leaves MPI meanwhile.
  bool continues_in_calls_ = false;
  bool awaits_appearance_ = false;  // the schedule waits for a message to appear, not for requests
  std::vector<RequestId> round_;    // requests of the round; kNone once has_taken_round has taken one

  Pace pace_ = Pace::kNone;
  bool paid_ = false;                    // the overhead of the next posting has passed
  std::uint32_t posted_ = 0;             // number of entries of to_post_ that have been posted
  std::uint32_t left_ = 0;               // number of messages of the round that has_taken_round has not taken yet
  std::uint32_t sent_ = 0;               // number of messages that the schedule has sent
  std::vector<Posting> to_post_;         // messages of the round
  bool exchanges_ = false;               // one of them is a receive; with sends only, the rank waits as in MPI_Send
  std::vector<std::uint32_t> complete_;  // heap: places in round_ of complete messages that have not been taken yet
  Posting posting_;                      // the single message of kStartSend or kSend

  double touched_ = 0.0;                  // bytes that the call touches
  RequestId request_ = kNone;             // request of a nonblocking schedule
  const char* call_ = "";                 // the MPI function
  Fault fault_;                           // the first fault of a message
  Fault missing_;                         // fault of data that never arrived: messages sent afterwards carry it
  const ScheduleDriver* main_ = nullptr;  // the driver that forked this one and whose memory this one uses
  std::vector<RequestId> started_;  // receives outside the round; those from first_started_ on have not been waited for
  std::size_t first_started_ = 0;
  std::vector<Scratch> kept_;
  std::vector<const Datatype*> held_;
  Reducing* task_ = nullptr;
  Schedule schedule_;
  PollEnd poll_end_;
  const std::uint32_t number_;  // unique among drivers
};

}  // namespace pysmpi
