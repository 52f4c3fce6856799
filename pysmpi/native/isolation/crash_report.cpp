// Report of a crash in native code: the rank and the host. Afterwards the signal handler that was installed before this
// one, such as Python's faulthandler, prints its own lines.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "engine/own_stack.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

std::string host_names;  // hosts of the first ranks, in rank order, each followed by a zero byte
std::array<struct sigaction, kSignals.size()> handlers_before;
bool installed = false;

// Runs after a crash, perhaps with a damaged heap: it allocates nothing.
void report(int signal, siginfo_t* info, void*) {
  if (inside_rank()) {
    const RankId rank = simulation().running;
    const char* name = host_names.data();
    const char* const end = name + host_names.size();
    for (RankId before = 0; before < rank && name < end; ++before) name += std::strlen(name) + 1;
    const bool overflows = (signal == SIGSEGV || signal == SIGBUS) && overflows_own_stack(info->si_addr);
    const char* const overflow =
        overflows ? "its own stack overflowed; --cfg contexts/stack-size:KIB sets a larger one" : nullptr;
    char text[256];
    const int length =
        std::snprintf(text, sizeof(text), "pysmpi: rank %d%s%s%s crashed (%s) at simulated time %.9g s; its stack:\n",
                      static_cast<int>(rank), name < end ? " (host " : "", name < end ? name : "",
                      name < end ? ")" : "", overflow ? overflow : strsignal(signal), simulation().now);
    const auto size = std::min<std::size_t>(static_cast<std::size_t>(length), sizeof(text) - 1);
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, size);
  }
  const auto index = std::find(kSignals.begin(), kSignals.end(), signal) - kSignals.begin();
  sigaction(signal, &handlers_before[static_cast<std::size_t>(index)], nullptr);
  raise(signal);
}

}  // namespace
}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_report_crashes(const char* names, int32_t size) {
  host_names.assign(names, static_cast<std::size_t>(size));
  if (installed) return;
  struct sigaction action{};
  action.sa_sigaction = report;
  action.sa_flags = SA_NODEFER | SA_ONSTACK | SA_SIGINFO;
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    sigaction(kSignals[index], &action, &handlers_before[index]);
  }
  installed = true;
}

void pysmpi_end_crash_reports(void) {
  if (!installed) return;
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    struct sigaction now{};
    sigaction(kSignals[index], nullptr, &now);
    if (now.sa_sigaction == report) sigaction(kSignals[index], &handlers_before[index], nullptr);
  }
  installed = false;
}
