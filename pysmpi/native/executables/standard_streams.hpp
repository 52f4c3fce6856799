// Standard streams of a rank: those of C, stdin, stdout and stderr, and those of C++. Lines appear as those of Python
// programs do (simulation/isolation/streams.py). Only rank 0 reads the standard input.
#pragma once

#include <cstdio>
#include <istream>
#include <memory>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace pysmpi {

class Image;

// Output of a rank to one descriptor. Threads of the program may write, too: their text waits until the rank's own
// thread writes, because only that can hand it to Python.
class RankOutput {
 public:
  explicit RankOutput(int descriptor) : descriptor_(descriptor) {}
  void write(const char* bytes, std::size_t count);
  void flush() { write(nullptr, 0); }

 private:
  int descriptor_;
  std::mutex mutex_;
  std::string waiting_;
};

class StandardStreams {
 public:
  // `reads` says whether the rank reads this process's standard input.
  StandardStreams(const Image& executable, bool reads);
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;
  ~StandardStreams();

  void flush();
  bool contain(const std::FILE* stream) const { return descriptor_of(stream) >= 0; }
  int descriptor_of(const std::FILE* stream) const;  // 0, 1 or 2; -1 for other streams
  RankOutput& output(int descriptor) { return outputs_[descriptor - 1]; }

  // Let a standard stream of the rank read or write a file (freopen). Returns the stream, or null.
  std::FILE* reopen(std::FILE* stream, const char* path, const char* mode);
  void put() const;  // put the streams in the place of those of the C library

  // Return the rank's own stream of C++ with this symbol, such as _ZSt4cout.
  const void* stream_of_cpp(std::string_view symbol);

 private:
  struct Cpp;
  void show_in_executable() const;

  const Image& executable_;
  RankOutput outputs_[2]{RankOutput(1), RankOutput(2)};
  std::FILE *in_, *out_, *errors_;
  std::unique_ptr<Cpp> cpp_;
};

// Put the launcher's streams in place again.
void put_launcher_streams();

}  // namespace pysmpi
