// Functions whose state is one in a process: strtok, setlocale, and the table of hsearch. A locale is set as that of
// the thread (uselocale), which each rank has for itself.
#include <array>
#include <clocale>
#include <cstring>
#include <string>

#include "executables/environment.hpp"
#include "executables/functions.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

char* next_token(char* text, const char* delimiters) {
  Process* const process = running_process();
  return process ? strtok_r(text, delimiters, &process->token) : std::strtok(text, delimiters);
}

// Return the name of the locale that a category has if the program asks for the user's (""), as POSIX determines it.
std::string users_locale(const Process& process, const char* variable) {
  for (const char* name : {"LC_ALL", variable, "LANG"}) {
    const char* const value = variable_of(process, name);
    if (value && *value) return value;
  }
  return "C";
}

struct Category {
  int number, mask;
  const char* variable;
};
constexpr std::array<Category, 12> kCategories{{
    {LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
    {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
    {LC_TIME, LC_TIME_MASK, "LC_TIME"},
    {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
    {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
    {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
    {LC_PAPER, LC_PAPER_MASK, "LC_PAPER"},
    {LC_NAME, LC_NAME_MASK, "LC_NAME"},
    {LC_ADDRESS, LC_ADDRESS_MASK, "LC_ADDRESS"},
    {LC_TELEPHONE, LC_TELEPHONE_MASK, "LC_TELEPHONE"},
    {LC_MEASUREMENT, LC_MEASUREMENT_MASK, "LC_MEASUREMENT"},
    {LC_IDENTIFICATION, LC_IDENTIFICATION_MASK, "LC_IDENTIFICATION"},
}};

char* set_locale(int category, const char* name) {
  Process* const process = running_process();
  if (!process) return std::setlocale(category, name);
  if (name) {
    locale_t changed =
        duplocale(uselocale(nullptr) == LC_GLOBAL_LOCALE ? newlocale(LC_ALL_MASK, "C", nullptr) : uselocale(nullptr));
    for (const Category& each : kCategories) {
      if (category != LC_ALL && category != each.number) continue;
      const std::string wanted = *name ? name : users_locale(*process, each.variable);
      const locale_t next = newlocale(each.mask, wanted.c_str(), changed);
      if (!next) {
        freelocale(changed);
        return nullptr;
      }
      changed = next;
      process->locales[each.number] = wanted;
    }
    process->locales[LC_ALL] = *name ? name : users_locale(*process, "LC_ALL");
    uselocale(changed);
  }
  std::string& current = process->locales[category];
  if (current.empty()) current = "C";
  return current.data();
}

int create_table(std::size_t size) {
  Process* const process = running_process();
  return process ? hcreate_r(size, &process->table) : hcreate(size);
}
void destroy_table() {
  if (Process* const process = running_process()) {
    hdestroy_r(&process->table);
  } else {
    hdestroy();
  }
}
ENTRY* search_table(ENTRY item, ACTION action) {
  Process* const process = running_process();
  if (!process) return hsearch(item, action);
  ENTRY* found = nullptr;
  return hsearch_r(item, action, &found, &process->table) ? found : nullptr;
}

}  // namespace

std::span<const Replacement> functions_of_texts() {
  static const std::array functions = {
      Replacement{"strtok", next_token},    Replacement{"setlocale", set_locale},
      Replacement{"hcreate", create_table}, Replacement{"hdestroy", destroy_table},
      Replacement{"hsearch", search_table},
  };
  return functions;
}

}  // namespace pysmpi
