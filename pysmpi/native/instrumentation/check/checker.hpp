// What --check looks for while a program runs. Each kind of mistake has a name that stays the same; docs/checks.md
// lists them all.
#pragma once

#include <cstdint>
#include <vector>

#include "base/checker.hpp"
#include "instrumentation/check/meetings.hpp"
#include "instrumentation/check/ownership.hpp"

namespace pysmpi {

class MistakeFinder final : public Checker {
 public:
  void matched(std::uint32_t send, std::uint32_t receive) override;
  void delivered(std::uint32_t receive) override;
  void begun(std::uint32_t request, Holding holding) override;
  void buffers_emptied() override;
  void handed_out(std::uint32_t request) override;
  void released(std::uint32_t request) override;
  void entered(const CollectiveCall& call, std::uint32_t sequence) override;
  void started(const CollectiveCall& call, std::uint32_t request) override;
  void truncated(const char* call) override;

  std::uint32_t site_of(std::uint32_t request) const { return ownership_.site_of(request); }

 private:
  Party party(std::uint32_t request) const;
  void check_mode(std::uint32_t request);

  Ownership ownership_;
  Meetings meetings_;
  // The buffered sends of a rank that wait: their bytes; those before `first` are in buffers no more.
  struct Buffered {
    std::int64_t bytes = 0;
    std::uint64_t newest = 0, first = 0;  // by Request::sequence
  };
  std::vector<Buffered> buffered_;  // by rank
};

}  // namespace pysmpi
