// Lines and files of time-independent traces, and the actions that are not messages.
#include "instrumentation/ti_trace/ti_trace.hpp"

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <utility>

#include "engine/simulation.hpp"
#include "instrumentation/c_api.h"
#include "instrumentation/instruments.hpp"

namespace pysmpi {

namespace {

constexpr std::size_t kMostUnwritten = 16384;  // bytes of a rank; beyond that they are appended to its file

}  // namespace

TiTrace::TiTrace(std::string directory, RankId ranks) : directory_(std::move(directory)), unwritten_(ranks) {
  for (RankId rank = 0; rank < ranks; ++rank) line(rank, "init");
}

std::string TiTrace::path(RankId rank) const { return directory_ + "/rank-" + std::to_string(rank) + ".txt"; }

void TiTrace::line(RankId rank, const char* format, ...) {
  if (static_cast<std::size_t>(rank) >= unwritten_.size()) {
    other_operation(rank, "MPI_Comm_spawn");
    return;
  }
  char text[256];
  int length = std::snprintf(text, sizeof text, "%d ", rank);
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  text[length++] = '\n';
  unwritten_[rank].append(text, length);
  if (unwritten_[rank].size() > kMostUnwritten) write(rank);
}

void TiTrace::text(RankId rank, const std::string& line) {
  if (static_cast<std::size_t>(rank) >= unwritten_.size()) return;
  unwritten_[rank] += std::to_string(rank) + " " + line + "\n";
  if (unwritten_[rank].size() > kMostUnwritten) write(rank);
}

void TiTrace::write(RankId rank) {
  std::FILE* const file = std::fopen(path(rank).c_str(), "a");
  std::string& text = unwritten_[rank];
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) failed_ = true;
  if (file && std::fclose(file) != 0) failed_ = true;
  text.clear();
}

bool TiTrace::close() {
  for (std::size_t rank = 0; rank < unwritten_.size(); ++rank) {
    line(static_cast<RankId>(rank), "finalize");
    write(static_cast<RankId>(rank));
    unwritten_[rank].shrink_to_fit();
  }
  return !failed_;
}

void TiTrace::thread_begins(double, const Fiber& thread) {
  if (thread.number != thread.rank) other_operation(thread.rank, "a thread of a rank");
}

void TiTrace::other_operation(RankId rank, const char* name) {
  if (!inexpressible_.empty()) return;
  inexpressible_ = std::string(name) + " (rank " + std::to_string(rank) + ")";
}

void TiTrace::computation_begins(double, const Fiber& thread, const BySource& flops) {
  line(thread.rank, "compute %.17g", flops.total());
}

void TiTrace::computation_skipped(const Fiber& thread, const BySource& flops) {
  line(thread.rank, "compute %.17g", flops.total());
}

void TiTrace::sleep_begins(double now, const Fiber& thread) { sleep_begun_[thread.rank] = now; }

void TiTrace::sleep_ends(double now, const Fiber& thread) {
  const double begun = sleep_begun_[thread.rank];
  if (now > begun) idled(thread.rank, now - begun);
}

void TiTrace::idled(RankId rank, double seconds) { line(rank, "sleep %.17g", seconds); }

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_record(const char* directory, int32_t ranks) {
  std::unique_ptr<TiTrace>& trace = Instruments::current().ti_trace;
  if (trace) remove_observer(*trace);
  trace = directory ? std::make_unique<TiTrace>(directory, ranks) : nullptr;
  if (trace) add_observer(*trace);
}

int32_t pysmpi_end_recording(void) { return Instruments::current().ti_trace->close() ? 0 : -1; }
const char* pysmpi_inexpressible(void) { return Instruments::current().ti_trace->inexpressible().c_str(); }
