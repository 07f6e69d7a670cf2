// jsonb_ops: a document's keys are its fields' names, its strings, numbers and other scalars, wherever they stand. A name, and a
// string that is an element, are one sort of key, which `?` asks for.
// jsonb_path_ops: each scalar together with the names on the way to it, hashed.
#include "types/inverted/jsonb_keys.h"

#include "types/bytes/jenkins_hash.h"
#include "types/inverted/inverted_class.h"
#include "types/json/jsonb.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::jsonb_keys {

namespace {

constexpr char kNumber = 'n', kOther = 'o', kPath = 'p';

uint64_t hash_text(Str text, uint64_t seed) {
  const JenkinsHash hash = hash_bytes(text, seed + 1);
  return uint64_t{hash.b} << 32 | hash.c;
}

}  // namespace

std::string number(Str numeric) {
  static const KeyLayout layout({KeyColumn{.type = oid::kNumeric, .phys = Phys::kStr, .nullable = false}});
  std::string out;
  layout.append_column(0, Datum::of(numeric), out);
  return inverted_key(kNumber, out);
}

std::string other(char word) { return inverted_key(kOther, Str(&word, 1)); }

std::string deep() { return inverted_key(kOther, "deep"); }

uint64_t longer(uint64_t way, Str name) { return hash_text(name, way); }

std::string at_end_of(uint64_t way, Str scalar) {
  const uint64_t hash = big_endian(hash_text(scalar, way));
  return inverted_key(kPath, Str(reinterpret_cast<const char*>(&hash), sizeof hash));
}

namespace {

enum JsonbStrategy : uint8_t {
  kJsonbContains = 7,
  kJsonbExists = 9,
  kJsonbExistsAny = 10,
  kJsonbExistsAll = 11,
  kJsonbPathExists = 15,
  kJsonbPathMatches = 16
};
constexpr StrategySet kPathStrategies = {kJsonbContains, kJsonbPathExists, kJsonbPathMatches};
constexpr StrategySet kStrategies = kPathStrategies | StrategySet{kJsonbExists, kJsonbExistsAny, kJsonbExistsAll};
// Deeper parts have no keys, neither of a document that is kept nor of one that is asked for.
constexpr int kMaxDepth = 64;

std::string scalar_key(JsonbView v, char of_string) {
  switch (v.kind()) {
    case JsonKind::kString: return inverted_key(of_string, v.string());
    case JsonKind::kNumber: return number(v.number());
    case JsonKind::kBool: return other(v.boolean() ? 't' : 'f');
    default: return other('0');
  }
}

void add_keys(JsonbView v, bool element, int depth, std::vector<std::string>& keys) {
  if (depth > kMaxDepth) return keys.push_back(deep());
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
  if (depth > kMaxDepth) return keys.push_back(deep());
  if (v.kind() == JsonKind::kObject) {
    for (int32_t i = 0; i < v.count(); i++) add_path_keys(v.value(i), longer(way, v.key(i)), depth + 1, keys);
  } else if (v.kind() == JsonKind::kArray) {
    for (int32_t i = 0; i < v.count(); i++) add_path_keys(v.value(i), way, depth + 1, keys);
  } else {
    keys.push_back(at_end_of(way, scalar_key(v, kString)));
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

KeyQuery path_query(FuncContext& context, int strategy, const Datum& value, bool hashed) {
  JsonPath path;
  if (!parse_json_path(context, value.str, path, true)) return every_row();
  return query_of_path(path, strategy == kJsonbPathMatches, hashed);
}

KeyQuery jsonb_query_of(FuncContext& context, const InvertedColumn& column, int strategy, const Datum& value) {
  if (strategy >= kJsonbPathExists) return path_query(context, strategy, value, false);
  std::vector<std::string> keys;
  if (strategy == kJsonbContains) {
    jsonb_keys_of(column, value, keys);
    std::erase(keys, deep());
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

KeyQuery path_query_of(FuncContext& context, const InvertedColumn& column, int strategy, const Datum& value) {
  if (strategy >= kJsonbPathExists) return path_query(context, strategy, value, true);
  std::vector<std::string> keys;
  path_keys_of(column, value, keys);
  std::erase(keys, deep());
  return all_of(std::move(keys));
}

}  // namespace

}  // namespace indigo::types::jsonb_keys

namespace indigo::types {

const InvertedClass kJsonbKeys = {"gin_extract_jsonb_query", InvertedClass::Element::kNone, jsonb_keys::kStrategies,
                                  jsonb_keys::jsonb_keys_of, jsonb_keys::jsonb_query_of};
const InvertedClass kJsonbPathKeys = {"gin_extract_jsonb_query_path", InvertedClass::Element::kNone,
                                      jsonb_keys::kPathStrategies, jsonb_keys::path_keys_of, jsonb_keys::path_query_of};

}  // namespace indigo::types
