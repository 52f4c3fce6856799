// Error text for the moment at which memory runs out in the simulator's own code.
#include "bindings/out_of_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "engine/simulation.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

// Returns the resident memory of this process in GiB, or 0 if the system does not say.
double resident_gib() {
  char text[128] = {};
  const int file = open("/proc/self/statm", O_RDONLY);
  if (file < 0) return 0.0;
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  long total = 0, resident = 0;
  if (length <= 0 || std::sscanf(text, "%ld %ld", &total, &resident) != 2) return 0.0;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 0x1p30;
}

// Prints the error text and ends the process. Does not throw an exception, which could not pass the C code between the
// ranks and the engine. Allocates nothing.
void report() {
  char text[640];
  const int length = std::snprintf(
      text, sizeof(text),
      "pysmpi: error: memory ran out at simulated time %.9g s: this process holds %.1f GiB, with %zu ranks and room "
      "for "
      "%zu messages and receives at a time; the rest is the ranks' data, routes and flows. Remedies: fewer ranks, "
      "folded "
      "arrays (--cfg=smpi/auto-shared-malloc-thresh:1MiB), fewer messages under way at once, or "
      "--cfg=network/model:LogGPS, which keeps neither routes nor flows\n",
      simulation().now, resident_gib(), simulation().fibers.size(),
      static_cast<std::size_t>(RequestPool::current().size()));
  const auto size = std::min<std::size_t>(static_cast<std::size_t>(length), sizeof(text) - 1);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, size);
  _exit(EXIT_FAILURE);
}

}  // namespace

void report_lack_of_memory(bool on) { std::set_new_handler(on ? report : nullptr); }

}  // namespace pysmpi
