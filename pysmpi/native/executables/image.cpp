// Loads copies of executables and libraries, and calls the functions that the dynamic linker would call.
#include "executables/image.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "isolation/shared_code.hpp"
#include "isolation/thread_storage.hpp"

namespace pysmpi {

namespace {

// In a copy, tags of the dynamic section that the dynamic linker shall not see are larger by this number.
constexpr ElfW(Sxword) kHidden = 0x60001000;

// The symbols of the file come first, as in a process. AddressSanitizer, whose functions must come first, forbids that.
#if defined(__SANITIZE_ADDRESS__)
constexpr int kOrder = 0;
#else
constexpr int kOrder = RTLD_DEEPBIND;
#endif

// While an object of this class exists, memory can be written that the dynamic linker has made read-only after it had
// stored addresses there (PT_GNU_RELRO), if it is such memory.
class Writable {
 public:
  Writable(const LoadedObject& object, void* place, std::size_t size) {
    const auto at = reinterpret_cast<std::uintptr_t>(place), page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (const ElfW(Phdr) & part : segments_of(object)) {
      const std::uintptr_t begin = object.base + part.p_vaddr, end = (begin + part.p_memsz) / page * page;
      if (part.p_type != PT_GNU_RELRO || at < begin || at >= end) continue;
      begin_ = at / page * page;
      length_ = std::min(end, (at + size + page - 1) / page * page) - begin_;
      mprotect(reinterpret_cast<void*>(begin_), length_, PROT_READ | PROT_WRITE);
    }
  }
  ~Writable() {
    if (length_ > 0) mprotect(reinterpret_cast<void*>(begin_), length_, PROT_READ);
  }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;

 private:
  std::uintptr_t begin_ = 0;
  std::size_t length_ = 0;
};

using Initialiser = void (*)(int, char**, char**);

}  // namespace

Image::Image(const std::string& copy, const std::string& original, std::string& problem)
    : handle_(dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL | kOrder)), original_(original) {
  if (!handle_) {
    problem = dlerror();
    return;
  }
  const auto* const map = static_cast<const link_map*>(handle_);
  object_ = {copy, map->l_addr, map->l_ld};
  for (const ElfW(Phdr) & part : segments_of(object_)) {
    if (part.p_type == PT_LOAD) end_of_memory_ = std::max(end_of_memory_, map->l_addr + part.p_vaddr + part.p_memsz);
  }
  share_code(object_, original);
  find_functions();
  leave_variables_to_one_rank(object_);
}

void Image::copy_variables(const std::function<const void*(const char* name)>& find) const {
  for_each_copied_variable(object_, [&](const char* name, void* place, std::size_t size) {
    const void* const original = find(name);
    if (!original) return;
    const Writable writable(object_, place, size);
    std::memcpy(place, original, size);
  });
}

void Image::find_functions() {
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object_.dynamic); entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t value = entry->d_un.d_val;
    switch (entry->d_tag - kHidden) {
      case DT_PREINIT_ARRAY:
        before_.list = value;
        break;
      case DT_PREINIT_ARRAYSZ:
        before_.bytes = value;
        break;
      case DT_INIT:
        begin_.single = value;
        break;
      case DT_INIT_ARRAY:
        begin_.list = value;
        break;
      case DT_INIT_ARRAYSZ:
        begin_.bytes = value;
        break;
      case DT_FINI:
        end_.single = value;
        break;
      case DT_FINI_ARRAY:
        end_.list = value;
        break;
      case DT_FINI_ARRAYSZ:
        end_.bytes = value;
        break;
      default:
        break;
    }
  }
}

void Image::construct(int count, char** arguments, char** environment) const {
  const auto call_all = [&](const Functions& functions) {
    if (functions.single) {
      reinterpret_cast<Initialiser>(object_.base + functions.single)(count, arguments, environment);
    }
    const std::span list(reinterpret_cast<const Initialiser*>(object_.base + functions.list),
                         functions.list ? functions.bytes / sizeof(Initialiser) : 0);
    for (const Initialiser each : list) each(count, arguments, environment);
  };
  call_all(before_);
  call_all(begin_);
}

void Image::destruct() const {
  using Function = void (*)();
  const std::size_t count = end_.list ? end_.bytes / sizeof(Function) : 0;
  for (std::size_t i = count; i > 0; --i) reinterpret_cast<const Function*>(object_.base + end_.list)[i - 1]();
  if (end_.single) reinterpret_cast<Function>(object_.base + end_.single)();
}

std::uintptr_t Image::entry() const {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(object_.base);
  const auto names_linker = [](const auto& part) { return part.p_type == PT_INTERP; };
  return std::ranges::any_of(segments_of(object_), names_linker) ? object_.base + header->e_entry : 0;
}

void* Image::open() const { return dlopen(object_.path.c_str(), RTLD_LAZY | RTLD_NOLOAD); }

void* Image::symbol(const char* name) const { return dlsym(handle_, name); }

void* Image::own_symbol(const char* name) const {
  void* const found = dlsym(handle_, name);
  return contains(found) ? found : nullptr;
}

}  // namespace pysmpi
