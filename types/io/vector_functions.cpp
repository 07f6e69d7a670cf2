// oidvector, tid and pg_lsn: comparisons and arithmetic; the bit aggregates of bit strings; parse_ident, normalize.
#include <algorithm>
#include <new>

#include <unicode/normalizer2.h>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/io/bit_string.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// Shorter vectors first.
int compare_vectors(Str x, Str y) {
  const ArrayView a(x), b(y);
  if (a.count() != b.count()) return a.count() - b.count();
  for (int32_t i = 0; i < a.count(); i++)
    if (const int c = three_way(a.element(i).oid(), b.element(i).oid())) return c;
  return 0;
}
int compare_bytes(Str a, Str b) { return three_way(a.compare(b), 0); }

// ---- pg_lsn
Str lsn_numeric(FuncContext& context, int64_t v) {
  return numeric_image(context, Numeric(false, Magnitude(static_cast<uint64_t>(v)), 0));
}
Str lsn_difference(FuncContext& context, int64_t a, int64_t b) {
  return numeric_subtract(context, lsn_numeric(context, a), lsn_numeric(context, b));
}
int64_t lsn_of_numeric(FuncContext& context, Str image) {
  Numeric n = Numeric::from_image(image);
  if (!n.finite()) {
    context.fail(sqlstate::kFeatureNotSupported,
                 std::string("cannot convert ") + (n.kind == Numeric::Kind::kNan ? "NaN" : "infinity") + " to pg_lsn");
    return 0;
  }
  n.round(0);
  UInt128 v = 0;
  if (!n.finite() || n.negative || !n.magnitude.fits(v) || v > UINT64_MAX) {
    context.fail(sqlstate::kInvalidParameterValue, "pg_lsn out of range");
    return 0;
  }
  return static_cast<int64_t>(static_cast<uint64_t>(v));
}
bool finite_offset(FuncContext& context, Str image, const char* what) {
  if (Numeric::from_image(image).kind != Numeric::Kind::kNan) return true;
  context.fail(sqlstate::kFeatureNotSupported, std::string("cannot ") + what + " pg_lsn");
  return false;
}
int64_t lsn_plus(FuncContext& context, int64_t lsn, Str bytes) {
  return finite_offset(context, bytes, "add NaN to")
             ? lsn_of_numeric(context, numeric_add(context, lsn_numeric(context, lsn), bytes))
             : 0;
}
int64_t lsn_plus_reversed(FuncContext& context, Str bytes, int64_t lsn) { return lsn_plus(context, lsn, bytes); }
int64_t lsn_minus(FuncContext& context, int64_t lsn, Str bytes) {
  return finite_offset(context, bytes, "subtract NaN from")
             ? lsn_of_numeric(context, numeric_subtract(context, lsn_numeric(context, lsn), bytes))
             : 0;
}
int32_t xid8_to_xid(int64_t v) { return static_cast<int32_t>(v); }

// ---- parse_ident
Str parse_identifier(FuncContext& context, Str text, bool strict) {
  const auto fail = [&](const char* detail) {
    Error error(sqlstate::kInvalidParameterValue, "string is not a valid identifier: \"" + std::string(text) + "\"");
    if (detail != nullptr) error.detail = detail;
    context.fail(std::move(error));
    return Str();
  };
  const auto start = [](char c) { return c == '_' || is_alpha(c) || static_cast<uint8_t>(c) >= 0x80; };
  std::vector<Datum> parts;
  size_t at = 0;
  const auto blanks = [&] {
    while (at < text.size() && is_blank(text[at])) at++;
  };
  blanks();
  for (bool after_dot = false;; after_dot = true) {
    if (at < text.size() && text[at] == '"') {
      std::string name;
      for (at++;; at++) {
        if (at >= text.size()) return fail("String has unclosed double quotes.");
        if (text[at] == '"') {
          if (at + 1 >= text.size() || text[at + 1] != '"') break;
          at++;
        }
        name.push_back(text[at]);
      }
      at++;
      if (name.empty()) return fail("Quoted identifier must not be empty.");
      parts.push_back(Datum::of(context.arena().copy(name)));
    } else if (at < text.size() && start(text[at])) {
      const size_t from = at;
      while (at < text.size() && (start(text[at]) || is_digit(text[at]) || text[at] == '$')) at++;
      parts.push_back(Datum::of(context.arena().copy(to_lower(text.substr(from, at - from)))));
    } else if (at < text.size() && text[at] == '.') {
      return fail("No valid identifier before \".\".");
    } else {
      return fail(after_dot ? "No valid identifier after \".\"." : nullptr);
    }
    blanks();
    if (at < text.size() && text[at] == '.') {
      at++;
      blanks();
      continue;
    }
    if (at < text.size() && strict) return fail(nullptr);
    return context.arena().copy(make_array(oid::kText, Phys::kStr, parts));
  }
}

// ---- normalize, IS NORMALIZED
const icu::Normalizer2* normalizer(FuncContext& context, Str form) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* n = nullptr;
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  if (equals_ignoring_case(form, "nfc")) n = icu::Normalizer2::getNFCInstance(error);
  if (equals_ignoring_case(form, "nfd")) n = icu::Normalizer2::getNFDInstance(error);
  if (equals_ignoring_case(form, "nfkc")) n = icu::Normalizer2::getNFKCInstance(error);
  if (equals_ignoring_case(form, "nfkd")) n = icu::Normalizer2::getNFKDInstance(error);
  if (error == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (n == nullptr || U_FAILURE(error))
    context.fail(sqlstate::kInvalidParameterValue, "invalid normalization form: " + std::string(form));
  return n;
}
std::string normalized(FuncContext& context, Str text, Str form) {
  const icu::Normalizer2* n = normalizer(context, form);
  if (n == nullptr || is_ascii(text)) return std::string(text);
  UErrorCode error = U_ZERO_ERROR;
  const auto length = static_cast<int32_t>(text.size());
  std::string out;
  const auto whole = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), length));
  const icu::UnicodeString normal = n->normalize(whole, error);
  if (whole.isBogus() || normal.isBogus() || U_FAILURE(error)) throw std::bad_alloc();
  normal.toUTF8String(out);
  return out;
}
bool is_normalized(FuncContext& context, Str text, Str form) { return normalized(context, text, form) == text; }

// ---- bit_and, bit_or, bit_xor over bit strings
template <char (*kOp)(char, char), const char* kName>
struct BitsAggregate {
  struct State {
    std::string* bits;
  };
  static void add(FuncContext& context, State& s, Str v) {
    if (s.bits == nullptr) {
      s.bits = new std::string(v);
      return;
    }
    if (bit_count(*s.bits) != bit_count(v))
      return context.fail(SqlState("22026"), std::string("cannot ") + kName + " bit strings of different sizes");
    for (size_t i = 4; i < v.size(); i++) (*s.bits)[i] = kOp((*s.bits)[i], v[i]);
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.bits == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(*s.bits));
  }
  static void destroy(State& s) { delete s.bits; }
};
char both(char a, char b) { return static_cast<char>(a & b); }
char either(char a, char b) { return static_cast<char>(a | b); }
char exactly_one(char a, char b) { return static_cast<char>(a ^ b); }
constexpr char kAndName[] = "AND", kOrName[] = "OR", kXorName[] = "XOR";

const ScalarEntry kVectorEntries[] = {
    {"oidvectoreq", kernel<Compare<compare_vectors>::eq>},
    {"oidvectorne", kernel<Compare<compare_vectors>::ne>},
    {"oidvectorlt", kernel<Compare<compare_vectors>::lt>},
    {"oidvectorle", kernel<Compare<compare_vectors>::le>},
    {"oidvectorgt", kernel<Compare<compare_vectors>::gt>},
    {"oidvectorge", kernel<Compare<compare_vectors>::ge>},
    {"btoidvectorcmp", kernel<Compare<compare_vectors>::cmp>},
    {"tideq", kernel<Compare<compare_bytes>::eq>},
    {"tidne", kernel<Compare<compare_bytes>::ne>},
    {"tidlt", kernel<Compare<compare_bytes>::lt>},
    {"tidle", kernel<Compare<compare_bytes>::le>},
    {"tidgt", kernel<Compare<compare_bytes>::gt>},
    {"tidge", kernel<Compare<compare_bytes>::ge>},
    {"bttidcmp", kernel<Compare<compare_bytes>::cmp>},
    {"tidlarger", kernel<Compare<compare_bytes>::larger>},
    {"tidsmaller", kernel<Compare<compare_bytes>::smaller>},
    {"pg_lsn_mi", kernel<lsn_difference>},
    {"pg_wal_lsn_diff", kernel<lsn_difference>},
    {"pg_lsn_pli", kernel<lsn_plus>},
    {"numeric_pl_pg_lsn(numeric,pg_lsn)", kernel<lsn_plus_reversed>},
    {"pg_lsn_mii", kernel<lsn_minus>},
    {"numeric_pg_lsn", kernel<lsn_of_numeric>},
    {"xid8toxid", kernel<xid8_to_xid>},
    {"parse_ident", kernel<parse_identifier>},
    {"unicode_normalize_func", kernel<normalized>},
    {"unicode_is_normalized", kernel<is_normalized>},
};
const AggregateEntry kAggregates[] = {
    {"bit_and(bit)", aggregate<BitsAggregate<both, kAndName>>()},
    {"bit_or(bit)", aggregate<BitsAggregate<either, kOrName>>()},
    {"bit_xor(bit)", aggregate<BitsAggregate<exactly_one, kXorName>>()},
};

}  // namespace

std::span<const ScalarEntry> vector_functions() { return kVectorEntries; }
std::span<const AggregateEntry> bit_aggregates() { return kAggregates; }

}  // namespace indigo::types
