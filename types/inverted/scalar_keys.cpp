// btree_gin: a value is its own only key, in its type's order.
#include "types/inverted/inverted_class.h"

namespace indigo::types {

namespace {

enum ScalarStrategy : uint8_t { kScalarLess = 1, kScalarLessEqual = 2, kScalarGreaterEqual = 4, kScalarGreater = 5 };

std::string key_of(const InvertedColumn& column, const Datum& value) {
  std::string out;
  column.element.append_column(0, value, out);
  if (out.size() > kMaxInvertedKeyBytes) out.resize(kMaxInvertedKeyBytes);
  return out;
}

void scalar_keys_of(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys) {
  keys.push_back(key_of(column, value));
}

KeyQuery scalar_query_of(FuncContext&, const InvertedColumn& column, int strategy, const Datum& value) {
  std::string key = key_of(column, value);
  switch (strategy) {
    case kScalarLess:
    case kScalarLessEqual: return with_key_between({}, std::move(key), true);
    case kScalarEqual: return with_key(std::move(key));
    case kScalarGreaterEqual:
    case kScalarGreater: return with_key_between(std::move(key), {}, false);
    default: return every_row();
  }
}

}  // namespace

const InvertedClass kScalarKeys = {
    {},
    InvertedClass::Element::kOwn,
    StrategySet{kScalarLess, kScalarLessEqual, kScalarEqual, kScalarGreaterEqual, kScalarGreater},
    scalar_keys_of,
    scalar_query_of};

}  // namespace indigo::types
