// Environment, identity, working directory and host of a rank's process.
#include "executables/environment.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "executables/functions.hpp"
#include "executables/process.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

namespace {

// Return the variable that points to the environment; programs may assign to it.
char**& environment_of(const Process& process) {
  auto& own = const_cast<char**&>(process.environment_variable);
  char**& found = process.variable("environ", own);
  return &found == &own ? process.variable("__environ", own) : found;
}

char** find_variable(const Process& process, std::string_view name) {
  for (char** each = environment_of(process); each && *each; ++each) {
    const std::string_view text(*each);
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=') return each;
  }
  return nullptr;
}

// Set the list of variables to a copy with another one. The text is kept as long as the process.
void add_variable(Process& process, char* text) {
  std::vector<char*> all;
  for (char** each = environment_of(process); each && *each; ++each) all.push_back(*each);
  all.push_back(text);
  all.push_back(nullptr);
  process.environment = std::move(all);
  environment_of(process) = process.environment.data();
}

bool is_name(const char* name) { return name && *name && !std::strchr(name, '='); }

char* get_variable(const char* name) {
  Process* const process = running_process();
  return process ? variable_of(*process, name) : std::getenv(name);
}

int set_variable(const char* name, const char* value, int overwrites) {
  Process* const process = running_process();
  if (!process) return setenv(name, value, overwrites);
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  char** const found = find_variable(*process, name);
  if (found && overwrites == 0) return 0;
  char* const text = strdup((std::string(name) + '=' + value).c_str());  // programs may keep pointers to values
  if (found) {
    *found = text;
  } else {
    add_variable(*process, text);
  }
  return 0;
}

int unset_variable(const char* name) {
  Process* const process = running_process();
  if (!process) return unsetenv(name);
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  while (char** found = find_variable(*process, name)) {
    for (; *found; ++found) *found = found[1];
  }
  return 0;
}

int put_variable(char* text) {
  Process* const process = running_process();
  if (!process) return putenv(text);
  const char* const equals = std::strchr(text, '=');
  if (!equals) return unset_variable(text);
  if (char** const found = find_variable(*process, {text, static_cast<std::size_t>(equals - text)})) {
    *found = text;
  } else {
    add_variable(*process, text);
  }
  return 0;
}

int clear_variables() {
  Process* const process = running_process();
  if (!process) return clearenv();
  environment_of(*process) = nullptr;
  return 0;
}

pid_t get_process() {
  const Process* const process = running_process();
  return process ? process->id() : getpid();
}

int get_host_name(char* name, std::size_t size) {
  const Process* const process = running_process();
  if (!process) return gethostname(name, size);
  std::memcpy(name, process->host.c_str(), std::min(size, process->host.size() + 1));
  if (process->host.size() < size) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

int get_host_name_checked(char* name, std::size_t size, std::size_t) { return get_host_name(name, size); }

// /proc/self/exe is the interpreter; programs look for files beside themselves.
ssize_t read_link(const char* path, char* target, std::size_t size) {
  const Process* const process = running_process();
  if (!process || std::string_view(path) != "/proc/self/exe") return readlink(path, target, size);
  const std::string& own = process->images.front().original();
  const std::size_t length = std::min(size, own.size());
  std::memcpy(target, own.data(), length);
  return static_cast<ssize_t>(length);
}
ssize_t read_link_checked(const char* path, char* target, std::size_t size, std::size_t) {
  return read_link(path, target, size);
}

int get_system(utsname* out) {
  const Process* const process = running_process();
  const int status = uname(out);
  if (process && status == 0) {
    const std::size_t length = std::min(process->host.size(), sizeof(out->nodename) - 1);
    std::memcpy(out->nodename, process->host.c_str(), length);
    out->nodename[length] = '\0';
  }
  return status;
}

int get_cores() {
  const Process* const process = running_process();
  return process ? process->cores : get_nprocs();
}

long get_limit(int name) {
  const Process* const process = running_process();
  const bool is_count = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return process && is_count ? process->cores : sysconf(name);
}

int get_affinity(pid_t pid, std::size_t size, cpu_set_t* cores) {
  const Process* const process = running_process();
  if (!process) return sched_getaffinity(pid, size, cores);
  CPU_ZERO_S(size, cores);
  for (int core = 0; core < process->cores && core < static_cast<int>(8 * size); ++core) CPU_SET_S(core, size, cores);
  return 0;
}
int set_affinity(pid_t pid, std::size_t size, const cpu_set_t* cores) {
  return running_process() ? 0 : sched_setaffinity(pid, size, cores);
}
int get_core() { return running_process() ? 0 : sched_getcpu(); }

// Change the directory of the running rank only.
template <typename Change>
int change_directory(Change change) {
  const Process* const process = running_process();
  char before[PATH_MAX], now[PATH_MAX];
  if (process && !getcwd(before, sizeof before)) return -1;
  const int status = change();
  if (process && status == 0 && getcwd(now, sizeof now)) pysmpi_isolate_directory(process->rank, before, now);
  return status;
}
int change_to_path(const char* path) {
  return change_directory([&] { return chdir(path); });
}
int change_to_file(int descriptor) {
  return change_directory([&] { return fchdir(descriptor); });
}

mode_t set_mask(mode_t mask) {
  const mode_t before = umask(mask);
  if (running_process()) pysmpi_isolate_mask(static_cast<int32_t>(before), static_cast<int32_t>(mask));
  return before;
}

}  // namespace

char* variable_of(const Process& process, const char* name) {
  char** const found = find_variable(process, name);
  return found ? *found + std::strlen(name) + 1 : nullptr;
}

std::span<const Replacement> functions_of_environment() {
  static const std::array functions = {
      Replacement{"getenv", get_variable},
      Replacement{"secure_getenv", get_variable},
      Replacement{"__secure_getenv", get_variable},
      Replacement{"setenv", set_variable},
      Replacement{"unsetenv", unset_variable},
      Replacement{"putenv", put_variable},
      Replacement{"clearenv", clear_variables},
      Replacement{"getpid", get_process},
      Replacement{"gethostname", get_host_name},
      Replacement{"__gethostname_chk", get_host_name_checked},
      Replacement{"readlink", read_link},
      Replacement{"__readlink_chk", read_link_checked},
      Replacement{"uname", get_system},
      Replacement{"get_nprocs", get_cores},
      Replacement{"get_nprocs_conf", get_cores},
      Replacement{"sysconf", get_limit},
      Replacement{"sched_getaffinity", get_affinity},
      Replacement{"sched_setaffinity", set_affinity},
      Replacement{"sched_getcpu", get_core},
      Replacement{"chdir", change_to_path},
      Replacement{"fchdir", change_to_file},
      Replacement{"umask", set_mask},
  };
  return functions;
}

}  // namespace pysmpi
