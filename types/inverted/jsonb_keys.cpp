// jsonb_ops: a document's keys are its fields' names, its strings, numbers and other scalars, wherever they stand. A name, and a
// string that is an element, are one sort of key, which `?` asks for.
// jsonb_path_ops: each scalar together with the names on the way to it, hashed.
#include "types/bytes/jenkins_hash.h"
#include "types/inverted/inverted_class.h"
#include "types/json/jsonb.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr char kName = 'k', kString = 's', kNumber = 'n', kOther = 'o', kPath = 'p';
enum JsonbStrategy : uint8_t { kJsonbContains = 7, kJsonbExists = 9, kJsonbExistsAny = 10, kJsonbExistsAll = 11 };
// Deeper parts have no keys, neither of a document that is kept nor of one that is asked for.
constexpr int kMaxDepth = 64;

uint64_t hash_text(Str text, uint64_t seed) {
  const JenkinsHash hash = hash_bytes(text, seed + 1);
  return uint64_t{hash.b} << 32 | hash.c;
}

std::string number_key(JsonbView v) {
  static const KeyLayout layout({KeyColumn{.type = oid::kNumeric, .phys = Phys::kStr, .nullable = false}});
  std::string out;
  layout.append_column(0, Datum::of(v.number()), out);
  return out;
}

std::string scalar_key(JsonbView v, char of_string) {
  switch (v.kind()) {
    case JsonKind::kString: return inverted_key(of_string, v.string());
    case JsonKind::kNumber: return inverted_key(kNumber, number_key(v));
    case JsonKind::kBool: return inverted_key(kOther, v.boolean() ? "t" : "f");
    default: return inverted_key(kOther, "0");
  }
}

void add_keys(JsonbView v, bool element, int depth, std::vector<std::string>& keys) {
  if (depth > kMaxDepth) return;
  if (v.kind() == JsonKind::kObject) {
    for (int32_t i = 0; i < v.count(); i++) {
      keys.push_back(inverted_key(kName, v.key(i)));
      add_keys(v.value(i), false, depth + 1, keys);
    }
  } else if (v.kind() == JsonKind::kArray) {
    for (int32_t i = 0; i < v.count(); i++) add_keys(v.value(i), true, depth + 1, keys);
  } else {
    keys.push_back(scalar_key(v, element ? kName : kString));
  }
}

void add_path_keys(JsonbView v, uint64_t way, int depth, std::vector<std::string>& keys) {
  if (depth > kMaxDepth) return;
  if (v.kind() == JsonKind::kObject) {
    for (int32_t i = 0; i < v.count(); i++) add_path_keys(v.value(i), hash_text(v.key(i), way), depth + 1, keys);
  } else if (v.kind() == JsonKind::kArray) {
    for (int32_t i = 0; i < v.count(); i++) add_path_keys(v.value(i), way, depth + 1, keys);
  } else {
    const uint64_t hash = big_endian(hash_text(scalar_key(v, kString), way));
    keys.push_back(inverted_key(kPath, Str(reinterpret_cast<const char*>(&hash), sizeof hash)));
  }
}

// A scalar as a whole document is what an array with this one element would be.
void jsonb_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  add_keys(JsonbView(value.str), true, 0, keys);
}

void path_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  add_path_keys(JsonbView(value.str), 0, 0, keys);
}

KeyQuery all_of(std::vector<std::string> keys) {
  std::vector<KeyQuery> parts;
  for (std::string& key : keys) parts.push_back(with_key(std::move(key)));
  return with_all(std::move(parts));
}

KeyQuery jsonb_query_of(FuncContext&, const InvertedColumn& column, int strategy, const Datum& value) {
  std::vector<std::string> keys;
  if (strategy == kJsonbContains) {
    jsonb_keys_of(column, value, keys);
    return all_of(std::move(keys));
  }
  if (strategy == kJsonbExists) return with_key(inverted_key(kName, value.str));
  std::vector<KeyQuery> parts;
  const ArrayView names(value.str);
  for (int32_t i = 0; i < names.count(); i++) {
    if (!names.is_null(i)) parts.push_back(with_key(inverted_key(kName, names.element(i).str)));
  }
  return strategy == kJsonbExistsAny ? with_any(std::move(parts)) : with_all(std::move(parts));
}

KeyQuery path_query_of(FuncContext&, const InvertedColumn& column, int, const Datum& value) {
  std::vector<std::string> keys;
  path_keys_of(column, value, keys);
  return all_of(std::move(keys));
}

}  // namespace

const InvertedClass kJsonbKeys = {"gin_extract_jsonb_query", InvertedClass::Element::kNone,
                                  StrategySet{kJsonbContains, kJsonbExists, kJsonbExistsAny, kJsonbExistsAll},
                                  jsonb_keys_of, jsonb_query_of};
const InvertedClass kJsonbPathKeys = {"gin_extract_jsonb_query_path", InvertedClass::Element::kNone,
                                      StrategySet{kJsonbContains}, path_keys_of, path_query_of};

}  // namespace indigo::types
