#include "types/text/regex_translator.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <re2/re2.h>
#include <unicode/uchar.h>

#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

using Outcome = TranslatedRegex::Outcome;

// What ICU's u_isalpha() and its like tell, in RE2's syntax within brackets; null: ASCII's, as in PostgreSQL.
struct UnicodeClass {
  Str name;
  const char* members;
};
constexpr const char* kUnicodeSpaces = "\\x09-\\x0d\\x1c-\\x1f\\x{85}\\p{Z}";
constexpr UnicodeClass kUnicodeClasses[] = {
    {"alpha", "\\p{L}"},  {"alnum", "\\p{L}\\p{Nd}"},
    {"digit", "\\p{Nd}"}, {"graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Co}"},
    {"lower", "\\p{Ll}"}, {"print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}"},
    {"punct", "\\p{P}"},  {"space", kUnicodeSpaces},
    {"upper", "\\p{Lu}"}, {"word", "\\p{L}\\p{Nd}_"},
};

// The code points that `belongs` holds for, as ranges within brackets.
template <class Belongs>
std::string members_where(Belongs&& belongs) {
  constexpr uint32_t kEnd = 0x110000;
  std::string out;
  for (uint32_t from = 0; from < kEnd;) {
    if (!belongs(from)) {
      from++;
      continue;
    }
    uint32_t to = from;
    while (to + 1 < kEnd && belongs(to + 1)) to++;
    char range[32];
    std::snprintf(range, sizeof range, "\\x{%x}-\\x{%x}", from, to);
    out.append(range);
    from = to + 1;
  }
  return out;
}
uint32_t category_of(uint32_t c) { return U_GET_GC_MASK(static_cast<UChar32>(c)); }

// \S and \W within brackets, where RE2 knows no complement of several classes.
const std::string& unicode_non_spaces() {
  static const std::string members = members_where([](uint32_t c) {
    const bool control = (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85;
    return !control && (category_of(c) & U_GC_Z_MASK) == 0;
  });
  return members;
}
const std::string& unicode_non_words() {
  static const std::string members =
      members_where([](uint32_t c) { return c != '_' && (category_of(c) & (U_GC_L_MASK | U_GC_ND_MASK)) == 0; });
  return members;
}

const char* unicode_class(Str name, bool ignore_case) {
  if (ignore_case && (name == "upper" || name == "lower")) return "\\p{L}";
  for (const UnicodeClass& c : kUnicodeClasses)
    if (c.name == name) return c.members;
  return nullptr;
}

// Writes RE2's syntax for PostgreSQL's, and beyond it what backtrack.h knows.
class Translator {
 public:
  Translator(Str pattern, RegexFlags& flags) : in_(pattern), flags_(flags) {}

  std::string out;
  bool lazy = false;        // has a non-greedy quantifier
  bool beyond_re2 = false;  // has back references, look-around, or boundaries of Unicode's words

  Outcome run() {
    if (flags_.literal) return literal();
    director();
    if (flags_.literal) return literal();
    while (at_ < in_.size()) {
      const char c = in_[at_];
      const bool constraint = std::exchange(after_constraint_, c == '^' || c == '$');
      if (constraint && (c == '*' || c == '+' || c == '?' || starts_bounds())) return Outcome::kBadRepeat;
      if (c == '\\') {
        if (const Outcome o = flags_.unicode ? unicode_escape(false) : escape(false); o != Outcome::kOk) return o;
      } else if (c == '[') {
        if (const Outcome o = bracket(); o != Outcome::kOk) return o;
      } else if (c == '(' && in_.substr(at_).starts_with("(?")) {
        const char next = at_ + 2 < in_.size() ? in_[at_ + 2] : '\0';
        if (next == '\0' || Str(":=!<#").find(next) == Str::npos) return Outcome::kBadRepeat;
        if (next == '=' || next == '!' || next == '<') beyond_re2 = true;
        if (next == '#') {
          const size_t close = in_.find(')', at_);
          at_ = close == Str::npos ? in_.size() : close + 1;
          continue;
        }
        out.append("(?");
        at_ += 2;
      } else if (flags_.expanded && (is_blank(c) || c == '#')) {
        if (c == '#') {
          while (at_ < in_.size() && in_[at_] != '\n') at_++;
        } else {
          at_++;
        }
      } else if ((c == '*' || c == '+' || c == '?' || c == '}') && at_ + 1 < in_.size() && in_[at_ + 1] == '?') {
        lazy = true;
        out.append({c, '?'});
        at_ += 2;
      } else if (c == '{' && !starts_bounds()) {
        out.append("\\{");
        at_++;
      } else if (may_have_case(c)) {
        letter(utf8_decode(in_, at_), false);
        at_ += utf8_length(c);
      } else {
        out.push_back(c);
        at_++;
      }
    }
    return Outcome::kOk;
  }

 private:
  // ---- letters of either case
  // Neither machine folds: each letter of the pattern is written in all its cases, by PostgreSQL's rule (the letter, its lower
  // and its upper case), which is not RE2's (all letters that fold alike).
  static bool may_have_case(char c) { return is_alpha(c) || static_cast<uint8_t>(c) >= 0x80; }
  uint32_t lower(uint32_t c) const {
    if (c < 128) return static_cast<uint8_t>(ascii_lower(static_cast<char>(c)));
    return flags_.unicode ? static_cast<uint32_t>(u_tolower(static_cast<UChar32>(c))) : c;
  }
  uint32_t upper(uint32_t c) const {
    if (c < 128) return static_cast<uint8_t>(ascii_upper(static_cast<char>(c)));
    return flags_.unicode ? static_cast<uint32_t>(u_toupper(static_cast<UChar32>(c))) : c;
  }
  void letter(uint32_t c, bool in_bracket) {
    const uint32_t small = flags_.ignore_case ? lower(c) : c, capital = flags_.ignore_case ? upper(c) : c;
    const bool several = small != c || capital != c;
    if (several && !in_bracket) out.push_back('[');
    utf8_append(c, out);
    if (small != c) utf8_append(small, out);
    if (capital != c) utf8_append(capital, out);
    if (several && !in_bracket) out.push_back(']');
    if (!in_bracket && c < 128) word_end_ = out.size();
  }
  // The other cases of what a range within brackets has.
  void other_cases(uint32_t from, uint32_t to) {
    constexpr uint32_t kLastWithCase = 0x1e943;
    if (!flags_.ignore_case) return;
    std::vector<uint32_t> others;
    for (uint32_t c = from; c <= std::min(to, flags_.unicode ? kLastWithCase : 127); c++) {
      for (const uint32_t other : {lower(c), upper(c)})
        if (other < from || other > to) others.push_back(other);
    }
    std::sort(others.begin(), others.end());
    for (size_t i = 0; i < others.size();) {
      size_t next = i + 1;
      uint32_t last = others[i];
      while (next < others.size() && others[next] <= last + 1) last = others[next++];
      utf8_append(others[i], out);
      out.push_back('-');
      utf8_append(last, out);
      i = next;
    }
  }

  bool starts_bounds() const { return in_[at_] == '{' && at_ + 1 < in_.size() && is_digit(in_[at_ + 1]); }

  // \m and \M, where a word begins and ends. Beside a letter of the pattern a word boundary is that already.
  void word_edge(bool begin) {
    beyond_re2 |= flags_.unicode;
    const auto is_word = [](char c) { return is_alnum(c) || c == '_'; };
    bool plain = false;
    if (begin) {
      const Str rest = in_.substr(at_);
      const size_t n = rest.starts_with("\\w") || rest.starts_with("\\d") ? 2
                       : !rest.empty() && is_word(rest[0])                ? 1
                                                                          : 0;
      plain = n > 0 && (rest.size() == n || Str("*?{").find(rest[n]) == Str::npos);
    } else if (word_end_ == out.size()) {
      plain = !out.empty();
    } else if (!out.empty() && is_word(out.back())) {
      const bool escaped = out.size() > 1 && out[out.size() - 2] == '\\';
      plain = !escaped || out.back() == 'w' || out.back() == 'd';
    }
    out.append("\\b");
    if (plain) return;
    out.append(begin ? "(?=\\w)" : "(?<=\\w)");
    beyond_re2 = true;
  }

  Outcome literal() {
    for (; at_ < in_.size(); at_ += utf8_length(in_[at_])) {
      if (may_have_case(in_[at_])) {
        letter(utf8_decode(in_, at_), false);
      } else {
        out.append(re2::RE2::QuoteMeta(re2::StringPiece(in_.data() + at_, 1)));
      }
    }
    return Outcome::kOk;
  }

  // ***= (literal), ***: (advanced), then (?options)
  void director() {
    if (in_.starts_with("***=")) {
      flags_.literal = true;
      at_ = 4;
      return;
    }
    if (in_.starts_with("***:")) at_ = 4;
    const Str rest = in_.substr(at_);
    if (!rest.starts_with("(?") || rest.size() < 4 || !is_alpha(rest[2])) return;
    const size_t close = rest.find(')');
    if (close == Str::npos || rest.substr(2, close - 2).find_first_not_of("bceimnpqstwx") != Str::npos) return;
    for (char c : rest.substr(2, close - 2)) {
      switch (c) {
        case 'i': flags_.ignore_case = true; break;
        case 'c': flags_.ignore_case = false; break;
        case 'm':
        case 'n': flags_.newline_stops = flags_.newline_anchors = true; break;
        case 'p': flags_.newline_stops = true; break;
        case 'w': flags_.newline_anchors = true; break;
        case 's': flags_.newline_stops = flags_.newline_anchors = false; break;
        case 'x': flags_.expanded = true; break;
        case 't': flags_.expanded = false; break;
        case 'q': flags_.literal = true; break;
        default: break;
      }
    }
    at_ += close + 1;
  }

  Outcome escape(bool in_bracket) {
    if (at_ + 1 >= in_.size()) return Outcome::kBadEscape;
    const char c = in_[at_ + 1];
    at_ += 2;
    after_constraint_ = !in_bracket && Str("yYmMAZ").find(c) != Str::npos;
    switch (c) {
      case 'y':
      case 'Y':
        // RE2's \B is also between the bytes of a character.
        beyond_re2 |= !in_bracket && (flags_.unicode || c == 'Y');
        out.append(c == 'y' ? "\\b" : "\\B");
        return Outcome::kOk;
      case 'm':
      case 'M': word_edge(c == 'm'); return Outcome::kOk;
      case 'Z': out.append("\\z"); return Outcome::kOk;
      case 'B': out.append("\\\\"); return Outcome::kOk;
      case 'e': out.append("\\x1b"); return Outcome::kOk;
      case 'b': out.append("\\x08"); return Outcome::kOk;
      case 'c':
        if (at_ < in_.size()) {
          char code[8];
          std::snprintf(code, sizeof code, "\\x%02x", in_[at_++] & 0x1f);
          out.append(code);
        }
        return Outcome::kOk;
      case 'u':
      case 'U': code(in_.substr(at_, c == 'u' ? 4 : 8), in_bracket); return Outcome::kOk;
      case 'x': {
        size_t n = 0;
        while (at_ + n < in_.size() && hex_value(in_[at_ + n]) >= 0) n++;
        code(in_.substr(at_, n), in_bracket);
        return Outcome::kOk;
      }
      case '0': out.append("\\x{0}"); return Outcome::kOk;
      case 'A':
      case 'a':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case 'd':
      case 'D':
      case 's':
      case 'S':
      case 'w':
      case 'W': out.append({'\\', c}); return Outcome::kOk;
      default: break;
    }
    if (is_digit(c) && !in_bracket) beyond_re2 = true;
    if (is_alpha(c)) return Outcome::kBadEscape;
    if (is_digit(c)) {
      out.append({'\\', c});
    } else if (static_cast<uint8_t>(c) < 0x80) {
      out.append({'\\', c});
    } else {
      out.push_back(c);
    }
    return Outcome::kOk;
  }

  // A character by its number.
  void code(Str digits, bool in_bracket) {
    at_ += digits.size();
    uint32_t c = 0;
    bool known = flags_.ignore_case && !digits.empty() && digits.size() <= 8;
    for (const char digit : digits) {
      known = known && hex_value(digit) >= 0;
      c = c * 16 + static_cast<uint32_t>(std::max(hex_value(digit), 0));
    }
    const bool begins_range = in_bracket && in_.substr(at_).starts_with('-');
    if (known && !begins_range && c < 0x110000 && (lower(c) != c || upper(c) != c)) return letter(c, in_bracket);
    out.append("\\x{").append(digits).append("}");
  }

  // As escape(), of Unicode's classes.
  Outcome unicode_escape(bool in_bracket) {
    const char c = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
    const char* members = nullptr;
    switch (c) {
      case 'd':
      case 'D': members = unicode_class("digit", false); break;
      case 's':
      case 'S': members = unicode_class("space", false); break;
      case 'w':
      case 'W': members = unicode_class("word", false); break;
      default: return escape(in_bracket);
    }
    const bool negated = c == 'D' || c == 'S' || c == 'W';
    at_ += 2;
    if (!in_bracket) {
      out.append(negated ? "[^" : "[").append(members).append("]");
    } else if (!negated) {
      out.append(members);
    } else if (c == 'D') {
      out.append("\\P{Nd}");
    } else {
      out.append(c == 'S' ? unicode_non_spaces() : unicode_non_words());
    }
    return Outcome::kOk;
  }

  Outcome bracket() {
    const Str rest = in_.substr(at_);
    if (rest.starts_with("[[:<:]]") || rest.starts_with("[[:>:]]")) {
      at_ += 7;
      word_edge(rest[3] == '<');
      after_constraint_ = true;
      return Outcome::kOk;
    }
    out.push_back('[');
    at_++;
    if (at_ < in_.size() && in_[at_] == '^') {
      out.push_back('^');
      at_++;
      if (flags_.newline_stops) out.append("\\n");
    }
    bool first = true;
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == ']' && !first) {
        out.push_back(']');
        at_++;
        return Outcome::kOk;
      }
      first = false;
      if (c == '\\') {
        if (const Outcome o = flags_.unicode ? unicode_escape(true) : escape(true); o != Outcome::kOk) return o;
      } else if (c == '[' && at_ + 1 < in_.size() && in_[at_ + 1] == ':') {
        const size_t close = in_.find(":]", at_ + 2);
        if (close == Str::npos) return Outcome::kOk;
        const Str name = in_.substr(at_ + 2, close - at_ - 2);
        const char* members = flags_.unicode ? unicode_class(name, flags_.ignore_case) : nullptr;
        if (members != nullptr) {
          out.append(members);
        } else if (flags_.ignore_case && (name == "upper" || name == "lower")) {
          out.append("[:alpha:]");
        } else {
          out.append(in_.substr(at_, close + 2 - at_));
        }
        at_ = close + 2;
      } else if (c == '[' && at_ + 4 < in_.size() && (in_[at_ + 1] == '.' || in_[at_ + 1] == '=') &&
                 in_[at_ + 3] == in_[at_ + 1]) {
        out.append({'\\', in_[at_ + 2]});
        at_ += 5;
      } else if (flags_.ignore_case && c != ']' && c != '[') {
        member();
      } else {
        if (c == ']' || c == '[') out.push_back('\\');
        out.push_back(c);
        at_++;
      }
    }
    return Outcome::kOk;
  }
  // A character within brackets, or a range of them, in all cases.
  void member() {
    const uint32_t from = utf8_decode(in_, at_);
    const Str first = in_.substr(at_, utf8_length(in_[at_]));
    at_ += first.size();
    const Str rest = in_.substr(at_);
    if (rest.size() < 2 || rest[0] != '-' || Str("]\\[").find(rest[1]) != Str::npos) {
      if (may_have_case(first[0])) return letter(from, true);
      out.append(first);
      return;
    }
    const Str last = rest.substr(1, utf8_length(rest[1]));
    at_ += 1 + last.size();
    out.append(first).append("-").append(last);
    other_cases(from, utf8_decode(last, 0));
  }

  size_t word_end_ = 0;            // where `out` ended behind a letter of ASCII
  bool after_constraint_ = false;  // the last atom matches no character: it takes no quantifier
  Str in_;
  RegexFlags& flags_;
  size_t at_ = 0;
};

}  // namespace

TranslatedRegex translate_regex(Str pattern, RegexFlags& flags) {
  Translator translator(pattern, flags);
  const Outcome outcome = translator.run();
  return {std::move(translator.out), outcome, translator.lazy, translator.beyond_re2};
}

}  // namespace indigo::types
