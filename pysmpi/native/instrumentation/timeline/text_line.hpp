// A line of text composed of words and numbers. Its buffer is reused for all lines, so memory is rarely allocated.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace pysmpi {

class TextLine {
 public:
  void clear() { text_.clear(); }
  std::string_view text() const { return text_; }

  TextLine& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  TextLine& operator<<(char character) {
    text_.push_back(character);
    return *this;
  }
  TextLine& operator<<(std::int64_t number) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return *this;
  }
  TextLine& operator<<(std::int32_t number) { return *this << static_cast<std::int64_t>(number); }
  TextLine& operator<<(std::uint32_t number) { return *this << static_cast<std::int64_t>(number); }
  TextLine& operator<<(std::uint64_t number) { return *this << static_cast<std::int64_t>(number); }
  // Append the shortest digits from which the same number can be read back.
  TextLine& operator<<(double number) {
    char digits[32];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return *this;
  }
  TextLine& fixed(double number, int decimals) {
    char digits[64];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed, decimals).ptr);
    return *this;
  }

  // Append the text quoted as in JSON.
  TextLine& quoted(std::string_view text) {
    text_.push_back('"');
    for (const char each : text) {
      if (each == '"' || each == '\\') text_.push_back('\\');
      text_.push_back(static_cast<unsigned char>(each) < 0x20 ? ' ' : each);
    }
    text_.push_back('"');
    return *this;
  }

 private:
  std::string text_;
};

}  // namespace pysmpi
