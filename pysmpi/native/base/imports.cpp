// Reads and changes the relocations of loaded objects (Tool Interface Standard, "Executable and Linking Format", 1995;
// the supplements for x86-64 and AArch64 have the numbers of the types).
#include "base/imports.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pysmpi {

namespace {

// Relocations that store the address of a symbol.
#ifdef __aarch64__
constexpr std::uint64_t kCopiesVariable = R_AARCH64_COPY;
constexpr bool stores_address(std::uint64_t type) {
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}
#else
constexpr std::uint64_t kCopiesVariable = R_X86_64_COPY;
constexpr bool stores_address(std::uint64_t type) {
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}
#endif

// The tables of an object's dynamic section that describe its relocations.
struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  std::size_t counts[2] = {};
};

Tables tables_of(const LoadedObject& object) {
  Tables found;
  // The dynamic linker of glibc has replaced these offsets by addresses; other dynamic linkers keep the offsets.
  const auto address = [&](std::uintptr_t value) { return value < object.base ? object.base + value : value; };
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        found.symbols = reinterpret_cast<const ElfW(Sym)*>(address(value));
        break;
      case DT_STRTAB:
        found.names = reinterpret_cast<const char*>(address(value));
        break;
      case DT_RELA:
        found.relocations[0] = reinterpret_cast<const ElfW(Rela)*>(address(value));
        break;
      case DT_RELASZ:
        found.counts[0] = value / sizeof(ElfW(Rela));
        break;
      case DT_JMPREL:
        found.relocations[1] = reinterpret_cast<const ElfW(Rela)*>(address(value));
        break;
      case DT_PLTRELSZ:
        found.counts[1] = value / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }
  return found;
}

// Writes entries of relocation tables. The linker has made a table read-only if it resolved all addresses on loading.
class Writer {
 public:
  explicit Writer(const LoadedObject& object) : object_(object) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  ~Writer() {
    for (const std::uintptr_t page : opened_) mprotect(reinterpret_cast<void*>(page), page_size_, PROT_READ);
  }

  bool write(const void** place, const void* value) {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    const std::uintptr_t page = at - at % page_size_;
    if (is_protected(at) && (opened_.empty() || opened_.back() != page)) {
      if (mprotect(reinterpret_cast<void*>(page), page_size_, PROT_READ | PROT_WRITE) != 0) return false;
      opened_.push_back(page);
    }
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
    return true;
  }

 private:
  struct Search {
    const LoadedObject* object;
    std::uintptr_t begin = 0, end = 0;
  };

  bool is_protected(std::uintptr_t at) {
    if (end_ == 0) find_protected();
    return at >= begin_ && at < end_;
  }

  // Find the address range that the linker has made read-only: the pages of the segment PT_GNU_RELRO.
  void find_protected() {
    Search search{&object_};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          auto& looked = *static_cast<Search*>(data);
          if (info->dlpi_addr != looked.object->base) return 0;
          bool is_same = false;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr) & part = info->dlpi_phdr[i];
            const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
            if (part.p_type == PT_DYNAMIC) is_same = reinterpret_cast<const void*>(begin) == looked.object->dynamic;
            if (part.p_type == PT_GNU_RELRO) {
              looked.begin = begin;
              looked.end = begin + part.p_memsz;
            }
          }
          return static_cast<int>(is_same);
        },
        &search);
    begin_ = search.begin - search.begin % page_size_;
    end_ = std::max<std::uintptr_t>(search.end - search.end % page_size_, 1);
  }

  const LoadedObject& object_;
  const std::uintptr_t page_size_ = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t begin_ = 0, end_ = 0;
  std::vector<std::uintptr_t> opened_;
};

// Return whether an address is one of the object's own stubs, which look up a function at its first call.
bool is_unresolved(const LoadedObject& object, const ElfW(Sym) & symbol, std::uint64_t type, const void* current) {
#ifdef __aarch64__
  if (type != R_AARCH64_JUMP_SLOT) return false;
#else
  if (type != R_X86_64_JUMP_SLOT) return false;
#endif
  if (symbol.st_shndx != SHN_UNDEF && reinterpret_cast<std::uintptr_t>(current) == object.base + symbol.st_value) {
    return false;
  }
  Dl_info info;
  return dladdr(current, &info) != 0 && reinterpret_cast<std::uintptr_t>(info.dli_fbase) == object.base;
}

}  // namespace

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        LoadedObject object{info->dlpi_name ? info->dlpi_name : "", info->dlpi_addr};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          if (part.p_type == PT_DYNAMIC) object.dynamic = reinterpret_cast<void*>(info->dlpi_addr + part.p_vaddr);
        }
        static_cast<std::vector<LoadedObject>*>(data)->push_back(std::move(object));
        return 0;
      },
      &found);
  return found;
}

namespace {

// Return the names in an object's dynamic section that have a tag.
std::vector<std::string> names_with(const LoadedObject& object, ElfW(Sxword) tag) {
  std::vector<std::string> found;
  const char* const names = tables_of(object).names;
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); names && entry && entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == tag) found.emplace_back(names + entry->d_un.d_val);
  }
  return found;
}

}  // namespace

std::vector<std::string> needed_by(const LoadedObject& object) { return names_with(object, DT_NEEDED); }

std::string name_of(const LoadedObject& object) {
  const std::vector<std::string> found = names_with(object, DT_SONAME);
  return found.empty() ? std::string() : found.front();
}

std::vector<LoadedObject> SeenObjects::unseen() {
  unsigned long long unloaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_subs;
        return 1;
      },
      &unloaded);
  if (unloaded_ != unloaded) seen_.clear();
  unloaded_ = unloaded;
  std::vector<LoadedObject> found = loaded_objects();
  std::erase_if(found, [this](const auto& each) { return std::find(seen_.begin(), seen_.end(), each) != seen_.end(); });
  seen_.insert(seen_.end(), found.begin(), found.end());
  return found;
}

bool replace_imports(const LoadedObject& object, bool (*concerns)(const char* symbol),
                     const std::function<const void*(const char* symbol, const void* current)>& address) {
  const Tables tables = tables_of(object);
  if (!tables.symbols || !tables.names) return true;
  Writer writer(object);
  bool all = true;
  for (int table = 0; table < 2; ++table) {
    for (std::size_t i = 0; tables.relocations[table] && i < tables.counts[table]; ++i) {
      const ElfW(Rela) & relocation = tables.relocations[table][i];
      const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
      const ElfW(Sym) & symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
      if (ELF64_R_SYM(relocation.r_info) == 0 || !stores_address(type) || relocation.r_addend != 0) continue;
      const char* const name = tables.names + symbol.st_name;
      if (!concerns(name)) continue;
      auto* const place = reinterpret_cast<const void**>(object.base + relocation.r_offset);
      const void* const current = *place;
      const void* const wanted = address(name, is_unresolved(object, symbol, type, current) ? nullptr : current);
      if (wanted && wanted != current) all = writer.write(place, wanted) && all;
    }
  }
  return all;
}

void for_each_copied_variable(const LoadedObject& object,
                              const std::function<void(const char* name, void* place, std::size_t size)>& note) {
  const Tables tables = tables_of(object);
  for (std::size_t i = 0; tables.relocations[0] && i < tables.counts[0]; ++i) {
    const ElfW(Rela) & relocation = tables.relocations[0][i];
    if (ELF64_R_TYPE(relocation.r_info) != kCopiesVariable) continue;
    const ElfW(Sym) & symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
    note(tables.names + symbol.st_name, reinterpret_cast<void*>(object.base + relocation.r_offset), symbol.st_size);
  }
}

const void* find_replacement(std::span<const Replacement> replacements, std::string_view symbol) {
  const auto found = std::find_if(replacements.begin(), replacements.end(),
                                  [&](const Replacement& each) { return each.symbol == symbol; });
  return found == replacements.end() ? nullptr : found->function;
}

const void* find_symbol(const LoadedObject& object, const char* symbol) {
  if (const void* const global = dlsym(RTLD_DEFAULT, symbol)) return global;
  void* const handle = dlopen(object.path.empty() ? nullptr : object.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  const void* const found = dlsym(handle, symbol);
  dlclose(handle);
  return found;
}

}  // namespace pysmpi
