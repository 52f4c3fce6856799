// Finds the call site in the stack of Python frames, and numbers call sites.
#include "engine/call_site.hpp"

#include <Python.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/c_api.h"

namespace pysmpi {

namespace {

constexpr std::uint32_t kForeign = 0xffffffffU;

constexpr std::uint32_t kHashOfNothing = 2166136261U;

// Return the FNV-1a hash of a text, continued from another hash.
std::uint32_t hash_of(std::string_view text, std::uint32_t hash = kHashOfNothing) {
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
  return hash;
}

std::vector<std::string> foreign_prefixes;  // path prefixes of foreign code; set before a simulation begins

std::uint32_t number_of_text(std::string text) {
  CallSites& sites = CallSites::current();
  const auto [found, is_new] = sites.number_of.try_emplace(text, static_cast<std::uint32_t>(sites.texts.size()));
  if (is_new) {
    sites.hashes.push_back(hash_of(text));
    sites.texts.push_back(std::move(text));
  }
  return found->second;
}

std::uint32_t number_of(PyFrameObject* frame, PyCodeObject* code) {
  const char* const file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) {
    PyErr_Clear();
    return kForeign;
  }
  std::string text(file);
  const auto begins = [&](const std::string& prefix) { return text.starts_with(prefix); };
  if (std::any_of(foreign_prefixes.begin(), foreign_prefixes.end(), begins)) return kForeign;
  return number_of_text(text + ':' + std::to_string(PyFrame_GetLineNumber(frame)));
}

std::uint32_t innermost_site() {
  CallSites& sites = CallSites::current();
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  std::uint32_t site = kForeign;
  while (frame && site == kForeign) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const auto [found, is_new] = sites.known.try_emplace({code, PyFrame_GetLasti(frame)}, kForeign);
    if (is_new) {
      found->second = number_of(frame, code);
    } else {
      Py_DECREF(code);
    }
    site = found->second;
    PyFrameObject* const caller = site == kForeign ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = caller;
  }
  return site == kForeign ? 0 : site;
}

std::uint32_t hash_of_site() {
  CallSites& sites = CallSites::current();
  const void* const address = address_in_program ? address_in_program() : nullptr;
  if (!address) return sites.hashes[call_site()];
  const auto [found, is_new] = sites.address_hashes.try_emplace(address, 0);
  if (is_new) found->second = hash_of(name_of_program_address(address));
  return found->second;
}

}  // namespace

std::uint32_t call_site() {
  if (const void* const address = address_in_program ? address_in_program() : nullptr) {
    const auto [found, is_new] = CallSites::current().known_addresses.try_emplace(address, 0);
    if (is_new) found->second = number_of_text(text_of_program_address(address));
    return found->second;
  }
  const PyGILState_STATE gil = PyGILState_Ensure();
  const std::uint32_t site = innermost_site();
  PyGILState_Release(gil);
  return site;
}

const std::string& call_site_text(std::uint32_t site) { return CallSites::current().texts[site]; }
std::uint32_t call_site_count() { return static_cast<std::uint32_t>(CallSites::current().texts.size()); }

std::uint32_t hash_of_call(const char* function) {
  const std::uint32_t site = hash_of_site();
  return function ? hash_of(function, site) : site;
}

CallSites::~CallSites() {
  if (known.empty()) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  for (const auto& [place, site] : known) Py_DECREF(place.code);
  PyGILState_Release(gil);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_set_foreign_prefixes(int32_t count, const char* const* prefixes) {
  foreign_prefixes.assign(prefixes, prefixes + count);
}
