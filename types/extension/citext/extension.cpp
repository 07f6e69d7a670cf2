// citext's functions: comparisons under Collator::case_insensitive, which sorts and indexes use directly.
#include "types/bytes/jenkins_hash.h"
#include "types/extension/citext/citext.h"
#include "types/function/kernel.h"
#include "types/text/ascii.h"
#include "types/value/letters.h"

namespace indigo::types {

namespace {

const Collator& order(FuncContext& context) {
  return context.default_letters() == nullptr && context.default_collator() == nullptr
             ? Collator::case_insensitive()
             : *context.session().catalog().case_insensitive();
}
int compare(FuncContext& context, Str a, Str b) { return order(context).compare(a, b); }
int32_t sign(FuncContext& context, Str a, Str b) {
  const int order = compare(context, a, b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}
bool equal(FuncContext& context, Str a, Str b) { return compare(context, a, b) == 0; }
bool not_equal(FuncContext& context, Str a, Str b) { return compare(context, a, b) != 0; }
bool less(FuncContext& context, Str a, Str b) { return compare(context, a, b) < 0; }
bool less_or_equal(FuncContext& context, Str a, Str b) { return compare(context, a, b) <= 0; }
bool greater(FuncContext& context, Str a, Str b) { return compare(context, a, b) > 0; }
bool greater_or_equal(FuncContext& context, Str a, Str b) { return compare(context, a, b) >= 0; }
Str smaller(FuncContext& context, Str a, Str b) { return compare(context, a, b) < 0 ? a : b; }
Str larger(FuncContext& context, Str a, Str b) { return compare(context, a, b) > 0 ? a : b; }

std::string small(FuncContext& context, Str text) {
  const Letters* const letters = context.default_letters();
  return letters == nullptr ? to_lower(text) : letters->fold(text, Letters::Case::kLower);
}
// The pattern operators compare bytes.
int pattern_compare(FuncContext& context, Str a, Str b) {
  const int order = small(context, a).compare(small(context, b));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}
bool pattern_less(FuncContext& context, Str a, Str b) { return pattern_compare(context, a, b) < 0; }
bool pattern_less_or_equal(FuncContext& context, Str a, Str b) { return pattern_compare(context, a, b) <= 0; }
bool pattern_greater(FuncContext& context, Str a, Str b) { return pattern_compare(context, a, b) > 0; }
bool pattern_greater_or_equal(FuncContext& context, Str a, Str b) { return pattern_compare(context, a, b) >= 0; }
int32_t hash(FuncContext& context, Str text) { return static_cast<int32_t>(hash_bytes(small(context, text), 0).c); }
int64_t hash_extended(FuncContext& context, Str text, int64_t seed) {
  const JenkinsHash h = hash_bytes(small(context, text), static_cast<uint64_t>(seed));
  return static_cast<int64_t>(static_cast<uint64_t>(h.b) << 32 | h.c);
}

const ScalarEntry kFunctions[] = {
    {"citext_eq", kernel<equal>},
    {"citext_ne", kernel<not_equal>},
    {"citext_lt", kernel<less>},
    {"citext_le", kernel<less_or_equal>},
    {"citext_gt", kernel<greater>},
    {"citext_ge", kernel<greater_or_equal>},
    {"citext_cmp", kernel<sign>},
    {"citext_hash", kernel<hash>},
    {"citext_hash_extended", kernel<hash_extended>},
    {"citext_smaller", kernel<smaller>},
    {"citext_larger", kernel<larger>},
    {"citext_pattern_lt", kernel<pattern_less>},
    {"citext_pattern_le", kernel<pattern_less_or_equal>},
    {"citext_pattern_gt", kernel<pattern_greater>},
    {"citext_pattern_ge", kernel<pattern_greater_or_equal>},
    {"citext_pattern_cmp", kernel<pattern_compare>},
};

}  // namespace

const Extension& citext_extension() {
  static const std::string definitions = citext_definitions();
  static const Extension extension{.name = "citext",
                                   .version = "1.6",
                                   .comment = "data type for case-insensitive character strings",
                                   .schema = {},
                                   .required = {},
                                   .definitions = definitions,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
