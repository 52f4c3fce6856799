// Splitting of traces and GOAL texts into lines, words and numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace pysmpi {

// Remove and return the first line of the text, without its line end.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Remove and return the first word of the line. Returns an empty word at the end of the line.
inline std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

// Parse the whole word as a number. Returns false if it is not a number.
template <class Number>
bool parse_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

// Parse a whole number that may also be written as 1e6.
inline bool parse_whole(std::string_view word, std::int64_t& number) {
  if (parse_number(word, number)) return true;
  double value = 0.0;
  if (!parse_number(word, value) || !(std::abs(value) < 9e18)) return false;
  number = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace pysmpi
