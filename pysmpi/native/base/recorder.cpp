// Recording of time-independent traces.
#include "base/recorder.hpp"

#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/c_api.h"

namespace pysmpi {

namespace {

std::uint32_t next_number = 1;
// Buffered bytes of a rank at which its file is opened, appended to and closed.
constexpr std::size_t kMostWaiting = 16384;

}  // namespace

Recorder* recorder = nullptr;

Recorder::Recorder(std::string directory, RankId ranks)
    : directory_(std::move(directory)), number_(next_number++), waiting_(ranks) {
  for (RankId rank = 0; rank < ranks; ++rank) line(rank, "init");
}

std::string Recorder::path(RankId rank) const { return directory_ + "/rank-" + std::to_string(rank) + ".txt"; }

void Recorder::line(RankId rank, const char* format, ...) {
  if (static_cast<std::size_t>(rank) >= waiting_.size()) {
    cannot_express(rank, "MPI_Comm_spawn");
    return;
  }
  char text[256];
  int length = std::snprintf(text, sizeof text, "%d ", rank);
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  text[length++] = '\n';
  waiting_[rank].append(text, length);
  if (waiting_[rank].size() > kMostWaiting) write(rank);
}

void Recorder::text(RankId rank, const std::string& line) {
  if (static_cast<std::size_t>(rank) >= waiting_.size()) return;
  waiting_[rank] += std::to_string(rank) + " " + line + "\n";
  if (waiting_[rank].size() > kMostWaiting) write(rank);
}

void Recorder::cannot_express(RankId rank, const char* call) {
  if (!inexpressible_.empty()) return;
  inexpressible_ = std::string(call) + " (rank " + std::to_string(rank) + ")";
}

void Recorder::write(RankId rank) {
  std::FILE* const file = std::fopen(path(rank).c_str(), "a");
  std::string& text = waiting_[rank];
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) failed_ = true;
  if (file && std::fclose(file) != 0) failed_ = true;
  text.clear();
}

bool Recorder::close() {
  for (std::size_t rank = 0; rank < waiting_.size(); ++rank) {
    line(static_cast<RankId>(rank), "finalize");
    write(static_cast<RankId>(rank));
    waiting_[rank].shrink_to_fit();
  }
  return !failed_;
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_record(const char* directory, int32_t ranks) {
  delete recorder;
  recorder = directory ? new Recorder(directory, ranks) : nullptr;
}

int32_t pysmpi_end_recording(void) { return recorder->close() ? 0 : -1; }
const char* pysmpi_inexpressible(void) { return recorder->inexpressible().c_str(); }
