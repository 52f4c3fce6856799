// A file that is written sequentially in large pieces.
#pragma once

#include <string>
#include <string_view>

namespace pysmpi {

class OutputFile {
 public:
  // Create or overwrite the file. An error is reported by close().
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void append(std::string_view bytes) {
    waiting_ += bytes;
    if (waiting_.size() >= kPiece) write();
  }

  // Write the remaining bytes and close the file. Returns 0, or the errno of the first failed write.
  int close();

 private:
  static constexpr std::size_t kPiece = 1 << 18;
  void write();

  int descriptor_;
  int error_ = 0;
  std::string waiting_;
};

}  // namespace pysmpi
