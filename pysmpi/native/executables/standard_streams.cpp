// Makes the streams of ranks.
#include "executables/standard_streams.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <ext/stdio_sync_filebuf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "executables/c_api.h"
#include "executables/functions.hpp"
#include "executables/image.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

constexpr const char kInput[] = "_ZSt3cin", kOutput[] = "_ZSt4cout", kError[] = "_ZSt4cerr", kLog[] = "_ZSt4clog";

struct LauncherStreams {
  std::FILE *in, *out, *errors;
};

// The streams with which this process began.
const LauncherStreams& launcher_streams() {
  static const LauncherStreams streams{stdin, stdout, stderr};
  return streams;
}

ssize_t write_line(void* descriptor, const char* bytes, std::size_t count) {
  pysmpi_write_output(static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor)), bytes,
                      static_cast<std::int64_t>(count));
  return static_cast<ssize_t>(count);
}

std::FILE* open_output(int descriptor, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = write_line;
  std::FILE* const stream =
      fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), "w", functions);
  std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

std::FILE* open_input(bool reads) { return reads ? launcher_streams().in : std::fopen("/dev/null", "re"); }

// Direct writes to the descriptors of the standard streams, as the library of Fortran makes them.
bool is_output(int descriptor) { return (descriptor == 1 || descriptor == 2) && running_process(); }

ssize_t write_here(int descriptor, const void* bytes, std::size_t count) {
  if (!is_output(descriptor)) return write(descriptor, bytes, count);
  running_process()->streams->flush();
  pysmpi_write_output(descriptor, static_cast<const char*>(bytes), static_cast<std::int64_t>(count));
  return static_cast<ssize_t>(count);
}

ssize_t write_vector(int descriptor, const iovec* parts, int count) {
  if (!is_output(descriptor)) return writev(descriptor, parts, count);
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) total += write_here(descriptor, parts[i].iov_base, parts[i].iov_len);
  return total;
}

// A standard stream that a program closes remains that of the rank, because nothing else can take its place.
int close_here(std::FILE* stream) {
  return running_process() && running_process()->streams->contain(stream) ? std::fflush(stream) : std::fclose(stream);
}
int close_descriptor(int descriptor) {
  return running_process() && descriptor >= 0 && descriptor <= 2 ? 0 : close(descriptor);
}

}  // namespace

// The streams of C++ for one rank. Each is made where the executable has its variable, if it has one.
struct StandardStreams::Cpp {
  Cpp(const Image& executable, std::FILE* in, std::FILE* out, std::FILE* errors)
      : buffers{Buffer(in), Buffer(out), Buffer(errors)},
        input(make<std::istream>(executable, kInput, 0, &buffers[0])),
        output(make<std::ostream>(executable, kOutput, 1, &buffers[1])),
        error(make<std::ostream>(executable, kError, 2, &buffers[2])),
        log(make<std::ostream>(executable, kLog, 3, &buffers[2])) {
    input->tie(output);
    error->setf(std::ios_base::unitbuf);
    error->tie(output);
  }

  template <class Stream>
  Stream* make(const Image& executable, const char* symbol, std::size_t place, std::streambuf* buffer) {
    void* const own = executable.own_symbol(symbol);
    return new (own ? own : &places[place]) Stream(buffer);
  }

  using Buffer = __gnu_cxx::stdio_sync_filebuf<char>;
  struct alignas(std::max_align_t) Place {
    std::byte bytes[std::max(sizeof(std::istream), sizeof(std::ostream))];
  };

  std::array<Place, 4> places{};
  std::array<Buffer, 3> buffers;
  std::istream* input;
  std::ostream *output, *error, *log;
};

StandardStreams::StandardStreams(const Image& executable, bool reads)
    : executable_(executable), in_(open_input(reads)), out_(open_output(1, _IOLBF)), errors_(open_output(2, _IONBF)) {
  const std::pair<const char*, std::FILE*> variables[] = {{"stdin", in_}, {"stdout", out_}, {"stderr", errors_}};
  for (const auto& [name, stream] : variables) {
    if (void* const place = executable.own_symbol(name)) *static_cast<std::FILE**>(place) = stream;
  }
  for (const char* const symbol : {kInput, kOutput, kError, kLog}) {
    if (executable.own_symbol(symbol)) stream_of_cpp(symbol);
  }
}

StandardStreams::~StandardStreams() {
  flush();
  if (in_ != launcher_streams().in) std::fclose(in_);
  std::fclose(out_);
  std::fclose(errors_);
}

void StandardStreams::flush() {
  std::fflush(out_);
  std::fflush(errors_);
}

void StandardStreams::put() const {
  stdin = in_;
  stdout = out_;
  stderr = errors_;
}

bool StandardStreams::contain(const std::FILE* stream) const {
  return stream == in_ || stream == out_ || stream == errors_;
}

const void* StandardStreams::stream_of_cpp(std::string_view symbol) {
  if (!cpp_) cpp_ = std::make_unique<Cpp>(executable_, in_, out_, errors_);
  if (symbol == kInput) return cpp_->input;
  if (symbol == kOutput) return cpp_->output;
  return symbol == kError ? cpp_->error : cpp_->log;
}

void put_launcher_streams() {
  stdin = launcher_streams().in;
  stdout = launcher_streams().out;
  stderr = launcher_streams().errors;
}

std::span<const Replacement> functions_of_streams() {
  static const std::array functions = {
      Replacement{"write", write_here},
      Replacement{"writev", write_vector},
      Replacement{"fclose", close_here},
      Replacement{"close", close_descriptor},
  };
  return functions;
}

}  // namespace pysmpi
