// Standard streams of a rank: those of C, stdin, stdout and stderr, and those of C++. Lines appear as those of Python
// programs do (simulation/isolation/streams.py). Only rank 0 reads the standard input.
#pragma once

#include <cstdio>
#include <istream>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace pysmpi {

class Image;

class StandardStreams {
 public:
  // `reads` says whether the rank reads this process's standard input.
  StandardStreams(const Image& executable, bool reads);
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;
  ~StandardStreams();

  void flush();
  bool contain(const std::FILE* stream) const;
  void put() const;  // put the streams in the place of those of the C library

  // Return the rank's own stream of C++ with this symbol, such as _ZSt4cout.
  const void* stream_of_cpp(std::string_view symbol);

 private:
  struct Cpp;
  const Image& executable_;
  std::FILE *in_, *out_, *errors_;
  std::unique_ptr<Cpp> cpp_;
};

// Put the launcher's streams in place again.
void put_launcher_streams();

}  // namespace pysmpi
