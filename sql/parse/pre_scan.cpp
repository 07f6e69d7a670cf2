#include "sql/parse/pre_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/name.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::sql {
namespace {

enum CharKind : uint8_t { kWordStart = 1, kInWord = 2, kOperator = 4, kOther = 8 };  // none: nothing to look at

constexpr std::array<uint8_t, 256> make_kinds() {
  std::array<uint8_t, 256> kinds{};
  const auto start = [&](int c) { kinds[static_cast<size_t>(c)] = kWordStart | kInWord; };
  for (int c = 'a'; c <= 'z'; c++) start(c);
  for (int c = 'A'; c <= 'Z'; c++) start(c);
  for (int c = 0x80; c < 256; c++) start(c);
  start('_');
  for (int c = '0'; c <= '9'; c++) kinds[static_cast<size_t>(c)] = kInWord;
  kinds['$'] = kInWord;
  for (const char c : std::string_view("~!@#^&|`?+-*/%<>=:.")) kinds[static_cast<uint8_t>(c)] = kOperator;
  for (const char c : std::string_view("'\"()[],;")) kinds[static_cast<uint8_t>(c)] = kOther;
  return kinds;
}
constexpr auto kKinds = make_kinds();

bool is_word_start(char c) { return (kKinds[static_cast<uint8_t>(c)] & kWordStart) != 0; }
bool is_word(char c) { return (kKinds[static_cast<uint8_t>(c)] & kInWord) != 0; }
bool is_operator(char c) { return (kKinds[static_cast<uint8_t>(c)] & kOperator) != 0; }

// What a word means for the depth of the tree.
enum class Meaning : uint8_t { kNone, kOpens, kCloses, kChains, kEnds, kLinks };
struct Keyword {
  std::string_view word;
  Meaning meaning;
};
// By length.
constexpr Keyword kTwo[] = {{"on", Meaning::kEnds},
                            {"or", Meaning::kEnds},
                            {"is", Meaning::kLinks},
                            {"in", Meaning::kLinks},
                            {"at", Meaning::kLinks}};
constexpr Keyword kThree[] = {{"and", Meaning::kEnds}, {"not", Meaning::kLinks}, {"end", Meaning::kCloses}};
constexpr Keyword kFour[] = {{"from", Meaning::kEnds}, {"join", Meaning::kChains}, {"when", Meaning::kEnds},
                             {"then", Meaning::kEnds}, {"else", Meaning::kEnds},   {"case", Meaning::kOpens},
                             {"like", Meaning::kLinks}};
constexpr Keyword kFive[] = {
    {"where", Meaning::kEnds}, {"using", Meaning::kEnds}, {"union", Meaning::kChains}, {"ilike", Meaning::kLinks}};
constexpr Keyword kSix[] = {
    {"select", Meaning::kEnds}, {"having", Meaning::kEnds}, {"except", Meaning::kChains}, {"isnull", Meaning::kLinks}};
constexpr Keyword kSeven[] = {{"between", Meaning::kLinks},
                              {"notnull", Meaning::kLinks},
                              {"collate", Meaning::kLinks},
                              {"similar", Meaning::kLinks}};
constexpr Keyword kNine[] = {{"intersect", Meaning::kChains}};
constexpr std::span<const Keyword> kKeywords[] = {{}, {}, kTwo, kThree, kFour, kFive, kSix, kSeven, {}, kNine};

// By length: the letters that keywords begin with, as bits.
constexpr auto kFirstLetters = [] {
  std::array<uint32_t, std::size(kKeywords)> letters{};
  for (size_t n = 0; n < letters.size(); n++) {
    for (const Keyword& k : kKeywords[n]) letters[n] |= 1U << (static_cast<uint8_t>(k.word[0]) & 31);
  }
  return letters;
}();

Meaning meaning_of(std::string_view word) {
  if (word.size() >= std::size(kKeywords)) return Meaning::kNone;
  if ((kFirstLetters[word.size()] >> (static_cast<uint8_t>(word[0]) & 31) & 1) == 0) return Meaning::kNone;
  char lower[std::size(kKeywords)];
  for (size_t i = 0; i < word.size(); i++) {
    lower[i] = word[i] >= 'A' && word[i] <= 'Z' ? static_cast<char>(word[i] | 0x20) : word[i];
  }
  for (const Keyword& k : kKeywords[word.size()]) {
    if (k.word == std::string_view(lower, word.size())) return k.meaning;
  }
  return Meaning::kNone;
}

class Scanner {
 public:
  Scanner(std::string_view text, const StringSyntax& syntax, const PreScanNotes& notes)
      : text_(text), out_(text), levels_(1), standard_strings_(syntax.standard), notes_(notes) {}

  Result<std::string> run() {
    while (at_ < text_.size()) {
      step();
      if (too_deep_) {
        return Error(sqlstate::kStatementTooComplex, "stack depth limit exceeded")
            .with_hint(
                "Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the "
                "platform's stack depth limit is adequate.");
      }
    }
    return std::move(out_);
  }

 private:
  // What is open at one nesting of brackets: links of the current expression, of the current chain of joins or set
  // operations, and the deepest of both seen so far.
  struct Level {
    int links = 0, chain = 0, deepest = 0;
  };

  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = text_[at_];
    const uint8_t kind = kKinds[static_cast<uint8_t>(c)];
    if (kind == 0) {
      at_++;
      return;
    }
    if ((kind & kWordStart) != 0) return word();
    if (c == '-' && peek(1) == '-') return line_comment();
    if (c == '/' && peek(1) == '*') return block_comment();
    if (c == '\'') return string();
    if (c == '"') return quoted_name();
    if (c == '$') return dollar();
    if (c >= '0' && c <= '9') return number();
    at_++;
    if (c == '(' || c == '[') return open();
    if (c == ')' || c == ']') return close();
    if (c == ',' || c == ';') return end_expression(c == ';');
    if (is_operator(c)) {
      while (at_ < text_.size() && is_operator(text_[at_]) && !(text_[at_] == '-' && peek(1) == '-') &&
             !(text_[at_] == '/' && peek(1) == '*')) {
        at_++;
      }
      link();
    }
  }

  void line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') out_[at_++] = ' ';
  }

  void block_comment() {
    int depth = 0;
    do {
      if (peek(0) == '/' && peek(1) == '*') {
        if (depth++ > 0) out_[at_] = out_[at_ + 1] = ' ';
        at_ += 2;
      } else if (peek(0) == '*' && peek(1) == '/') {
        if (--depth > 0) out_[at_] = out_[at_ + 1] = ' ';
        at_ += 2;
      } else {
        at_++;
      }
    } while (depth > 0 && at_ < text_.size());
  }

  void quoted(char quote, bool escapes) {
    at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (escapes && c == '\\') {
        at_++;
      } else if (c == quote) {
        return;  // a doubled quote opens the next piece at once
      }
    }
    at_ = std::min(at_, text_.size());
  }

  // Behind U&: all pieces of the literal or name.
  void unicode_literal() {
    const size_t begin = at_;
    const char quote = text_[at_];
    for (size_t next = at_; next < text_.size() && text_[next] == quote;) {
      at_ = next;
      quoted(quote, false);
      next = quote == '\'' && peek(0) != quote ? continuation() : at_;
    }
    notes_.unicode_literals->push_back({begin, at_});
  }
  // Where the next word is, if a line ends before it: a string goes on there. The text's end: nowhere.
  size_t continuation() const {
    const size_t next = std::min(text_.find_first_not_of(" \t\f\v\r\n", at_), text_.size());
    const bool lines = text_.substr(at_, next - at_).find_first_of("\r\n") != std::string_view::npos;
    return lines ? next : text_.size();
  }

  void string() {
    const size_t begin = at_;
    quoted('\'', !standard_strings_);
    if (standard_strings_ || notes_.escaped_strings == nullptr) return;
    const size_t backslash = text_.substr(begin, at_ - begin).find('\\');
    if (backslash == std::string_view::npos || begin + backslash + 1 >= text_.size()) return;
    notes_.escaped_strings->push_back({static_cast<int>(begin), text_[begin + backslash + 1]});
  }

  void quoted_name() {
    const size_t begin = at_ + 1;
    quoted('"', false);
    if (at_ > begin) see_name(text_.substr(begin, at_ - 1 - begin));
  }

  // U&"...", and UESCAPE behind it: as long as what it stands for.
  void unicode_name() {
    const size_t begin = at_ + 1;
    quoted('"', false);
    if (at_ <= begin) return;
    const auto skip_blanks = [&](size_t at) {
      return std::min(text_.find_first_not_of(" \t\f\v\r\n", at), text_.size());
    };
    constexpr std::string_view kEscape = "uescape";
    char escape = '\\';
    if (const size_t word = skip_blanks(at_);
        types::equals_ignoring_case(text_.substr(word, kEscape.size()), kEscape)) {
      const size_t literal = skip_blanks(word + kEscape.size());
      if (literal + 2 < text_.size() && text_[literal] == '\'' && text_[literal + 2] == '\'')
        escape = text_[literal + 1];
    }
    see_name(unescaped(text_.substr(begin, at_ - 1 - begin), escape));
  }

  static std::string unescaped(std::string_view name, char escape) {
    std::string out;
    uint32_t high = 0;  // the first half of a pair
    for (size_t i = 0; i < name.size(); i++) {
      const bool longer = i + 1 < name.size() && name[i] == escape && name[i + 1] == '+';
      const size_t from = i + (longer ? 2 : 1), digits = longer ? 6 : 4;
      uint32_t code = 0;
      const char* const end = name.data() + std::min(from + digits, name.size());
      if (name[i] != escape || from + digits > name.size() ||
          std::from_chars(name.data() + from, end, code, 16).ptr != end) {
        out.push_back(name[i]);
        i += i + 1 < name.size() && name[i + 1] == name[i] && (name[i] == escape || name[i] == '"') ? 1 : 0;
        continue;
      }
      i = from + digits - 1;
      if (code >= 0xD800 && code < 0xDC00) {
        high = code;
      } else {
        utf8_append(high == 0 ? code : 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), out);
        high = 0;
      }
    }
    return out;
  }

  void see_name(std::string_view name) {
    if (notes_.long_names != nullptr && name.size() > kMaxNameBytes) notes_.long_names->emplace_back(name);
  }

  void dollar() {
    size_t end = at_ + 1;
    if (end < text_.size() && is_word_start(text_[end])) {
      while (end < text_.size() && is_word(text_[end]) && text_[end] != '$') end++;
    }
    if (end >= text_.size() || text_[end] != '$') {
      at_++;
      return;
    }
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const size_t close = text_.find(tag, end + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + tag.size();
  }

  void number() {
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) at_++;
  }

  void word() {
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const char* at = begin;
    while (at != end && is_word(*at)) at++;
    const std::string_view word(begin, static_cast<size_t>(at - begin));
    at_ += word.size();
    if (word.size() > kMaxNameBytes) return see_name(types::to_lower(word));
    if (word.size() == 1 && (word[0] | 0x20) == 'e' && peek(0) == '\'') return quoted('\'', true);
    if (notes_.unicode_literals != nullptr && word.size() == 1 && (word[0] | 0x20) == 'u' && peek(0) == '&' &&
        (peek(1) == '\'' || peek(1) == '"')) {
      at_++;
      return unicode_literal();
    }
    if (notes_.long_names != nullptr && word.size() == 1 && (word[0] | 0x20) == 'u' && peek(0) == '&' &&
        peek(1) == '"') {
      at_++;
      return unicode_name();
    }
    switch (meaning_of(word)) {
      case Meaning::kNone: break;
      case Meaning::kOpens: return open();
      case Meaning::kCloses: return close();
      case Meaning::kChains:
        end_expression(false);
        levels_.back().chain++;
        return check();
      case Meaning::kEnds: return end_expression(false);
      case Meaning::kLinks: return link();
    }
  }

  void link() {
    levels_.back().links++;
    check();
  }
  void check() {
    const Level& l = levels_.back();
    too_deep_ = too_deep_ || l.links + l.chain > kMaxLinks;
  }
  void end_expression(bool statement) {
    Level& l = levels_.back();
    l.deepest = std::max(l.deepest, l.links + l.chain);
    l.links = 0;
    if (statement) l = Level{};
  }
  void open() { levels_.emplace_back(); }
  void close() {
    if (levels_.size() == 1) return;
    end_expression(false);
    const int inner = std::max(levels_.back().deepest, levels_.back().chain);
    levels_.pop_back();
    levels_.back().links += inner;
    check();
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
  std::vector<Level> levels_;
  bool standard_strings_;
  PreScanNotes notes_;
  bool too_deep_ = false;
};

}  // namespace

Result<std::string> pre_scan(std::string_view text, const StringSyntax& syntax, const PreScanNotes& notes) {
  const bool notes_something =
      notes.long_names != nullptr || notes.escaped_strings != nullptr || notes.unicode_literals != nullptr;
  // A link takes a character, and what looks like a comment may be one.
  if (!notes_something && text.size() <= size_t{kMaxLinks} && text.find("--") == std::string_view::npos &&
      text.find("/*") == std::string_view::npos) {
    return std::string(text);
  }
  return Scanner(text, syntax, notes).run();
}

std::vector<std::string> long_names(std::string_view text, const StringSyntax& syntax) {
  std::vector<std::string> out;
  if (text.size() <= kMaxNameBytes) return out;
  // Most texts have none: no run of letters is long enough (it would have one at each multiple of its least length), and no two
  // quotes are far enough apart.
  const auto at_end = [&](size_t at, auto step) {
    while (at < text.size() && is_word(text[at])) at += step;
    return at;
  };
  bool possible = false;
  for (size_t i = kMaxNameBytes; i < text.size() && !possible; i += kMaxNameBytes + 1) {
    if (is_word(text[i])) possible = at_end(i, size_t{1}) - at_end(i, ~size_t{0}) - 1 > kMaxNameBytes;
  }
  size_t after_quote = text.size();
  for (size_t i = text.find('"'); i < text.size() && !possible; i = text.find('"', i + 1)) {
    possible = i > after_quote + kMaxNameBytes;
    after_quote = i;
  }
  if (possible && !pre_scan(text, syntax, {.long_names = &out}).ok()) out.clear();
  return out;
}

}  // namespace indigo::sql
