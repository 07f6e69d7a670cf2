// hashint4, hashtext and the like: PostgreSQL's hash of values, with its results, for clients that make lock keys or
// shards of them. The server's own hash tables use type_order().
#include <cmath>

#include "types/bytes/jenkins_hash.h"
#include "types/function/collation.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/network/address.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

using State = JenkinsHash;

// Equal numbers of different widths hash alike.
uint32_t fold(int64_t v) {
  const auto low = static_cast<uint32_t>(v), high = static_cast<uint32_t>(static_cast<uint64_t>(v) >> 32);
  return low ^ (v >= 0 ? high : ~high);
}
uint32_t word_of(int16_t v) { return static_cast<uint32_t>(int32_t{v}); }
uint32_t word_of(int32_t v) { return static_cast<uint32_t>(v); }
uint32_t word_of(int64_t v) { return fold(v); }
template <class T>
int32_t hash_integer(T v) {
  return short_form(hash_word(word_of(v), 0));
}
template <class T>
int64_t hash_integer_seeded(T v, int64_t seed) {
  return long_form(hash_word(word_of(v), static_cast<uint64_t>(seed)));
}
template <class T>
State hash_float(T v, uint64_t seed) {
  const double d = std::isnan(v) ? std::nan("") : static_cast<double>(v);
  return hash_bytes({reinterpret_cast<const char*>(&d), sizeof d}, seed);
}
template <class T>
int32_t float_hash(T v) {
  return v == 0 ? 0 : short_form(hash_float(v, 0));
}
template <class T>
int64_t float_hash_seeded(T v, int64_t seed) {
  return v == 0 ? seed : long_form(hash_float(v, static_cast<uint64_t>(seed)));
}
int32_t text_hash(Str s) { return short_form(hash_bytes(s, 0)); }
int64_t text_hash_seeded(Str s, int64_t seed) { return long_form(hash_bytes(s, static_cast<uint64_t>(seed))); }
int32_t padded_hash(Str s) { return text_hash(without_trailing_blanks(s)); }
int64_t padded_hash_seeded(Str s, int64_t seed) { return text_hash_seeded(without_trailing_blanks(s), seed); }
// Under a collation that calls different strings equal: of what they are equal by.
Str whole(Str s) { return s; }
template <Str (*kPart)(Str)>
Str hashed_text(FuncContext& context, const CallInfo& call, Str s) {
  const Collator* collator = collator_of(context, call, "string hashing");
  s = kPart(s);
  if (collator == nullptr || collator->deterministic()) return s;
  std::string key;
  collator->append_equality_key(s, key);
  return context.arena().copy(key);
}
template <Str (*kPart)(Str)>
int32_t collated_hash(FuncContext& context, const CallInfo& call, Str s) {
  return text_hash(hashed_text<kPart>(context, call, s));
}
template <Str (*kPart)(Str)>
int64_t collated_hash_seeded(FuncContext& context, const CallInfo& call, Str s, int64_t seed) {
  return text_hash_seeded(hashed_text<kPart>(context, call, s), seed);
}
int32_t char_hash(Str s) {
  return short_form(hash_word(static_cast<uint32_t>(s.empty() ? 0 : static_cast<int32_t>(s[0])), 0));
}
int64_t char_hash_seeded(Str s, int64_t seed) {
  return long_form(
      hash_word(static_cast<uint32_t>(s.empty() ? 0 : static_cast<int32_t>(s[0])), static_cast<uint64_t>(seed)));
}
// The bytes that PostgreSQL keeps for a value.
template <std::string (*kBytes)(Str)>
int32_t bytes_hash(Str image) {
  return text_hash(kBytes(image));
}
template <std::string (*kBytes)(Str)>
int64_t bytes_hash_seeded(Str image, int64_t seed) {
  return text_hash_seeded(kBytes(image), seed);
}
std::string address_bytes(Str image) {
  const NetworkAddress a = NetworkAddress::from_image(image);
  std::string out{static_cast<char>(a.family == 4 ? 2 : 3), static_cast<char>(a.bits)};
  return out.append(reinterpret_cast<const char*>(a.bytes), a.size());
}
std::string vector_bytes(Str image) {
  const ArrayView a(image);
  std::string out;
  for (int32_t i = 0; i < a.count(); i++) {
    const Oid oid = a.element(i).oid();
    out.append(reinterpret_cast<const char*>(&oid), sizeof oid);
  }
  return out;
}
// Two halves of the block's number and the offset, each in this machine's order.
std::string tid_bytes(Str image) {
  std::string out(image);
  for (size_t i = 0; i + 1 < out.size(); i += 2) std::swap(out[i], out[i + 1]);
  return out;
}
std::string plain_bytes(Str image) { return std::string(image); }
// What a repeatable sample decides by: a row's block, its offset there and the seed, hashed as three words, without a sign.
int64_t sample_hash(Str tid, int32_t seed) {
  const auto half = [&](size_t at) {
    return static_cast<uint32_t>(static_cast<uint8_t>(tid[at])) << 8 | static_cast<uint8_t>(tid[at + 1]);
  };
  const uint32_t words[] = {half(0) << 16 | half(2), half(4), static_cast<uint32_t>(seed)};
  return hash_bytes(Str(reinterpret_cast<const char*>(words), sizeof words), 0).c;
}
// A month is thirty days.
int64_t interval_span(Interval v) {
  const auto days = static_cast<uint64_t>(int64_t{v.months} * 30 + v.days);
  return static_cast<int64_t>(days * 86'400'000'000ull + static_cast<uint64_t>(v.microseconds));
}
int32_t interval_hash(Interval v) { return hash_integer<int64_t>(interval_span(v)); }
int64_t interval_hash_seeded(Interval v, int64_t seed) { return hash_integer_seeded<int64_t>(interval_span(v), seed); }
int32_t timetz_hash(TimeTz v) {
  return hash_integer<int64_t>(v.microseconds) ^ hash_integer<int32_t>(v.zone_seconds_west);
}
int64_t timetz_hash_seeded(TimeTz v, int64_t seed) {
  return hash_integer_seeded<int64_t>(v.microseconds, seed) ^ hash_integer_seeded<int32_t>(v.zone_seconds_west, seed);
}
int32_t uuid_hash(Uuid u) { return text_hash({reinterpret_cast<const char*>(u.bytes), sizeof u.bytes}); }
int64_t uuid_hash_seeded(Uuid u, int64_t seed) {
  return text_hash_seeded({reinterpret_cast<const char*>(u.bytes), sizeof u.bytes}, seed);
}

const ScalarEntry kHashEntries[] = {
    {"hashint2", kernel<hash_integer<int16_t>>},
    {"hashint2extended", kernel<hash_integer_seeded<int16_t>>},
    {"hashint4", kernel<hash_integer<int32_t>>},
    {"hashint4extended", kernel<hash_integer_seeded<int32_t>>},
    {"hashint8", kernel<hash_integer<int64_t>>},
    {"hashint8extended", kernel<hash_integer_seeded<int64_t>>},
    {"hashoid", kernel<hash_integer<int32_t>>},
    {"hashoidextended", kernel<hash_integer_seeded<int32_t>>},
    {"hashenum", kernel<hash_integer<int32_t>>},
    {"hashenumextended", kernel<hash_integer_seeded<int32_t>>},
    {"time_hash", kernel<hash_integer<int64_t>>},
    {"time_hash_extended", kernel<hash_integer_seeded<int64_t>>},
    {"timestamp_hash", kernel<hash_integer<int64_t>>},
    {"timestamp_hash_extended", kernel<hash_integer_seeded<int64_t>>},
    {"pg_lsn_hash", kernel<hash_integer<int64_t>>},
    {"pg_lsn_hash_extended", kernel<hash_integer_seeded<int64_t>>},
    {"hashfloat4", kernel<float_hash<float>>},
    {"hashfloat4extended", kernel<float_hash_seeded<float>>},
    {"hashfloat8", kernel<float_hash<double>>},
    {"hashfloat8extended", kernel<float_hash_seeded<double>>},
    {"hashtext", by_equality<kernel<text_hash>, kernel<collated_hash<whole>>>},
    {"hashtextextended", by_equality<kernel<text_hash_seeded>, kernel<collated_hash_seeded<whole>>>},
    {"hashname", kernel<text_hash>},
    {"hashnameextended", kernel<text_hash_seeded>},
    {"hashbpchar", by_equality<kernel<padded_hash>, kernel<collated_hash<without_trailing_blanks>>>},
    {"hashbpcharextended",
     by_equality<kernel<padded_hash_seeded>, kernel<collated_hash_seeded<without_trailing_blanks>>>},
    {"hashchar", kernel<char_hash>},
    {"hashcharextended", kernel<char_hash_seeded>},
    {"hashinet", kernel<bytes_hash<address_bytes>>},
    {"hashinetextended", kernel<bytes_hash_seeded<address_bytes>>},
    {"hashoidvector", kernel<bytes_hash<vector_bytes>>},
    {"hashoidvectorextended", kernel<bytes_hash_seeded<vector_bytes>>},
    {"hashtid", kernel<bytes_hash<tid_bytes>>},
    {"hashtidextended", kernel<bytes_hash_seeded<tid_bytes>>},
    {"tsm_bernoulli_handler", kernel<sample_hash>},
    {"hashmacaddr", kernel<bytes_hash<plain_bytes>>},
    {"hashmacaddrextended", kernel<bytes_hash_seeded<plain_bytes>>},
    {"hashmacaddr8", kernel<bytes_hash<plain_bytes>>},
    {"hashmacaddr8extended", kernel<bytes_hash_seeded<plain_bytes>>},
    {"interval_hash", kernel<interval_hash>},
    {"interval_hash_extended", kernel<interval_hash_seeded>},
    {"timetz_hash", kernel<timetz_hash>},
    {"timetz_hash_extended", kernel<timetz_hash_seeded>},
    {"uuid_hash", kernel<uuid_hash>},
    {"uuid_hash_extended", kernel<uuid_hash_seeded>},
};

}  // namespace

std::span<const ScalarEntry> hash_functions() { return kHashEntries; }

}  // namespace indigo::types
