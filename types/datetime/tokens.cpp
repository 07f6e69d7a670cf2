#include "types/datetime/tokens.h"

#include "types/datetime/words.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr size_t kMaxFields = 25, kMaxText = 128;

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  bool next(Field& field) {
    field.text.clear();
    const char c = peek();
    if (is_digit(c)) return number(field);
    if (c == '.') {
      take(field);
      take_digits(field);
      field.kind = FieldKind::kNumber;
      return true;
    }
    if (is_alpha(c)) return word(field);
    if (c == '+' || c == '-') return sign(field);
    return false;
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  // Punctuation is ignored.
  bool skip_punctuation() {
    const char c = peek();
    const bool punctuation = c > ' ' && c < 0x7f && !is_alnum(c) && c != '+' && c != '-' && c != '.';
    if (punctuation) at_++;
    return punctuation;
  }
  bool at_end() const { return at_ >= text_.size(); }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void take(Field& f) { f.text.push_back(ascii_lower(text_[at_++])); }
  void take_digits(Field& f) {
    while (is_digit(peek())) take(f);
  }

  bool number(Field& f) {
    take_digits(f);
    const char delimiter = peek();
    if (delimiter == ':') {
      f.kind = FieldKind::kTime;
      while (is_digit(peek()) || peek() == ':' || peek() == '.') take(f);
      return true;
    }
    if (delimiter != '-' && delimiter != '/' && delimiter != '.') {
      f.kind = FieldKind::kNumber;
      return true;
    }
    take(f);
    if (is_digit(peek())) {
      f.kind = delimiter == '.' ? FieldKind::kNumber : FieldKind::kDate;
      take_digits(f);
      if (peek() == delimiter) {
        f.kind = FieldKind::kDate;
        while (is_digit(peek()) || peek() == delimiter) take(f);
      }
    } else {
      f.kind = FieldKind::kDate;
      while (is_alnum(peek()) || (peek() == delimiter && peek() != '\0')) take(f);
    }
    return true;
  }

  bool word(Field& f) {
    f.kind = FieldKind::kWord;
    while (is_alpha(peek())) take(f);
    const char c = peek();
    bool joined = c == '-' || c == '/' || c == '.';
    if (c == '+' || is_digit(c)) joined = find_date_word(f.text).word == DateWord::kNone;
    if (!joined) return true;
    f.kind = FieldKind::kDate;
    while (is_alnum(peek()) || peek() == '+' || peek() == '-' || peek() == '/' || peek() == '_' || peek() == '.' ||
           peek() == ':')
      take(f);
    return true;
  }

  bool sign(Field& f) {
    take(f);
    skip_blanks();
    if (is_digit(peek())) {
      f.kind = FieldKind::kZone;
      while (is_digit(peek()) || peek() == ':' || peek() == '.' || peek() == '-') take(f);
      return true;
    }
    if (is_alpha(peek())) {
      f.kind = FieldKind::kSpecial;
      while (is_alpha(peek())) take(f);
      return true;
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool split_datetime(std::string_view text, std::vector<Field>& out) {
  if (text.size() > kMaxText) return false;
  Splitter splitter(text);
  while (true) {
    splitter.skip_blanks();
    if (splitter.at_end()) return true;
    if (splitter.skip_punctuation()) continue;
    Field field;
    if (out.size() >= kMaxFields || !splitter.next(field)) return false;
    out.push_back(std::move(field));
  }
}

}  // namespace indigo::types
