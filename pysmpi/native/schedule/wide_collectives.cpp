// Counts of collectives that send about P² messages, and their C interface.
#include "schedule/wide_collectives.hpp"

#include <algorithm>
#include <cstring>

#include "schedule/c_api.h"

namespace pysmpi {

void WideCollectives::count(const char* call, std::int32_t size, std::uint32_t sent) {
  auto found = std::find_if(by_call.begin(), by_call.end(), [call](const WideCollective& each) {
    return each.call == call || std::strcmp(each.call, call) == 0;
  });
  if (found == by_call.end()) found = by_call.insert(found, WideCollective{call, size, 0, 0, 0});
  found->size = std::max(found->size, size);
  ++found->all;
  if (sent + 1 < static_cast<std::uint32_t>(size)) return;
  ++found->heavy;
  found->messages += sent;
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_read_wide_collective(int32_t index, pysmpi_wide_collective* out) {
  const std::vector<WideCollective>& all = WideCollectives::current().by_call;
  if (index >= static_cast<int32_t>(all.size())) return -1;
  const WideCollective& one = all[index];
  *out = {one.call, one.size, one.all, one.heavy, one.messages};
  return 0;
}
