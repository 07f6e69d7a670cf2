// array_ops: an array's keys are its elements; a null among them, and an array without elements, have a key of their own.
#include "types/inverted/inverted_class.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr char kElement = 'e', kNullElement = 'n', kEmpty = '0';
enum ArrayStrategy : uint8_t { kArrayOverlaps = 1, kArrayContains = 2, kArrayContained = 3, kArrayEquals = 4 };

std::string element_key(const InvertedColumn& column, const Datum& element) {
  std::string bytes;
  column.element.append_column(0, element, bytes);
  return inverted_key(kElement, bytes);
}

void array_keys_of(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys) {
  const ArrayView array(value.str);
  if (array.count() == 0) keys.push_back(inverted_key(kEmpty, {}));
  for (int32_t i = 0; i < array.count(); i++) {
    const Datum element = array.element(i);
    keys.push_back(element.null ? inverted_key(kNullElement, {}) : element_key(column, element));
  }
}

KeyQuery array_query_of(FuncContext&, const InvertedColumn& column, int strategy, const Datum& value) {
  const ArrayView array(value.str);
  std::vector<KeyQuery> keys;
  for (int32_t i = 0; i < array.count(); i++) {
    const Datum element = array.element(i);
    if (!element.null) {
      keys.push_back(with_key(element_key(column, element)));
    } else if (strategy == kArrayEquals) {
      keys.push_back(with_key(inverted_key(kNullElement, {})));
    } else if (strategy == kArrayContains) {
      return no_row();  // nothing contains a null
    }
  }
  const bool empty = array.count() == 0;
  switch (strategy) {
    case kArrayOverlaps: return with_any(std::move(keys));
    case kArrayContains: return with_all(std::move(keys));
    case kArrayContained: keys.push_back(with_key(inverted_key(kEmpty, {}))); return with_any(std::move(keys));
    case kArrayEquals: return empty ? with_key(inverted_key(kEmpty, {})) : with_all(std::move(keys));
    default: return every_row();
  }
}

}  // namespace

const InvertedClass kArrayKeys = {"ginqueryarrayextract", InvertedClass::Element::kOfArray,
                                  StrategySet{kArrayOverlaps, kArrayContains, kArrayContained, kArrayEquals},
                                  array_keys_of, array_query_of};

}  // namespace indigo::types
