// gin_hstore_ops and gist_hstore_ops: a value's keys are its keys, and its values with their keys.
#include "types/extension/hstore/hstore.h"
#include "types/inverted/inverted_class.h"
#include "types/value/array_format.h"

namespace indigo::types::hstore {

namespace {

constexpr char kKey = 'k', kPair = 'p', kNullPair = 'n';
enum Strategy : uint8_t { kContains = 7, kExists = 9, kExistsAny = 10, kExistsAll = 11 };

constexpr StrategySet kStrategies = {kContains, kExists, kExistsAny, kExistsAll};

std::string pair_key(Str key, std::optional<Str> value) {
  std::string bytes(key);
  bytes += '\0';  // texts have no zero byte
  if (value) bytes += *value;
  return inverted_key(value ? kPair : kNullPair, bytes);
}

void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const View view(value.str);
  for (size_t i = 0; i < view.count(); i++) {
    keys.push_back(inverted_key(kKey, view.key(i)));
    keys.push_back(pair_key(view.key(i), view.value(i)));
  }
}

KeyQuery query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  if (strategy == kExists) return with_key(inverted_key(kKey, value.str));
  std::vector<KeyQuery> parts;
  if (strategy == kContains) {
    const View view(value.str);
    for (size_t i = 0; i < view.count(); i++) parts.push_back(with_key(pair_key(view.key(i), view.value(i))));
    return with_all(std::move(parts));
  }
  const ArrayView names(value.str);
  for (int32_t i = 0; i < names.count(); i++) {
    if (!names.is_null(i)) parts.push_back(with_key(inverted_key(kKey, names.element(i).str)));
  }
  return strategy == kExistsAny ? with_any(std::move(parts)) : with_all(std::move(parts));
}

}  // namespace

const InvertedClass kHstoreKeys = {"gin_extract_hstore_query", InvertedClass::Element::kNone, kStrategies, keys_of,
                                   query_of};
const InvertedClass kHstoreGist = {"ghstore_consistent", InvertedClass::Element::kNone, kStrategies, keys_of, query_of};

}  // namespace indigo::types::hstore
