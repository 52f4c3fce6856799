// Native ranks that run one pysmpi.Schedule each.
#include "replay/schedules.hpp"

#include <span>
#include <utility>

#include "rank_memory/folded.hpp"
#include "schedule/steps.hpp"

namespace pysmpi {

namespace {

constexpr char kName[] = "pysmpi.Schedule";

class WrittenSchedules final : public NativeProgram {
 public:
  explicit WrittenSchedules(std::vector<pysmpi_schedule> schedules) : schedules_(std::move(schedules)) {
    for (pysmpi_schedule& schedule : schedules_) {
      schedule.communicator = kNativeWorld;
      schedule.buffer = reinterpret_cast<void*>(folded_begin);
      schedule.room = static_cast<std::int64_t>(folded_length);
    }
  }

  Schedule run(Runner& run, RankId rank) override {
    show_native_wait(rank, kName, WaitKind::kOther);
    const ObservedAction observed(rank, kName);
    const pysmpi_schedule* const own = &schedules_[rank];
    if (const std::int64_t unfit = first_unfit(*own, nullptr); unfit < own->number) {
      fail_natively(rank, "the amount of step " + std::to_string(unfit) + " is " + describe_unfit(own->steps[unfit]));
      co_return;
    }
    co_await run_schedules(run, std::span(&own, 1), nullptr, rank);
    if (run.has_met_fault()) fail_natively(rank, describe_for_program(run.fault()));
  }

  Position position(RankId) const override { return {0, kName}; }

 private:
  AbsentMemory memory_;  // stands in for the memory of messages without a buffer
  std::vector<pysmpi_schedule> schedules_;
};

}  // namespace

std::unique_ptr<NativeProgram> program_of(std::vector<pysmpi_schedule> schedules) {
  return std::make_unique<WrittenSchedules>(std::move(schedules));
}

}  // namespace pysmpi
