// The functions of Runner that post messages and restrict a schedule to a part of its communicator.
#include "schedule/runner.hpp"

#include <algorithm>
#include <span>

namespace pysmpi {

Runner::Part::Part(Runner& runner, std::span<const std::int32_t> ranks)
    : runner_(runner), rank_(runner.rank), size_(runner.size), members_(runner.members_) {
  const auto own = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
  if (members_) {
    for (const std::int32_t rank : ranks) within_.push_back(members_[rank]);
  }
  runner.members_ = members_ ? within_.data() : ranks.data();
  runner.rank = static_cast<std::int32_t>(own);
  runner.size = static_cast<std::int32_t>(ranks.size());
}

Runner::Part::~Part() {
  runner_.members_ = members_;
  runner_.rank = rank_;
  runner_.size = size_;
}

void Runner::hold(std::int32_t type) {
  const Datatype* const held = find_datatype(type);
  if (!held || held->references == 0) return;
  hold_datatype(*held);
  held_.push_back(held);
}

void Runner::send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type) {
  if (overheads_) {
    to_post_.push_back(
        {true, SendMode::kStandard, in_communicator(to), const_cast<void*>(buffer), count, type, tag_, nullptr});
  } else {
    add_send(post_to(in_communicator(to), buffer, count, type));
  }
}

void Runner::add_send(RequestId posted) {
  if (is_complete(posted)) {
    settle(posted);
  } else {
    round_.push_back(posted);
  }
}

void Runner::receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
  if (overheads_ && !to_post_.empty()) {  // the receive is posted after the overheads of the sends before it
    to_post_.push_back({false, SendMode::kStandard, in_communicator(from), buffer, count, type, tag_, nullptr});
    exchanges_ = true;
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type));
  }
}

void Runner::receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                                std::int32_t type) {
  if (overheads_) {
    to_post_.push_back({false, SendMode::kStandard, in_communicator(from), buffer, count, type, tag_, &reduction});
    exchanges_ = true;
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type, &reduction));
  }
}

RequestId Runner::start_receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
  started_.push_back(post_from(in_communicator(from), buffer, count, type));
  return started_.back();
}

}  // namespace pysmpi
