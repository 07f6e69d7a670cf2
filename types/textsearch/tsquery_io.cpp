// tsquery: text and binary forms.
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/errors.h"
#include "types/io/type_definition.h"
#include "types/textsearch/query_parser.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

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
  QueryBuilder query(context, text);
  const auto as_is = [](QueryBuilder& to, Str word, uint8_t weights, bool prefix) {
    return to.word(word, weights, prefix);
  };
  return parse_query(context, text, as_is, query) ? query.finish() : query_null();
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
