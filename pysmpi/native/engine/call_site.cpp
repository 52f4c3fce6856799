// Call sites: look-up of Python frames, and their numbers.
#include "engine/call_site.hpp"

#include <Python.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <vector>

#include "engine/c_api.h"

namespace pysmpi {

namespace {

constexpr std::uint32_t kForeign = 0xffffffffU;

struct Place {
  PyCodeObject* code;  // owned, so that its address is not reused for other code
  int instruction;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return (reinterpret_cast<std::size_t>(place.code) >> 4) * 0x9e3779b97f4a7c15ULL +
           static_cast<unsigned>(place.instruction);
  }
};

struct CallSites {
  std::vector<std::string> foreign_prefixes;
  std::unordered_map<Place, std::uint32_t, PlaceHash> known;  // looked up; iterated only to clear it
  // by text, because ranks may have separate code objects for one source line
  std::unordered_map<std::string, std::uint32_t> number_of;
  std::deque<std::string> texts{std::string()};
} sites;

std::uint32_t number_of(PyFrameObject* frame, PyCodeObject* code) {
  const char* const file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) {
    PyErr_Clear();
    return kForeign;
  }
  std::string text(file);
  const auto begins = [&](const std::string& prefix) { return text.starts_with(prefix); };
  if (std::any_of(sites.foreign_prefixes.begin(), sites.foreign_prefixes.end(), begins)) return kForeign;
  text += ':' + std::to_string(PyFrame_GetLineNumber(frame));
  const auto [found, is_new] = sites.number_of.try_emplace(text, static_cast<std::uint32_t>(sites.texts.size()));
  if (is_new) sites.texts.push_back(std::move(text));
  return found->second;
}

std::uint32_t innermost_site() {
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

}  // namespace

std::uint32_t call_site() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const std::uint32_t site = innermost_site();
  PyGILState_Release(gil);
  return site;
}

const std::string& call_site_text(std::uint32_t site) { return sites.texts[site]; }
std::uint32_t call_site_count() { return static_cast<std::uint32_t>(sites.texts.size()); }

void forget_call_sites() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  for (const auto& [place, site] : sites.known) Py_DECREF(place.code);
  PyGILState_Release(gil);
  sites.known.clear();
  sites.number_of.clear();
  sites.texts.resize(1);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_set_foreign_prefixes(int32_t count, const char* const* prefixes) {
  sites.foreign_prefixes.assign(prefixes, prefixes + count);
}
