// tsquery: text and binary forms.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/errors.h"
#include "types/io/type_definition.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"
#include "types/textsearch/word_reader.h"

namespace indigo::types {

namespace {

// Operators in precedence; the nodes come out in reverse of the image's order.
class QueryParser {
 public:
  QueryParser(FuncContext& context, Str text)
      : context_(context), text_(text), words_(context, text, WordReader::Syntax::kQuery) {}

  bool parse(QueryTree& tree) {
    if (!expression()) return false;
    std::reverse(nodes_.begin(), nodes_.end());
    tree = std::move(nodes_);
    return link_query(tree) || fail();
  }

 private:
  struct Pending {
    QueryOperator op;
    uint16_t distance;
  };
  enum class Step : uint8_t { kError, kWord, kOperator, kOpen, kClose, kEnd };

  bool fail() {
    context_.fail(sqlstate::kSyntaxError, "syntax error in tsquery: \"" + std::string(text_) + "\"");
    return false;
  }
  static int priority(QueryOperator op) {
    return op == QueryOperator::kNot ? 4 : op == QueryOperator::kPhrase ? 3 : op == QueryOperator::kAnd ? 2 : 1;
  }

  void settle(std::vector<Pending>& pending, QueryOperator op) {
    while (!pending.empty()) {
      const int top = priority(pending.back().op);
      if (op == QueryOperator::kNot ? priority(op) >= top : priority(op) > top) break;
      nodes_.push_back({pending.back().op, 0, false, pending.back().distance, {}, 0});
      pending.pop_back();
    }
  }

  bool expression() {
    constexpr size_t kMaxPending = 32;
    if (stack_remaining() == 0) {
      context_.fail(stack_depth_error());
      return false;
    }
    std::vector<Pending> pending;
    for (;;) {
      note_work(32);
      Pending next{QueryOperator::kOr, 0};
      switch (step(next)) {
        case Step::kError: return context_.failed() ? false : fail();
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

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) at_++;
  }

  Step step(Pending& next) {
    skip_blanks();
    return wants_operand_ ? operand(next) : operator_or_end(next);
  }
  Step operand(Pending& next) {
    if (at_ == text_.size()) {
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
    if (!words_.read(word_, places_)) return Step::kError;
    at_ = words_.at();
    return add_word();
  }
  Step add_word() {
    if (word_.size() > kMaxLexemeBytes) {
      context_.fail(sqlstate::kProgramLimitExceeded, "word is too long in tsquery: \"" + word_ + "\"");
      return Step::kError;
    }
    if (word_bytes_ >= kMaxTsVectorBytes + 1) {
      context_.fail(sqlstate::kProgramLimitExceeded, "value is too big in tsquery: \"" + std::string(text_) + "\"");
      return Step::kError;
    }
    word_bytes_ += word_.size() + 1;
    QueryNode node;
    node.word = context_.arena().copy(word_);
    if (at_ < text_.size() && text_[at_] == ':') {
      for (at_++; at_ < text_.size(); at_++) {
        const int weight = weight_of_letter(text_[at_]);
        if (text_[at_] == '*') {
          node.prefix = true;
        } else if (weight >= 0) {
          node.weights |= static_cast<uint8_t>(1 << weight);
        } else {
          break;
        }
      }
    }
    nodes_.push_back(node);
    wants_operand_ = false;
    return Step::kWord;
  }
  Step operator_or_end(Pending& next) {
    if (at_ == text_.size()) return open_ == 0 ? Step::kEnd : Step::kError;
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
  bool phrase(Pending& next) {
    int64_t distance = 1;
    size_t at = at_ + 1;
    if (at < text_.size() && text_[at] == '-') {
      at++;
    } else {
      const size_t begin = at;
      distance = 0;
      for (; at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; at++)
        distance = std::min<int64_t>(distance * 10 + (text_[at] - '0'), kMaxPhraseDistance + 1);
      if (at == begin) return false;
      if (distance > kMaxPhraseDistance) {
        context_.fail(sqlstate::kInvalidParameterValue,
                      "distance in phrase operator must be an integer value between zero and " +
                          std::to_string(kMaxPhraseDistance) + " inclusive");
        return false;
      }
    }
    if (at == text_.size() || text_[at] != '>') return false;
    at_ = at + 1;
    next = {QueryOperator::kPhrase, static_cast<uint16_t>(distance)};
    return true;
  }

  FuncContext& context_;
  Str text_;
  WordReader words_;
  size_t at_ = 0, word_bytes_ = 0;
  int64_t open_ = 0;
  bool wants_operand_ = true, first_ = true;
  std::string word_;
  std::vector<uint16_t> places_;
  QueryTree nodes_;
};

Datum query_null() { return Datum::make_null(Phys::kStr); }

// Reads what a client sent; every length is checked.
class QueryMessage {
 public:
  QueryMessage(FuncContext& context, Str bytes) : context_(context), bytes_(bytes) {}

  bool read(QueryTree& tree) {
    uint32_t count = 0;
    if (!number(count)) return false;
    if (count > 0x3fffffff / 12) return fail("invalid size of tsquery");
    for (uint32_t i = 0; i < count; i++) {
      note_work(32);
      QueryNode node;
      uint8_t kind = 0;
      if (!number(kind)) return false;
      if (kind == 1 ? !word(node) : kind == 2 ? !operation(node) : !fail_kind(kind)) return false;
      tree.push_back(node);
    }
    if (at_ != bytes_.size()) {
      fail_binary(context_, "incorrect binary data format");
      return false;
    }
    return link_query(tree) || fail("malformed tsquery: operand not found");
  }

 private:
  bool fail(std::string message) {
    context_.fail(sqlstate::kInternalError, std::move(message));
    return false;
  }
  bool fail_kind(int kind) { return fail("unrecognized tsquery node type: " + std::to_string(kind)); }
  template <class U>
  bool number(U& value) {
    if (bytes_.size() - at_ < sizeof(U)) {
      context_.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
      return false;
    }
    value = load_unaligned<U>(bytes_.data() + at_);
    if constexpr (sizeof(U) > 1) value = big_endian(value);
    at_ += sizeof(U);
    return true;
  }
  bool word(QueryNode& node) {
    uint8_t prefix = 0;
    if (!number(node.weights) || !number(prefix)) return false;
    const size_t end = bytes_.find('\0', at_);
    if (end == Str::npos) {
      context_.fail(sqlstate::kProtocolViolation, "invalid string in message");
      return false;
    }
    node.prefix = prefix != 0;
    node.word = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    if (!check_encoding(context_, node.word)) return false;
    if (node.weights > 0xf) return fail("invalid tsquery: invalid weight bitmap");
    if (node.word.size() > kMaxLexemeBytes) return fail("invalid tsquery: operand too long");
    word_bytes_ += node.word.size() + 1;
    return word_bytes_ <= kMaxTsVectorBytes + 1 || fail("invalid tsquery: total operand length exceeded");
  }
  bool operation(QueryNode& node) {
    uint8_t op = 0;
    if (!number(op)) return false;
    if (op < 1 || op > 4) return fail("invalid tsquery: unrecognized operator type " + std::to_string(op));
    node.op = static_cast<QueryOperator>(op);
    return node.op != QueryOperator::kPhrase || number(node.distance);
  }

  FuncContext& context_;
  Str bytes_;
  size_t at_ = 0, word_bytes_ = 0;
};

}  // namespace

Datum tsquery_input(FuncContext& context, const TypeRef&, Str text) {
  QueryTree tree;
  if (!QueryParser(context, text).parse(tree)) return query_null();
  return make_tsquery(context, tree);
}
void tsquery_output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  append_query_text(query_of(value.str), out);
}
Datum tsquery_receive(FuncContext& context, const TypeRef&, Str bytes) {
  QueryTree tree;
  if (!QueryMessage(context, bytes).read(tree)) return query_null();
  return make_tsquery(context, tree);
}

}  // namespace indigo::types
