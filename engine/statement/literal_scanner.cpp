#include "engine/statement/literal_scanner.h"

#include <array>
#include <charconv>

namespace indigo::engine {

namespace {

using Class = sql::LiftedLiteral::Class;

enum CharKind : uint8_t {
  kOther,
  kSpace,
  kLetter,
  kDigit,
  kOperator,
  kQuote,
  kDoubleQuote,
  kDollar,
  kSemicolon,
  kDot,
  kNul
};

constexpr std::array<uint8_t, 256> make_kinds() {
  std::array<uint8_t, 256> kinds{};
  for (int c = 'a'; c <= 'z'; c++) kinds[c] = kLetter;
  for (int c = 'A'; c <= 'Z'; c++) kinds[c] = kLetter;
  for (int c = 128; c < 256; c++) kinds[c] = kLetter;
  kinds['_'] = kLetter;
  for (int c = '0'; c <= '9'; c++) kinds[c] = kDigit;
  for (char c : {' ', '\t', '\n', '\r', '\f'}) kinds[static_cast<uint8_t>(c)] = kSpace;
  for (char c : {'~', '!', '@', '#', '^', '&', '|', '`', '?', '+', '-', '*', '/', '%', '<', '>', '='}) {
    kinds[static_cast<uint8_t>(c)] = kOperator;
  }
  kinds['\''] = kQuote;
  kinds['"'] = kDoubleQuote;
  kinds['$'] = kDollar;
  kinds[';'] = kSemicolon;
  kinds['.'] = kDot;
  kinds[0] = kNul;
  return kinds;
}
constexpr auto kKinds = make_kinds();

constexpr std::array<bool, 256> make_in_word() {
  std::array<bool, 256> in_word{};
  for (size_t c = 0; c < in_word.size(); c++) in_word[c] = kKinds[c] == kLetter || kKinds[c] == kDigit || c == '$';
  return in_word;
}
constexpr auto kInWord = make_in_word();

uint8_t kind_of(char c) { return kKinds[static_cast<uint8_t>(c)]; }

constexpr char marker(Class c) { return static_cast<char>(1 + static_cast<int>(c)); }

class Scanner {
 public:
  Scanner(std::string_view text, ScannedText& out) : text_(text), out_(out) {}

  void run() {
    out_.key.clear();
    out_.literals.clear();
    out_.raw.clear();
    out_.cacheable = out_.lifts = false;
    if (!scan()) return;
    out_.key.append(text_, copied_);
    out_.cacheable = true;
  }

 private:
  // What the last token was: decides whether a minus sign before a number belongs to it.
  enum class Before : uint8_t { kNothing, kOperand, kOperator };

  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  bool scan() {
    bool first_word = true;
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      switch (kind_of(c)) {
        case kSpace: pos_++; break;
        case kLetter: {
          const size_t begin = pos_;
          pos_ = word_end(begin);
          if (pos_ - begin <= 2 && (at(pos_) == '\'' || at(pos_) == '&')) return false;  // E'', B'', X'', N'', U&''
          if (first_word) {
            out_.lifts = lifting_word(text_.substr(begin, pos_ - begin));
            first_word = false;
          }
          before_ = Before::kOperand;
          break;
        }
        case kDigit:
          if (!number(pos_)) return false;
          break;
        case kDot:
          if (kind_of(at(pos_ + 1)) == kDigit) {
            if (!number(pos_)) return false;
          } else {
            pos_++;
            before_ = Before::kOperand;
          }
          break;
        case kQuote:
          if (!string()) return false;
          break;
        case kDoubleQuote: {
          size_t end = text_.find('"', pos_ + 1);
          if (end == std::string_view::npos) return false;
          pos_ = end + 1;  // a doubled quote begins another piece of the same name
          before_ = Before::kOperand;
          break;
        }
        case kDollar:
          if (kind_of(at(pos_ + 1)) != kDigit) return false;  // dollar quotes
          pos_++;
          while (kind_of(at(pos_)) == kDigit) pos_++;
          before_ = Before::kOperand;
          break;
        case kSemicolon:
          if (text_.find_first_not_of(" \t\n\r\f;", pos_) != std::string_view::npos) return false;
          // Everything from here on is white space and semicolons.
          if (pos_ > copied_) out_.key.append(text_, copied_, pos_ - copied_);
          copied_ = pos_ = text_.size();
          break;
        case kOperator:
          if (!operators()) return false;
          break;
        case kNul: return false;
        default:
          before_ = c == ')' || c == ']' ? Before::kOperand : Before::kOperator;
          // A marker byte in the text must not look like a lifted literal.
          if (static_cast<uint8_t>(c) < 32) return false;
          pos_++;
      }
    }
    return true;
  }

  size_t word_end(size_t pos) const {
    const std::string_view text = text_;
    while (pos < text.size() && kInWord[static_cast<uint8_t>(text[pos])]) pos++;
    return pos;
  }

  static bool lifting_word(std::string_view word) {
    static constexpr std::string_view kWords[] = {"select", "insert", "update", "delete",
                                                  "with",   "values", "merge",  "table"};
    for (auto w : kWords) {
      if (w.size() != word.size()) continue;
      bool same = true;
      for (size_t i = 0; i < w.size(); i++) same &= (word[i] | 0x20) == w[i];
      if (same) return true;
    }
    return false;
  }

  // A run of operator characters, comments cut off. A final minus before a number goes to the number when what
  // precedes it cannot be an operand.
  bool operators() {
    if (text_[pos_] == '-' && at(pos_ + 1) == '-') {
      size_t end = text_.find('\n', pos_);
      pos_ = end == std::string_view::npos ? text_.size() : end;
      return true;
    }
    if (text_[pos_] == '/' && at(pos_ + 1) == '*') return comment();
    if (text_[pos_] == '-' && before_ == Before::kOperator) {
      size_t digits = pos_ + 1;
      while (kind_of(at(digits)) == kSpace) digits++;
      if (kind_of(at(digits)) == kDigit && digits == pos_ + 1) return number(digits);
    }
    size_t end = pos_ + 1;
    bool keeps_sign = false;  // an operator with one of these may end in a sign: 2 ^-1 has the operator ^-
    for (size_t p = pos_; p == pos_ || kind_of(at(p)) == kOperator; p++) {
      if (p > pos_ && ((at(p) == '-' && at(p + 1) == '-') || (at(p) == '/' && at(p + 1) == '*'))) break;
      keeps_sign |= std::string_view("~!@#%^&|`?").find(at(p)) != std::string_view::npos;
      end = p + 1;
    }
    while (!keeps_sign && end > pos_ + 1 && (text_[end - 1] == '+' || text_[end - 1] == '-')) end--;
    pos_ = end;
    before_ = Before::kOperator;
    return true;
  }

  bool comment() {
    int depth = 0;
    while (pos_ < text_.size()) {
      if (at(pos_) == '/' && at(pos_ + 1) == '*') {
        depth++;
        pos_ += 2;
      } else if (at(pos_) == '*' && at(pos_ + 1) == '/') {
        depth--;
        pos_ += 2;
        if (depth == 0) return true;
      } else {
        pos_++;
      }
    }
    return false;
  }

  // pos_ is at the sign or the first digit, `digits` at the first digit.
  bool number(size_t digits) {
    size_t begin = pos_;
    size_t p = digits;
    bool integer = true;
    while (kind_of(at(p)) == kDigit) p++;
    if (at(p) == '.') {
      if (at(p + 1) == '.') return false;
      integer = false;
      p++;
      while (kind_of(at(p)) == kDigit) p++;
    }
    if (at(p) == 'e' || at(p) == 'E') {
      size_t e = p + 1;
      if (at(e) == '+' || at(e) == '-') e++;
      if (kind_of(at(e)) != kDigit) return false;
      integer = false;
      p = e;
      while (kind_of(at(p)) == kDigit) p++;
    }
    if (kind_of(at(p)) == kLetter || at(p) == '.') return false;  // trailing junk: let the parser complain
    Class kind = Class::kNumeric;
    if (integer) {
      int64_t v = 0;
      auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + p, v);
      if (error == std::errc()) kind = v >= INT32_MIN && v <= INT32_MAX ? Class::kInt4 : Class::kInt8;
    }
    lift(begin, p, kind, {text_.substr(begin, p - begin), false});
    return true;
  }

  bool string() {
    size_t begin = pos_;
    size_t p = pos_ + 1;
    bool doubled = false;
    for (;;) {
      p = text_.find('\'', p);
      if (p == std::string_view::npos) return false;
      if (at(p + 1) != '\'') break;
      doubled = true;
      p += 2;
    }
    std::string_view contents = text_.substr(begin + 1, p - begin - 1);
    // standard_conforming_strings = off would read backslashes: those texts are not shared.
    if (contents.find('\\') != std::string_view::npos) return false;
    p++;
    size_t next = p;
    while (kind_of(at(next)) == kSpace) next++;
    if (at(next) == '\'' && next > p) return false;  // a continued string
    lift(begin, p, Class::kString, {contents, doubled});
    return true;
  }

  void lift(size_t begin, size_t end, Class kind, ScannedText::Raw raw) {
    before_ = Before::kOperand;
    pos_ = end;
    if (!out_.lifts) return;  // utility statements keep their literals
    out_.key.append(text_, copied_, begin - copied_);
    out_.key.push_back(marker(kind));
    copied_ = end;
    out_.literals.push_back({static_cast<int>(begin), kind});
    out_.raw.push_back(raw);
  }

  std::string_view text_;
  ScannedText& out_;
  size_t pos_ = 0;
  size_t copied_ = 0;
  Before before_ = Before::kNothing;
};

}  // namespace

void scan_literals(std::string_view text, ScannedText& out) { Scanner(text, out).run(); }

std::string_view literal_value(const ScannedText::Raw& raw, std::string& buffer) {
  if (!raw.doubled_quotes) return raw.text;
  buffer.clear();
  for (size_t i = 0; i < raw.text.size(); i++) {
    buffer.push_back(raw.text[i]);
    if (raw.text[i] == '\'') i++;
  }
  return buffer;
}

}  // namespace indigo::engine
