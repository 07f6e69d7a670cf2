#include "types/textsearch/query_parser.h"

#include <algorithm>
#include <vector>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/textsearch/tsvector.h"
#include "types/textsearch/word_reader.h"

namespace indigo::types {

namespace {

// Operators in precedence, over the tokens of either syntax.
class QueryParser {
 public:
  QueryParser(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query)
      : context_(context), text_(text), word_(word), query_(query) {}
  virtual ~QueryParser() = default;

  bool expression() {
    constexpr size_t kMaxPending = 32;
    if (stack_remaining() == 0) {
      context_.fail(stack_depth_error());
      return false;
    }
    std::vector<Operator> pending;
    for (;;) {
      note_work(32);
      Operator next{QueryOperator::kOr, 0};
      switch (step(next)) {
        case Step::kError: return context_.failed() ? false : fail_syntax();
        case Step::kWord: break;
        case Step::kOperator:
          settle(pending, next.op);
          if (pending.size() == kMaxPending) {
            context_.fail(sqlstate::kInternalError, "tsquery stack too small");
            return false;
          }
          pending.push_back(next);
          break;
        case Step::kOpen:
          if (!expression()) return false;
          break;
        case Step::kClose:
        case Step::kEnd: settle(pending, QueryOperator::kOr); return true;
      }
    }
  }

 protected:
  struct Operator {
    QueryOperator op;
    uint16_t distance;
  };
  enum class Step : uint8_t { kError, kWord, kOperator, kOpen, kClose, kEnd };

  virtual Step step(Operator& next) = 0;

  bool at_end() const { return at_ == text_.size(); }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) at_++;
  }
  Step add(Str word, uint8_t weights, bool prefix) {
    wants_operand_ = false;
    return word_(query_, word, weights, prefix) ? Step::kWord : Step::kError;
  }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
  bool wants_operand_ = true, first_ = true;
  const QueryWordReader& word_;
  QueryBuilder& query_;

 private:
  bool fail_syntax() {
    context_.fail(sqlstate::kSyntaxError, "syntax error in tsquery: \"" + std::string(text_) + "\"");
    return false;
  }
  static int priority(QueryOperator op) {
    return op == QueryOperator::kNot ? 4 : op == QueryOperator::kPhrase ? 3 : op == QueryOperator::kAnd ? 2 : 1;
  }
  void settle(std::vector<Operator>& pending, QueryOperator op) {
    while (!pending.empty()) {
      const int top = priority(pending.back().op);
      if (op == QueryOperator::kNot ? priority(op) >= top : priority(op) > top) break;
      query_.apply(pending.back().op, pending.back().distance);
      pending.pop_back();
    }
  }
};

class StandardQuery final : public QueryParser {
 public:
  StandardQuery(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query)
      : QueryParser(context, text, word, query), words_(context, text, WordReader::Syntax::kQuery) {}

 private:
  Step step(Operator& next) override {
    skip_blanks();
    return wants_operand_ ? operand(next) : operator_or_end(next);
  }
  Step operand(Operator& next) {
    if (at_end()) {
      if (first_) return Step::kEnd;
      context_.fail(sqlstate::kSyntaxError, "no operand in tsquery: \"" + std::string(text_) + "\"");
      return Step::kError;
    }
    first_ = false;
    const char c = text_[at_];
    if (c == '!') {
      at_++;
      next.op = QueryOperator::kNot;
      return Step::kOperator;
    }
    if (c == '(') {
      at_++;
      open_++;
      return Step::kOpen;
    }
    if (c == ':') return Step::kError;
    words_.move_to(at_);
    if (!words_.read(word_text_, places_)) return Step::kError;
    at_ = words_.at();
    uint8_t weights = 0;
    bool prefix = false;
    if (!at_end() && text_[at_] == ':') {
      for (at_++; !at_end(); at_++) {
        const int weight = weight_of_letter(text_[at_]);
        if (text_[at_] == '*') {
          prefix = true;
        } else if (weight >= 0) {
          weights |= static_cast<uint8_t>(1 << weight);
        } else {
          break;
        }
      }
    }
    return add(word_text_, weights, prefix);
  }
  Step operator_or_end(Operator& next) {
    if (at_end()) return open_ == 0 ? Step::kEnd : Step::kError;
    const char c = text_[at_];
    if (c == ')') {
      at_++;
      return open_-- > 0 ? Step::kClose : Step::kError;
    }
    if (c == '&' || c == '|') {
      at_++;
      next.op = c == '&' ? QueryOperator::kAnd : QueryOperator::kOr;
    } else if (c != '<' || !phrase(next)) {
      return Step::kError;
    }
    wants_operand_ = true;
    return Step::kOperator;
  }
  // <-> or <3>
  bool phrase(Operator& next) {
    int64_t distance = 1;
    size_t at = at_ + 1;
    if (at < text_.size() && text_[at] == '-') {
      at++;
    } else {
      const size_t begin = at;
      distance = 0;
      for (; at < text_.size() && is_digit(text_[at]); at++)
        distance = std::min<int64_t>(distance * 10 + (text_[at] - '0'), kMaxPhraseDistance + 1);
      if (at == begin) return false;
      if (distance > kMaxPhraseDistance) {
        context_.fail(sqlstate::kInvalidParameterValue,
                      "distance in phrase operator must be an integer value between zero and " +
                          std::to_string(kMaxPhraseDistance) + " inclusive");
        return false;
      }
    }
    if (at == text_.size() || text_[at] != '>' || at + 1 == text_.size()) return false;
    at_ = at + 1;
    next = {QueryOperator::kPhrase, static_cast<uint16_t>(distance)};
    return true;
  }

  WordReader words_;
  int64_t open_ = 0;
  std::string word_text_;
  std::vector<uint16_t> places_;
};

// Words are joined by AND, "quoted ones" are phrases, - is NOT, "or" is OR.
class WebQuery final : public QueryParser {
 public:
  using QueryParser::QueryParser;

 private:
  Step step(Operator& next) override { return wants_operand_ ? operand(next) : operator_or_end(next); }
  Step operand(Operator& next) {
    for (;; first_ = false) {
      skip_blanks();
      if (at_end()) break;
      const char c = text_[at_];
      if (c == '-') {
        at_++;
        first_ = false;
        next.op = QueryOperator::kNot;
        return Step::kOperator;
      }
      if (c == '"') {
        const size_t begin = at_ + 1, end = std::min(text_.find('"', begin), text_.size());
        at_ = std::min(end + 1, text_.size());
        return add(text_.substr(begin, end - begin), 0, false);
      }
      if (!is_query_operator(c)) return word();
      at_++;
    }
    if (!first_) query_.stop_word();
    wants_operand_ = false;
    return Step::kEnd;
  }
  Step word() {
    const size_t begin = at_;
    const auto ends = [](char c) { return is_blank(c) || c == ':' || c == '"' || is_query_operator(c); };
    do at_ += std::min(utf8_length(text_[at_]), text_.size() - at_);
    while (!at_end() && !ends(text_[at_]));
    return add(text_.substr(begin, at_ - begin), 0, false);
  }
  Step operator_or_end(Operator& next) {
    while (!at_end() && !or_follows() && (is_blank(text_[at_]) || is_query_operator(text_[at_]))) at_++;
    if (at_end()) return Step::kEnd;
    next.op = or_follows() ? QueryOperator::kOr : QueryOperator::kAnd;
    if (next.op == QueryOperator::kOr) at_ += 2;
    wants_operand_ = true;
    first_ = false;
    return Step::kOperator;
  }
  // The word alone, and something behind it.
  bool or_follows() const {
    if (!equals_ignoring_case(text_.substr(at_, 2), "or")) return false;
    const Str rest = text_.substr(at_ + 2);
    if (rest.empty()) return false;
    const char c = rest[0];
    if (c == '-' || c == '_' || is_alnum(c) || static_cast<uint8_t>(c) >= 0x80) return false;
    return std::any_of(rest.begin() + 1, rest.end(), [](char d) { return !is_blank(d); });
  }

  static bool is_query_operator(char c) { return Str("!&|()<").find(c) != Str::npos; }
};

}  // namespace

bool parse_query(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query) {
  return StandardQuery(context, text, word, query).expression();
}
bool parse_web_query(FuncContext& context, Str text, const QueryWordReader& word, QueryBuilder& query) {
  return WebQuery(context, text, word, query).expression();
}

}  // namespace indigo::types
