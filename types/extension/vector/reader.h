// Reads the texts of vectors: blanks, numbers as strtof takes them.
// Thread safety: values.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/vector/vector.h"

namespace indigo::types::vectors {

class TextReader {
 public:
  TextReader(FuncContext& context, const char* type, Str text) : context_(context), type_(type), text_(text) {}

  bool skip(char c) {
    skip_blanks();
    if (!at(c)) return false;
    at_++;
    return true;
  }
  bool next_is(char c) {
    skip_blanks();
    return at(c);
  }
  bool ended() {
    skip_blanks();
    return at_ >= text_.size();
  }
  bool fail(const char* detail = nullptr) {
    Error error(sqlstate::kInvalidTextRepresentation,
                std::string("invalid input syntax for type ") + type_ + ": \"" + text_ + "\"");
    if (detail != nullptr) error.detail = detail;
    context_.fail(std::move(error));
    return false;
  }

  // A number that is neither infinite nor NaN. `zero_is_small`: so small that it would be zero is an error, too.
  bool number(float& out, bool zero_is_small) {
    constexpr uint64_t kUnitsOfNumber = 150;
    note_work(kUnitsOfNumber);
    skip_blanks();
    const char* from = text_.c_str() + at_;
    char* end = nullptr;
    errno = 0;
    out = std::strtof(from, &end);
    if (end == from) return fail();
    if (errno == ERANGE && (std::isinf(out) || (zero_is_small && out == 0))) {
      context_.fail(sqlstate::kNumericValueOutOfRange,
                    "\"" + std::string(from, static_cast<size_t>(end - from)) + "\" is out of range for type " + type_);
      return false;
    }
    at_ += static_cast<size_t>(end - from);
    return check_element(context_, type_, out);
  }
  // Cut to what an int32 holds.
  bool integer(int32_t& out) {
    skip_blanks();
    const char* from = text_.c_str() + at_;
    char* end = nullptr;
    const long value = std::strtol(from, &end, 10);
    if (end == from) return fail();
    out = static_cast<int32_t>(std::min<long>(std::max<long>(value, INT32_MIN + 1), INT32_MAX));
    at_ += static_cast<size_t>(end - from);
    return true;
  }

 private:
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_blanks() {
    while (at_ < text_.size() && std::strchr(" \t\n\r\v\f", text_[at_]) != nullptr && text_[at_] != '\0') at_++;
  }

  FuncContext& context_;
  const char* type_;
  const std::string text_;
  size_t at_ = 0;
};

// Appends bytes whose order by memcmp is the numbers'; zeros of either sign are equal.
inline void append_ordered(float value, std::string& out) {
  const float plain = value == 0 ? 0 : value;
  uint32_t bits = 0;
  std::memcpy(&bits, &plain, sizeof bits);
  send_integer((bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U, out);
}

// Modifiers of all three types: the number of dimensions.
Result<int32_t> dimensions_modifier(const char* type, std::span<const std::string> arguments, int32_t most);

}  // namespace indigo::types::vectors
