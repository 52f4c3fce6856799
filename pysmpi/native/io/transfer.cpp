// Reads and writes of a real file through a view.
#include "io/transfer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "datatypes/external32.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

// Reads up to `bytes` bytes until the end of the file. Returns their number or -errno.
std::int64_t read_run(int file, char* buffer, std::int64_t bytes, std::int64_t offset) {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t part = pread(file, buffer + done, static_cast<std::size_t>(bytes - done), offset + done);
    if (part == 0) break;
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return -errno;
    done += part;
  }
  return done;
}

std::int64_t write_run(int file, const char* buffer, std::int64_t bytes, std::int64_t offset) {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t part = pwrite(file, buffer + done, static_cast<std::size_t>(bytes - done), offset + done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return -errno;
    done += part;
  }
  return done;
}

std::int64_t length_of(int file) {
  struct stat found{};
  return fstat(file, &found) == 0 ? found.st_size : -errno;
}

std::int64_t read_folded(int file, const View& view, std::int64_t place, std::int64_t bytes) {
  const std::int64_t length = length_of(file);
  if (length < 0) return length;
  return std::clamp<std::int64_t>(view.bytes_before(length) - place, 0, bytes);
}

std::int64_t write_folded(int file, const View& view, std::int64_t place, std::int64_t bytes) {
  const std::int64_t length = length_of(file), end = bytes > 0 ? view.offset(place + bytes - 1) + 1 : 0;
  if (length < 0) return length;
  return end <= length || ftruncate(file, end) == 0 ? bytes : -errno;
}

}  // namespace

std::int64_t read_file(int file, const View& view, std::int64_t place, void* buffer, std::int64_t count,
                       const Datatype& type, bool external) {
  if (is_folded(buffer)) return read_folded(file, view, place, count * type.size);
  const std::int64_t each = external ? external_size(type) : type.size, bytes = count * each;
  const bool direct = type.contiguous && !external;
  const std::unique_ptr<char[]> copied(direct ? nullptr : new char[bytes]);
  char* const data = direct ? static_cast<char*>(buffer) : copied.get();
  std::int64_t done = 0, error = 0;
  view.visit(place, bytes, [&](std::int64_t offset, std::int64_t length) {
    const std::int64_t part = read_run(file, data + done, length, offset);
    if (part < 0) {
      error = part;
    } else {
      done += part;
    }
    return part == length;
  });
  if (error < 0) return error;
  if (external) {
    const std::int64_t whole = each > 0 ? done / each : 0;
    const std::unique_ptr<char[]> packed(new char[whole * type.size]);
    if (!from_external(type, data, whole, packed.get())) return -EDOM;
    done = whole * type.size;
    unpack(type, packed.get(), done, buffer);
  } else if (!direct) {
    unpack(type, data, done, buffer);
  }
  return done;
}

std::int64_t write_file(int file, const View& view, std::int64_t place, const void* buffer, std::int64_t count,
                        const Datatype& type, bool external) {
  const std::int64_t size = count * type.size;
  if (is_folded(buffer)) return write_folded(file, view, place, size);
  const std::unique_ptr<char[]> packed(type.contiguous ? nullptr : new char[size]);
  if (packed) pack(type, buffer, count, packed.get());
  const char* data = packed ? packed.get() : static_cast<const char*>(buffer);
  const std::int64_t bytes = external ? count * external_size(type) : size;
  const std::unique_ptr<char[]> converted(external ? new char[bytes] : nullptr);
  if (external && !to_external(type, data, count, converted.get())) return -EDOM;
  if (external) data = converted.get();
  std::int64_t error = 0;
  view.visit(place, bytes, [&](std::int64_t offset, std::int64_t length) {
    error = write_run(file, data, length, offset);
    data += length;
    return error >= 0;
  });
  return error < 0 ? error : size;
}

}  // namespace pysmpi
