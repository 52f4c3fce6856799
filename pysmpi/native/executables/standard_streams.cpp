// Makes the streams of ranks.
#include "executables/standard_streams.hpp"

#include <sys/uio.h>
#include <unistd.h>
#include <ext/stdio_sync_filebuf.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cwchar>
#include <deque>
#include <new>
#include <utility>
#include <vector>

#include "engine/simulation.hpp"
#include "executables/c_api.h"
#include "executables/functions.hpp"
#include "executables/image.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

constexpr const char kInput[] = "_ZSt3cin", kOutput[] = "_ZSt4cout", kError[] = "_ZSt4cerr", kLog[] = "_ZSt4clog";
constexpr const char kWideInput[] = "_ZSt4wcin", kWideOutput[] = "_ZSt5wcout", kWideError[] = "_ZSt5wcerr",
                     kWideLog[] = "_ZSt5wclog";

struct LauncherStreams {
  std::FILE *in, *out, *errors;
};

// The streams with which this process began.
const LauncherStreams& launcher_streams() {
  static const LauncherStreams streams{stdin, stdout, stderr};
  return streams;
}

ssize_t write_line(void* output, const char* bytes, std::size_t count) {
  static_cast<RankOutput*>(output)->write(bytes, count);
  return static_cast<ssize_t>(count);
}

std::FILE* open_output(RankOutput& output, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = write_line;
  std::FILE* const stream = fopencookie(&output, "w", functions);
  std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

std::FILE* open_input(bool reads) { return reads ? launcher_streams().in : std::fopen("/dev/null", "re"); }

// Direct writes to the descriptors of the standard streams, as the library of Fortran makes them, and reads.
bool is_output(int descriptor) { return (descriptor == 1 || descriptor == 2) && running_process(); }

ssize_t write_here(int descriptor, const void* bytes, std::size_t count) {
  if (!is_output(descriptor)) return write(descriptor, bytes, count);
  running_process()->streams->output(descriptor).write(static_cast<const char*>(bytes), count);
  return static_cast<ssize_t>(count);
}

ssize_t write_vector(int descriptor, const iovec* parts, int count) {
  if (!is_output(descriptor)) return writev(descriptor, parts, count);
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) total += write_here(descriptor, parts[i].iov_base, parts[i].iov_len);
  return total;
}

// Only rank 0 reads the standard input; for the others it is empty.
bool has_no_input(int descriptor) { return descriptor == 0 && running_process() && running_process()->rank != 0; }
ssize_t read_here(int descriptor, void* bytes, std::size_t count) {
  return has_no_input(descriptor) ? 0 : read(descriptor, bytes, count);
}
ssize_t read_checked(int descriptor, void* bytes, std::size_t count, std::size_t) {
  return read_here(descriptor, bytes, count);
}
ssize_t read_vector(int descriptor, const iovec* parts, int count) {
  return has_no_input(descriptor) ? 0 : readv(descriptor, parts, count);
}

// A standard stream that a program closes remains that of the rank, because nothing else can take its place.
bool is_standard(const std::FILE* stream) { return running_process() && running_process()->streams->contain(stream); }
int close_here(std::FILE* stream) { return is_standard(stream) ? std::fflush(stream) : std::fclose(stream); }
int close_descriptor(int descriptor) {
  return running_process() && descriptor >= 0 && descriptor <= 2 ? 0 : close(descriptor);
}
std::FILE* reopen_here(const char* path, const char* mode, std::FILE* stream) {
  return is_standard(stream) ? running_process()->streams->reopen(stream, path, mode)
                             : std::freopen(path, mode, stream);
}
int descriptor_here(std::FILE* stream) {
  return is_standard(stream) ? running_process()->streams->descriptor_of(stream) : fileno(stream);
}

// Wide characters: the streams of ranks have none, so that they are written as bytes.
bool write_wide(std::FILE* stream, const wchar_t* text, std::size_t length) {
  std::string bytes;
  std::mbstate_t state{};
  for (std::size_t i = 0; i < length; ++i) {
    std::array<char, MB_LEN_MAX> character{};
    const std::size_t size = std::wcrtomb(character.data(), text[i], &state);
    if (size == static_cast<std::size_t>(-1)) return false;
    bytes.append(character.data(), size);
  }
  return std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
}
int print_wide_values(std::FILE* stream, const wchar_t* format, va_list values) {
  if (!is_standard(stream)) return std::vfwprintf(stream, format, values);
  for (std::vector<wchar_t> text(256);; text.resize(2 * text.size())) {
    va_list copied;
    va_copy(copied, values);
    const int length = std::vswprintf(text.data(), text.size(), format, copied);
    va_end(copied);
    if (length >= 0) return write_wide(stream, text.data(), static_cast<std::size_t>(length)) ? length : -1;
    if (text.size() > (1U << 24)) return -1;
  }
}
int print_wide_values_here(const wchar_t* format, va_list values) { return print_wide_values(stdout, format, values); }
int print_wide_to(std::FILE* stream, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = print_wide_values(stream, format, values);
  va_end(values);
  return length;
}
int print_wide(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = print_wide_values(stdout, format, values);
  va_end(values);
  return length;
}
std::wint_t put_wide_to(wchar_t character, std::FILE* stream) {
  if (!is_standard(stream)) return std::fputwc(character, stream);
  return write_wide(stream, &character, 1) ? static_cast<std::wint_t>(character) : WEOF;
}
std::wint_t put_wide(wchar_t character) { return put_wide_to(character, stdout); }
int put_wide_text(const wchar_t* text, std::FILE* stream) {
  if (!is_standard(stream)) return std::fputws(text, stream);
  return write_wide(stream, text, std::wcslen(text)) ? 1 : -1;
}

// A buffer of a wide stream of C++ that writes bytes to a stream of C.
class WideBuffer : public std::wstreambuf {
 public:
  explicit WideBuffer(std::FILE* file) : file_(file) {}

 protected:
  int_type overflow(int_type character) override {
    const wchar_t one = traits_type::to_char_type(character);
    return write_wide(file_, &one, 1) ? character : traits_type::eof();
  }
  std::streamsize xsputn(const wchar_t* text, std::streamsize count) override {
    return write_wide(file_, text, static_cast<std::size_t>(count)) ? count : 0;
  }
  int sync() override { return std::fflush(file_); }

 private:
  std::FILE* file_;
};

}  // namespace

// The streams of C++ for one rank. Each is made where the executable has its variable, if it has one.
struct StandardStreams::Cpp {
  Cpp(const Image& executable, std::FILE* in, std::FILE* out, std::FILE* errors)
      : buffers{Buffer(in), Buffer(out), Buffer(errors)},
        wide_buffers{WideBuffer(in), WideBuffer(out), WideBuffer(errors)} {
    auto* const input = make<std::istream>(executable, kInput, &buffers[0]);
    auto* const output = make<std::ostream>(executable, kOutput, &buffers[1]);
    auto* const error = make<std::ostream>(executable, kError, &buffers[2]);
    make<std::ostream>(executable, kLog, &buffers[2]);
    input->tie(output);
    error->setf(std::ios_base::unitbuf);
    error->tie(output);
    auto* const wide_input = make<std::wistream>(executable, kWideInput, &wide_buffers[0]);
    auto* const wide_output = make<std::wostream>(executable, kWideOutput, &wide_buffers[1]);
    auto* const wide_error = make<std::wostream>(executable, kWideError, &wide_buffers[2]);
    make<std::wostream>(executable, kWideLog, &wide_buffers[2]);
    wide_input->tie(wide_output);
    wide_error->setf(std::ios_base::unitbuf);
    wide_error->tie(wide_output);
  }

  template <class Stream, class Buffer>
  Stream* make(const Image& executable, const char* symbol, Buffer* buffer) {
    void* place = executable.own_symbol(symbol);
    if (!place) place = &places.emplace_back();
    auto* const made = new (place) Stream(buffer);
    all.emplace_back(symbol, made);
    return made;
  }

  using Buffer = __gnu_cxx::stdio_sync_filebuf<char>;
  struct alignas(std::max_align_t) Place {
    std::byte
        bytes[std::max({sizeof(std::istream), sizeof(std::ostream), sizeof(std::wistream), sizeof(std::wostream)})];
  };

  std::deque<Place> places;
  std::vector<std::pair<std::string_view, const void*>> all;  // by symbol
  std::array<Buffer, 3> buffers;
  std::array<WideBuffer, 3> wide_buffers;
};

void RankOutput::write(const char* bytes, std::size_t count) {
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.append(bytes ? bytes : "", count);
    if (!rank_runs_here()) return;
    text.swap(waiting_);
  }
  if (!text.empty()) pysmpi_write_output(descriptor_, text.data(), static_cast<std::int64_t>(text.size()));
}

StandardStreams::StandardStreams(const Image& executable, bool reads)
    : executable_(executable),
      in_(open_input(reads)),
      out_(open_output(outputs_[0], _IOLBF)),
      errors_(open_output(outputs_[1], _IONBF)) {
  show_in_executable();
  for (const char* const symbol : {kInput, kOutput, kError, kLog, kWideInput, kWideOutput, kWideError, kWideLog}) {
    if (executable.own_symbol(symbol)) stream_of_cpp(symbol);
  }
}

void StandardStreams::show_in_executable() const {
  const std::pair<const char*, std::FILE*> variables[] = {{"stdin", in_}, {"stdout", out_}, {"stderr", errors_}};
  for (const auto& [name, stream] : variables) {
    if (void* const place = executable_.own_symbol(name)) *static_cast<std::FILE**>(place) = stream;
  }
}

std::FILE* StandardStreams::reopen(std::FILE* stream, const char* path, const char* mode) {
  std::FILE* const opened = path ? std::fopen(path, mode) : nullptr;
  if (!opened) return nullptr;
  const int descriptor = descriptor_of(stream);
  if (descriptor != 0) std::fflush(stream);
  (descriptor == 0 ? in_ : descriptor == 1 ? out_ : errors_) = opened;
  show_in_executable();
  put();
  return opened;
}

int StandardStreams::descriptor_of(const std::FILE* stream) const {
  return stream == in_ ? 0 : stream == out_ ? 1 : stream == errors_ ? 2 : -1;
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
  for (RankOutput& output : outputs_) output.flush();
}

void StandardStreams::put() const {
  stdin = in_;
  stdout = out_;
  stderr = errors_;
}

const void* StandardStreams::stream_of_cpp(std::string_view symbol) {
  if (!cpp_) cpp_ = std::make_unique<Cpp>(executable_, in_, out_, errors_);
  return std::ranges::find(cpp_->all, symbol, [](const auto& each) { return each.first; })->second;
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
      Replacement{"read", read_here},
      Replacement{"__read_chk", read_checked},
      Replacement{"readv", read_vector},
      Replacement{"fclose", close_here},
      Replacement{"freopen", reopen_here},
      Replacement{"freopen64", reopen_here},
      Replacement{"fileno", descriptor_here},
      Replacement{"fileno_unlocked", descriptor_here},
      Replacement{"wprintf", print_wide},
      Replacement{"fwprintf", print_wide_to},
      Replacement{"vwprintf", print_wide_values_here},
      Replacement{"vfwprintf", print_wide_values},
      Replacement{"putwchar", put_wide},
      Replacement{"putwc", put_wide_to},
      Replacement{"fputwc", put_wide_to},
      Replacement{"fputws", put_wide_text},
      Replacement{"close", close_descriptor},
  };
  return functions;
}

}  // namespace pysmpi
