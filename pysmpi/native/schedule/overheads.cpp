// The costs of calls (smpi/os, smpi/ois, smpi/or): a schedule sleeps before it sends and after it has received.
#include <algorithm>

#include "base/options.hpp"
#include "engine/beginnings.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"
#include "schedule/runner.hpp"

namespace pysmpi {

struct Runner::Suspended {
  Runner& runner;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> schedule) { runner.suspended_ = schedule; }
  void await_resume() {}
};

struct Runner::AwaitingAny {  // of requests that were all told to report here
  Runner& runner;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> schedule) {
    runner.suspended_ = schedule;
    runner.pending = 1;
  }
  void await_resume() {}
};

void Runner::Sleeping::await_suspend(std::coroutine_handle<> schedule) {
  runner.suspended_ = schedule;
  runner.alarm_.pending = 1;
  Simulation& engine = simulation();
  beginnings().sleep(engine.call_order(), engine.now + seconds, &runner.alarm_);
}

// As SMPI's MPI_Waitall does: each message is seen to in the order of completion, and costs the rank what it costs.
Schedule Runner::paced_round() {
  std::vector<RequestId>& left = round_;
  for (const Posting& p : to_post_) {  // nothing is added meanwhile
    tag_ = p.tag;
    if (p.is_send) {
      co_await Sleeping{*this, send_overhead(p.count * find_datatype(p.type)->size, true, SendMode::kStandard)};
      left.push_back(post_to(p.peer, p.buffer, p.count, p.type));
    } else {
      left.push_back(post_from(p.peer, p.buffer, p.count, p.type, p.combine));
    }
  }
  to_post_.clear();
  for (const RequestId id : left) {
    if (!is_complete(id)) await(id, this);
  }
  pending = -1;  // completions are looked for below, not waited for here
  while (!left.empty()) {
    const auto complete = std::find_if(left.begin(), left.end(), is_complete);
    if (complete == left.end()) {
      show_waiting(left.front(), static_cast<std::int32_t>(left.size()));
      co_await AwaitingAny{*this};
      continue;
    }
    const double cost = receive_overhead(*complete);
    settle(*complete);
    left.erase(complete);
    co_await Sleeping{*this, cost};
  }
}

Schedule Runner::paced_start(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                             SendMode mode) {
  co_await Sleeping{*this, send_overhead(count * find_datatype(type)->size, true, mode)};
  round_.push_back(post_to(to, buffer, count, type, mode));
}

Schedule Runner::paced_send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type, SendMode mode) {
  co_await Sleeping{*this, send_overhead(count * find_datatype(type)->size, false, mode)};
  single_ = post_to(to, buffer, count, type, mode);
  co_await Awaiting{*this, Schedule(), Wait::kSingle};
}

Schedule Runner::paced_finish(RequestId started) {
  single_ = started;
  if (!is_settled(Wait::kSingle)) co_await Suspended{*this};
  const double cost = receive_overhead(started);
  settle(Wait::kSingle);
  co_await Sleeping{*this, cost};
}

}  // namespace pysmpi
