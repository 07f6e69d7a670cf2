// gin__int_ops, gist__int_ops and gist__intbig_ops: an array's keys are its elements, and one more when it has none.
#include <set>

#include "base/sqlstate.h"
#include "types/extension/intarray/intarray.h"
#include "types/inverted/inverted_class.h"
#include "types/value/array_format.h"

namespace indigo::types::intarray {

namespace {

constexpr char kElement = 'e', kNullElement = 'n', kEmpty = '0';
enum Strategy : uint8_t {
  kOverlaps = 3,
  kEquals = 6,
  kContains = 7,
  kContained = 8,
  kOldContains = 13,
  kSatisfies = 20
};

std::string key_of(int32_t element) {
  return inverted_key(kElement, Str(reinterpret_cast<const char*>(&element), sizeof element));
}

void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const ArrayView array(value.str);
  if (array.count() == 0) keys.push_back(inverted_key(kEmpty, {}));
  for (int32_t i = 0; i < array.count(); i++)
    keys.push_back(array.is_null(i) ? inverted_key(kNullElement, {}) : key_of(array.element(i).i32));
}

KeyQuery satisfying(Str query) {
  std::vector<KeyQuery> parts;
  for (const Item& item : items_of(query)) {
    if (item.op == 0) {
      parts.push_back(with_key(key_of(item.value)));
    } else if (item.op == '!') {
      parts.back() = every_row();
    } else {
      std::vector<KeyQuery> both(2);
      both[1] = std::move(parts.back());
      parts.pop_back();
      both[0] = std::move(parts.back());
      parts.back() = item.op == '&' ? with_all(std::move(both)) : with_any(std::move(both));
    }
  }
  return std::move(parts.back());
}

KeyQuery query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  if (strategy == kSatisfies) return satisfying(value.str);
  const ArrayView array(value.str);
  std::vector<KeyQuery> keys;
  for (int32_t i = 0; i < array.count(); i++) {
    if (array.is_null(i) && strategy != kEquals) return every_row();  // the operator fails
    keys.push_back(with_key(array.is_null(i) ? inverted_key(kNullElement, {}) : key_of(array.element(i).i32)));
  }
  const bool empty = keys.empty();
  switch (strategy) {
    case kOverlaps: return with_any(std::move(keys));
    case kContains:
    case kOldContains: return with_all(std::move(keys));
    case kContained: keys.push_back(with_key(inverted_key(kEmpty, {}))); return with_any(std::move(keys));
    case kEquals: return empty ? with_key(inverted_key(kEmpty, {})) : with_all(std::move(keys));
    default: return every_row();
  }
}

// ---- what gist's classes take

Status check_without_nulls(const InvertedColumn&, const Datum& value) {
  const ArrayView array(value.str);
  for (int32_t i = 0; i < array.count(); i++)
    if (array.is_null(i)) return Error(sqlstate::kNullValueNotAllowed, "array must not contain nulls");
  return {};
}

// Two of an array's different elements for each of the class's ranges, less one.
size_t most_elements(const InvertedColumn& column) {
  constexpr std::string_view kRanges = "numranges=";
  size_t ranges = 100;
  for (const std::string& option : column.options)
    if (option.starts_with(kRanges)) ranges = std::strtoul(option.c_str() + kRanges.size(), nullptr, 10);
  return 2 * ranges - 1;
}

Status check_few_elements(const InvertedColumn& column, const Datum& value) {
  INDIGO_TRY(check_without_nulls(column, value));
  const ArrayView array(value.str);
  const size_t most = most_elements(column);
  if (static_cast<size_t>(array.count()) <= most) return {};
  std::set<int32_t> elements;
  for (int32_t i = 0; i < array.count(); i++) elements.insert(array.element(i).i32);
  if (elements.size() <= most) return {};
  return Error(sqlstate::kProgramLimitExceeded, "input array is too big (" + std::to_string(most) +
                                                    " maximum allowed, " + std::to_string(elements.size()) +
                                                    " current), use gist__intbig_ops opclass instead");
}

constexpr StrategySet kStrategies{kOverlaps, kEquals, kContains, kContained, kOldContains, kSatisfies};

}  // namespace

const InvertedClass kIntKeys = {"ginint4_queryextract", InvertedClass::Element::kNone, kStrategies, keys_of, query_of};
const InvertedClass kIntGist = {.support = "g_int_consistent",
                                .element = InvertedClass::Element::kNone,
                                .strategies = kStrategies,
                                .keys_of = keys_of,
                                .query_of = query_of,
                                .check = check_few_elements};
const InvertedClass kIntBigGist = {.support = "g_intbig_consistent",
                                   .element = InvertedClass::Element::kNone,
                                   .strategies = kStrategies,
                                   .keys_of = keys_of,
                                   .query_of = query_of,
                                   .check = check_without_nulls};

}  // namespace indigo::types::intarray
