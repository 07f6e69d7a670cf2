#include "sql/parse/pre_scan.h"

#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/name.h"
#include "base/sqlstate.h"
#include "types/text/ascii.h"

namespace indigo::sql {
namespace {

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}
bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9') || c == '$'; }
bool is_operator(char c) { return std::string_view("~!@#^&|`?+-*/%<>=:.").find(c) != std::string_view::npos; }

bool word_is(std::string_view word, std::string_view keyword) {
  return word.size() == keyword.size() && strncasecmp(word.data(), keyword.data(), word.size()) == 0;
}
bool word_is_any(std::string_view word, std::initializer_list<std::string_view> keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [&](auto k) { return word_is(word, k); });
}

class Scanner {
 public:
  Scanner(std::string_view text, std::vector<std::string>* long_names)
      : text_(text), out_(text), levels_(1), long_names_(long_names) {}

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
    if (c == '-' && peek(1) == '-') return line_comment();
    if (c == '/' && peek(1) == '*') return block_comment();
    if (c == '\'') return quoted('\'', false);
    if (c == '"') return quoted_name();
    if (c == '$') return dollar();
    if (is_word_start(c)) return word();
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

  void quoted_name() {
    const size_t begin = at_ + 1;
    quoted('"', false);
    if (at_ > begin) see_name(text_.substr(begin, at_ - 1 - begin));
  }

  void see_name(std::string_view name) {
    if (long_names_ != nullptr && name.size() > kMaxNameBytes) long_names_->emplace_back(name);
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
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) at_++;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.size() > kMaxNameBytes) return see_name(types::to_lower(word));
    if (word_is(word, "e") && peek(0) == '\'') return quoted('\'', true);
    if (word_is(word, "case")) return open();
    if (word_is(word, "end")) return close();
    if (word_is_any(word, {"union", "intersect", "except", "join"})) {
      end_expression(false);
      levels_.back().chain++;
      check();
    } else if (word_is_any(word,
                           {"and", "or", "when", "then", "else", "on", "where", "select", "from", "having", "using"})) {
      end_expression(false);
    } else if (word_is_any(word, {"is", "isnull", "notnull", "collate", "at", "like", "ilike", "similar", "in",
                                  "between", "not"})) {
      link();
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
  std::vector<std::string>* long_names_;
  bool too_deep_ = false;
};

}  // namespace

Result<std::string> pre_scan(std::string_view text, std::vector<std::string>* long_names) {
  return Scanner(text, long_names).run();
}

std::vector<std::string> long_names(std::string_view text) {
  std::vector<std::string> out;
  // Most texts have none: no run of letters is long enough, no two quotes are far enough apart.
  size_t run = 0, after_quote = text.size();
  bool possible = false;
  for (size_t i = 0; i < text.size() && !possible; i++) {
    run = is_word(text[i]) ? run + 1 : 0;
    if (text[i] == '"') {
      possible = i > after_quote + kMaxNameBytes;
      after_quote = i;
    }
    possible = possible || run > kMaxNameBytes;
  }
  if (possible && !pre_scan(text, &out).ok()) out.clear();
  return out;
}

}  // namespace indigo::sql
