// Buffered output file.
#include "instrumentation/timeline/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace pysmpi {

OutputFile::OutputFile(const std::string& path)
    : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) error_ = errno;
  waiting_.reserve(kPiece + (1 << 12));
}

OutputFile::~OutputFile() { close(); }

void OutputFile::write() {
  const char* from = waiting_.data();
  std::size_t left = error_ == 0 ? waiting_.size() : 0;
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      error_ = errno;
      break;
    }
    from += written;
    left -= static_cast<std::size_t>(written);
  }
  waiting_.clear();
}

int OutputFile::close() {
  if (descriptor_ < 0) return error_;
  write();
  if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  descriptor_ = -1;
  return error_;
}

}  // namespace pysmpi
