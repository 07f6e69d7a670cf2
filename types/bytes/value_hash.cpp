// hash_numeric, jsonb_hash, hash_array and hash_record: PostgreSQL's hashes of values that have parts, with its results.
#include "types/bytes/value_hash.h"

#include <bit>
#include <map>
#include <set>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/builtin/index_methods.h"
#include "types/builtin/static_table.h"
#include "types/bytes/jenkins_hash.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/generated/columns.h"
#include "types/io/record.h"
#include "types/json/jsonb.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/range/range.h"
#include "types/system/type_name.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// 32 bits without a seed, 64 with one.
struct Seed {
  bool extended = false;
  uint64_t value = 0;
  uint64_t result(JenkinsHash h) const { return extended ? static_cast<uint64_t>(long_form(h)) : h.c; }
  uint64_t bytes(Str s) const { return result(hash_bytes(s, value)); }
};

// Base-10000 digits without zeros at the ends, and the weight of the first.
uint64_t numeric_hash_of(Str image, Seed seed) {
  if (numeric_is_special(image)) return seed.value;
  const DecimalDigits d = numeric_digits(image);
  if (d.digits.empty()) return seed.extended ? seed.value - 1 : 0xFFFFFFFFu;
  const int32_t weight = d.exponent >= 0 ? d.exponent / 4 : -((3 - d.exponent) / 4);
  std::string digits(static_cast<size_t>(3 - (d.exponent - weight * 4)), '0');
  digits.append(d.digits);
  digits.resize((digits.size() + 3) / 4 * 4, '0');
  std::string words;
  for (size_t i = 0; i < digits.size(); i += 4) {
    const auto word = static_cast<int16_t>(std::stoi(digits.substr(i, 4)));
    words.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  const uint64_t h = seed.bytes(words) ^ static_cast<uint64_t>(int64_t{weight});
  return seed.extended ? h : static_cast<uint32_t>(h);
}

constexpr uint64_t kArrayFlag = 0x40000000, kObjectFlag = 0x20000000;
class JsonbHash {
 public:
  explicit JsonbHash(Seed seed) : seed_(seed) {}
  // A scalar alone counts as an array of it.
  uint64_t of(JsonbView v) {
    const bool container = v.kind() == JsonKind::kArray || v.kind() == JsonKind::kObject;
    if (container && v.count() == 0) return seed_.value;
    if (!container) flag(kArrayFlag);
    add(v);
    return hash_;
  }

 private:
  void add(JsonbView v) {
    note_work(8);
    switch (v.kind()) {
      case JsonKind::kArray:
        flag(kArrayFlag);
        for (int32_t i = 0; i < v.count(); i++) add(v.value(i));
        return;
      case JsonKind::kObject:
        flag(kObjectFlag);
        for (int32_t i = 0; i < v.count(); i++) {
          mix(seed_.bytes(v.key(i)));
          add(v.value(i));
        }
        return;
      case JsonKind::kNull: return mix(seed_.value + 1);
      case JsonKind::kString: return mix(seed_.bytes(v.string()));
      case JsonKind::kNumber: return mix(numeric_hash_of(v.number(), seed_));
      case JsonKind::kBool:
        if (seed_.value != 0) return mix(seed_.result(hash_word(v.boolean() ? 1 : 0, seed_.value)));
        return mix(v.boolean() ? 2 : 4);
    }
  }
  void flag(uint64_t f) { hash_ ^= seed_.extended ? f << 32 | f : f; }
  void mix(uint64_t h) {
    const auto low = std::rotl(static_cast<uint32_t>(hash_), 1);
    const auto high = std::rotl(static_cast<uint32_t>(hash_ >> 32), 1);
    hash_ = (static_cast<uint64_t>(high) << 32 | low) ^ h;
  }
  Seed seed_;
  uint64_t hash_ = 0;
};

// A value's hash by the function of its type's hash operator class. Null: the context has the error.
uint64_t value_hash(FuncContext& context, const Datum& v, Oid type, Seed seed);

bool check_hashable(FuncContext& context, Oid type, Seed seed);

uint64_t array_hash(FuncContext& context, Str image, Seed seed) {
  const ArrayView a(image);
  if (!check_hashable(context, a.element_type(), seed)) return 0;
  uint64_t h = 1;
  for (int32_t i = 0; i < a.count() && !context.failed(); i++) {
    note_work(16);
    h = h * 31 + (a.is_null(i) ? 0 : value_hash(context, a.element(i), a.element_type(), seed));
  }
  return seed.extended ? h : static_cast<uint32_t>(h);
}
uint64_t range_hash(FuncContext& context, const RangeValue& range, Seed seed) {
  if (!check_hashable(context, range.element, seed)) return 0;
  const auto hash_bound = [&](const RangeBound& bound) {
    return range.empty || bound.infinite ? 0 : value_hash(context, bound.value, range.element, seed);
  };
  uint64_t h = seed.result(hash_word(range_flags(range), seed.value)) ^ hash_bound(range.lower);
  // Each half by one bit.
  const auto rotated = [](uint64_t v) { return uint64_t{std::rotl(static_cast<uint32_t>(v), 1)}; };
  h = seed.extended ? rotated(h >> 32) << 32 | rotated(h) : rotated(h);
  return h ^ hash_bound(range.upper);
}
uint64_t multirange_hash(FuncContext& context, Str image, Seed seed) {
  const MultirangeValue m = read_multirange(image);
  if (!check_hashable(context, m.element, seed)) return 0;
  uint64_t h = 1;
  for (const RangeValue& range : m.ranges) h = h * 31 + range_hash(context, range, seed);
  return seed.extended ? h : static_cast<uint32_t>(h);
}
uint64_t record_hash(FuncContext& context, Str image, Seed seed) {
  const RecordFields r = live_fields(context.session().catalog(), image);
  uint64_t h = 0;
  for (size_t i = 0; i < r.values.size() && check_hashable(context, r.types[i].oid, seed); i++)
    h = h * 31 + (r.values[i].null ? 0 : value_hash(context, r.values[i], r.types[i].oid, seed));
  return seed.extended ? h : static_cast<uint32_t>(h);
}

// The two support functions of each type's hash operator class, by pg_opclass and pg_amproc.
struct HashFunctions {
  Oid plain = kInvalidOid, extended = kInvalidOid;
};
std::map<Oid, HashFunctions> read_hash_functions() {
  constexpr Oid kExtended = 2;  // pg_amproc.amprocnum
  const StaticTable &classes = static_table_of(pg_opclass::kOid), &functions = static_table_of(pg_amproc::kOid);
  std::set<Oid> families;
  for (uint32_t row = 0; row < classes.row_count; row++) {
    if (classes.columns[pg_opclass::c_opcmethod].cell(row) != oid::kHashMethod) continue;
    families.insert(classes.columns[pg_opclass::c_opcfamily].cell(row));
  }
  std::map<Oid, HashFunctions> out;
  for (uint32_t row = 0; row < functions.row_count; row++) {
    if (!families.contains(functions.columns[pg_amproc::c_amprocfamily].cell(row))) continue;
    HashFunctions& of = out[functions.columns[pg_amproc::c_amproclefttype].cell(row)];
    const bool extended = functions.columns[pg_amproc::c_amprocnum].datum(row).i16 == kExtended;
    (extended ? of.extended : of.plain) = functions.columns[pg_amproc::c_amproc].cell(row);
  }
  return out;
}
const ScalarFunction* hash_function(Oid type, bool extended) {
  static const std::map<Oid, HashFunctions> functions = read_hash_functions();
  // These have no class of their own: they are hashed as what they are stored as.
  if (type == oid::kVarchar) type = oid::kText;
  if (type == oid::kCidr) type = oid::kInet;
  const auto at = functions.find(type);
  return at == functions.end() ? nullptr : find_scalar(extended ? at->second.extended : at->second.plain);
}

// Types whose values are hashed below without a function of their own.
bool has_parts(Oid type) {
  return type == oid::kNumeric || type == oid::kJsonb || type == oid::kBool || type == oid::kBytea ||
         type == oid::kRecord || is_array_type(type);
}
bool check_hashable(FuncContext& context, Oid type, Seed seed) {
  if (context.failed()) return false;
  if (has_parts(type) || hash_function(type, seed.extended) != nullptr) return true;
  const auto info = context.session().catalog().type(type);
  if (info != nullptr && (info->kind == 'c' || info->kind == 'd' || info->kind == 'e' || info->kind == 'r' ||
                          info->kind == 'm' || info->category == 'A'))
    return true;
  context.fail(sqlstate::kUndefinedFunction, "could not identify " +
                                                 std::string(seed.extended ? "an extended hash" : "a hash") +
                                                 " function for type " + format_type(context, type));
  return false;
}

uint64_t value_hash(FuncContext& context, const Datum& v, Oid type, Seed seed) {
  if (type == oid::kNumeric) return numeric_hash_of(v.str, seed);
  if (type == oid::kJsonb) return JsonbHash(seed).of(JsonbView(v.str));
  if (is_array_type(type)) return array_hash(context, v.str, seed);
  if (type == oid::kBool) return seed.result(hash_word(v.b ? 1 : 0, seed.value));
  if (type == oid::kBytea) return seed.bytes(v.str);
  const auto info = context.session().catalog().type(type);
  if (info != nullptr && info->category == 'A') return array_hash(context, v.str, seed);
  if (info != nullptr && info->kind == 'd') return value_hash(context, v, info->base, seed);
  if (info != nullptr && info->kind == 'r') return range_hash(context, read_range(v.str), seed);
  if (info != nullptr && info->kind == 'm') return multirange_hash(context, v.str, seed);
  if (type == oid::kRecord || (info != nullptr && info->kind == 'c')) return record_hash(context, v.str, seed);
  const bool is_enum = info != nullptr && info->kind == 'e';
  const ScalarFunction* found = hash_function(is_enum ? Oid{oid::kOid} : type, seed.extended);
  if (found == nullptr) {
    check_hashable(context, type, seed);
    return 0;
  }
  Vector value, second, out(seed.extended ? Phys::kI64 : Phys::kI32, 1);
  value.set_constant(v);
  second.set_constant(Datum::of(static_cast<int64_t>(seed.value)));
  const Vector* const arguments[] = {&value, &second};
  found->kernel(context, CallInfo(), std::span(arguments, seed.extended ? 2 : 1), Selection{nullptr, 1}, out);
  if (context.failed()) return 0;
  return seed.extended ? static_cast<uint64_t>(out.get<int64_t>(0)) : static_cast<uint32_t>(out.get<int32_t>(0));
}

Seed seed_of(int64_t seed) { return {true, static_cast<uint64_t>(seed)}; }
int32_t hash_numeric(Str v) { return static_cast<int32_t>(numeric_hash_of(v, {})); }
int64_t hash_numeric_seeded(Str v, int64_t seed) { return static_cast<int64_t>(numeric_hash_of(v, seed_of(seed))); }
int32_t hash_jsonb_value(Str v) { return static_cast<int32_t>(JsonbHash({}).of(JsonbView(v))); }
int64_t hash_jsonb_seeded(Str v, int64_t seed) {
  return static_cast<int64_t>(JsonbHash(seed_of(seed)).of(JsonbView(v)));
}
int32_t hash_array(FuncContext& context, Str v) { return static_cast<int32_t>(array_hash(context, v, {})); }
int64_t hash_array_seeded(FuncContext& context, Str v, int64_t seed) {
  return static_cast<int64_t>(array_hash(context, v, seed_of(seed)));
}
int32_t hash_record(FuncContext& context, Str v) { return static_cast<int32_t>(record_hash(context, v, {})); }
int64_t hash_record_seeded(FuncContext& context, Str v, int64_t seed) {
  return static_cast<int64_t>(record_hash(context, v, seed_of(seed)));
}

int32_t hash_range(FuncContext& context, Str v) { return static_cast<int32_t>(range_hash(context, read_range(v), {})); }
int64_t hash_range_seeded(FuncContext& context, Str v, int64_t seed) {
  return static_cast<int64_t>(range_hash(context, read_range(v), seed_of(seed)));
}
int32_t hash_multirange(FuncContext& context, Str v) { return static_cast<int32_t>(multirange_hash(context, v, {})); }
int64_t hash_multirange_seeded(FuncContext& context, Str v, int64_t seed) {
  return static_cast<int64_t>(multirange_hash(context, v, seed_of(seed)));
}

const ScalarEntry kValueHashEntries[] = {
    {"hash_range", kernel<hash_range>},           {"hash_range_extended", kernel<hash_range_seeded>},
    {"hash_multirange", kernel<hash_multirange>}, {"hash_multirange_extended", kernel<hash_multirange_seeded>},
    {"hash_numeric", kernel<hash_numeric>},       {"hash_numeric_extended", kernel<hash_numeric_seeded>},
    {"jsonb_hash", kernel<hash_jsonb_value>},     {"jsonb_hash_extended", kernel<hash_jsonb_seeded>},
    {"hash_array", kernel<hash_array>},           {"hash_array_extended", kernel<hash_array_seeded>},
    {"hash_record", kernel<hash_record>},         {"hash_record_extended", kernel<hash_record_seeded>},
};

uint64_t hash_by_routine(FuncContext& context, const HashKeyPart& part, const Datum& value, uint64_t seed) {
  const TypeRef int8{oid::kInt8, -1, kInvalidOid};
  CallInfo call;
  call.function = part.function;
  call.result = int8;
  call.arguments = {{part.type, -1, kInvalidOid}, int8};
  const Datum arguments[] = {value, Datum::of(static_cast<int64_t>(seed))};
  auto hash = context.session().call_routine(call, arguments);
  if (hash.ok()) return hash->get().null ? 0 : static_cast<uint64_t>(hash->get().i64);
  context.fail(std::move(*hash.take_error()));
  return 0;
}

}  // namespace

uint64_t hash_value_seeded(FuncContext& context, const Datum& value, Oid type, uint64_t seed) {
  return value_hash(context, value, type, {true, seed});
}

uint64_t hash_partition_key(FuncContext& context, std::span<const HashKeyPart> parts, std::span<const Datum> values) {
  constexpr uint64_t kSeed = 0x7A5B22367996DCFD;
  uint64_t out = 0;
  for (size_t i = 0; i < values.size(); i++) {
    if (values[i].null) continue;
    const uint64_t h = parts[i].function == kInvalidOid ? hash_value_seeded(context, values[i], parts[i].type, kSeed)
                                                        : hash_by_routine(context, parts[i], values[i], kSeed);
    out ^= h + 0x49a0f4dd15e5a8e3 + (out << 54) + (out >> 7);
  }
  return out;
}

std::span<const ScalarEntry> value_hash_functions() { return kValueHashEntries; }

}  // namespace indigo::types
