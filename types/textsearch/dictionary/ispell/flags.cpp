#include "types/textsearch/dictionary/ispell/flags.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/dictionary_files.h"

namespace indigo::types::ispell {

namespace {

constexpr int64_t kMaxFlagNumber = 65520;

// Digits at the beginning, as far as they go; none: there are none.
std::optional<int64_t> leading_number(Str& text) {
  Str rest = trim_blanks(text).empty() ? text : text.substr(text.find(trim_blanks(text)[0]));
  int64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return std::nullopt;
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return number;
}

std::string quoted(Str text) { return "\"" + std::string(text) + "\""; }

Result<std::string> number_flag(Str& set) {
  const Str whole = set;
  const std::optional<int64_t> number = leading_number(set);
  if (!number) return bad_file("invalid affix flag " + quoted(whole));
  if (*number < 0 || *number > kMaxFlagNumber) return bad_file("affix flag " + quoted(whole) + " is out of range");
  for (bool comma = false; !set.empty(); set.remove_prefix(1)) {
    if (is_digit(set[0])) {
      if (!comma) return bad_file("invalid affix flag " + quoted(set));
      break;
    }
    if (set[0] == ',') {
      if (comma) return bad_file("invalid affix flag " + quoted(set));
      comma = true;
    } else if (!is_blank(set[0])) {
      return bad_file("invalid character in affix flag " + quoted(set));
    }
  }
  return std::to_string(*number);
}

}  // namespace

Error bad_file(std::string message) { return {kDictionaryFileError, std::move(message)}; }

Result<std::string> Flags::next(Str& set) const {
  if (mode == Mode::kNumber) return number_flag(set);
  const Str whole = set;
  std::string flag;
  for (int wanted = mode == Mode::kLong ? 2 : 1; wanted > 0; wanted--) {
    if (set.empty()) return bad_file("invalid affix flag " + quoted(whole) + " with \"long\" flag value");
    const size_t length = std::min(utf8_length(set[0]), set.size());
    flag.append(set.substr(0, length));
    set.remove_prefix(length);
  }
  return flag;
}

bool Flags::contains(Str set, Str flag) const {
  if (flag.empty()) return true;
  while (!set.empty()) {
    const Result<std::string> one = next(set);
    if (!one) return false;
    if (*one == flag) return true;
  }
  return false;
}

Result<std::string> Flags::key_of(const std::string& flag) const {
  if (mode != Mode::kNumber) return flag;
  Str text = flag;
  return number_flag(text);
}

Status Flags::add_meaning(Str text, Compound meaning) {
  text = trim_blanks(text);
  if (text.empty()) return bad_file("syntax error");
  const auto end = std::find_if(text.begin(), text.end(), is_blank);
  INDIGO_ASSIGN(const std::string key, key_of(std::string(text.begin(), end)));
  meanings_[key] |= meaning;
  compounds_ = true;
  return {};
}

Result<Compound> Flags::meaning_of(Str set) const {
  Compound all = 0;
  if (meanings_.empty()) return all;
  while (!set.empty()) {
    INDIGO_ASSIGN(const std::string flag, next(set));
    INDIGO_ASSIGN(const std::string key, key_of(flag));
    if (const auto found = meanings_.find(key); found != meanings_.end()) all |= found->second;
  }
  return all;
}

Status Flags::add_alias(Str field) {
  if (!aliases_) {
    const int64_t announced = leading_number(field).value_or(0);
    if (announced <= 0) return bad_file("invalid number of flag vector aliases");
    announced_ = static_cast<size_t>(announced);
    aliases_.emplace(1);
    return {};
  }
  if (aliases_->size() > announced_)
    return bad_file("number of aliases exceeds specified number " + std::to_string(announced_));
  aliases_->emplace_back(field);
  return {};
}

Result<std::string> Flags::alias(Str number) const {
  if (number.empty()) return std::string();
  Str rest = number;
  const std::optional<int64_t> n = leading_number(rest);
  if (!n || *n < 0 || static_cast<size_t>(*n) > announced_ ||
      (!rest.empty() && !is_digit(rest[0]) && !is_blank(rest[0]))) {
    return bad_file("invalid affix alias " + quoted(number));
  }
  return static_cast<size_t>(*n) < aliases_->size() ? (*aliases_)[static_cast<size_t>(*n)] : std::string();
}

Result<std::string> Flags::set_of(Str text) const {
  if (!aliases_ || text.empty()) return std::string(text);
  Str rest = text;
  const std::optional<int64_t> n = leading_number(rest);
  if (!n || *n > static_cast<int64_t>(announced_) + 1) return bad_file("invalid affix alias " + quoted(text));
  if (*n <= 0 || static_cast<size_t>(*n) >= aliases_->size()) return std::string();
  return (*aliases_)[static_cast<size_t>(*n)];
}

std::string Flags::joined(const std::string& a, const std::string& b) const {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return mode == Mode::kNumber ? a + "," + b : a + b;
}

}  // namespace indigo::types::ispell
